import { readFileSync } from 'node:fs';
import { type Hex, hexToBytes, keccak256, parseTransaction, serializeTransaction, type TransactionSerializableEIP1559 } from 'viem';
import { StopError } from '../platform/errors.ts';
import type { NetworkSettings } from '../platform/settings.ts';
import type { Fees } from './fees.ts';
import { curve } from './secp256k1.ts';
import { accountOf, signDigest } from './signature.ts';

/** Signs the transactions of one lane. */
export interface Signer {
  /** In lower case. */
  address: Hex;
  sign(transaction: TransactionSerializableEIP1559): Promise<{ raw: Hex; hash: Hex }>;
}

/** Signs the transaction in `raw` anew, with other fees and all else the same. */
export async function signWithFees(signer: Signer, raw: Hex, fees: Fees): Promise<{ raw: Hex; hash: Hex }> {
  const { r: _r, s: _s, yParity: _yParity, v: _v, ...transaction } = parseTransaction(raw as `0x02${string}`);
  return signer.sign({ ...transaction, type: 'eip1559', ...fees });
}

/** A signer over a raw private key. Throws `invalid_signer_key`; the key itself is in no message. */
export function createKeySigner(privateKey: string): Signer {
  const key = /^0x[0-9a-fA-F]{64}$/.test(privateKey) ? hexToBytes(privateKey as Hex) : undefined;
  if (!key || !curve.privateKeyVerify(key)) {
    throw new StopError({
      code: 'invalid_signer_key',
      message: "A signer key is not 0x and 64 hexadecimal digits, or not a key of the curve: look at the network's SIGNER_KEYS",
    });
  }
  return {
    address: accountOf(curve.publicKeyCreate(key, false)),
    async sign(transaction) {
      const raw = serializeTransaction(transaction, signDigest(keccak256(serializeTransaction(transaction)), key));
      return { raw, hash: keccak256(raw) };
    },
  };
}

/** The signers of a network, one lane each. Throws `no_signer` or `invalid_signer_key`. */
export function createSigners({ chain, SIGNER_KEYS }: NetworkSettings): Signer[] {
  const keys = SIGNER_KEYS.flatMap((entry) => (entry.startsWith('file:') ? readKeys(entry.slice('file:'.length)) : entry));
  if (keys.length === 0)
    throw new StopError({ code: 'no_signer', message: `${chain} has no signer: set ${chain.toUpperCase()}_SIGNER_KEYS` });
  return keys.map(createKeySigner);
}

function readKeys(path: string): string[] {
  try {
    return readFileSync(path, 'utf8')
      .split(/[\s,]+/)
      .filter(Boolean);
  } catch (cause) {
    throw new StopError({ code: 'no_signer', message: `The signer keys cannot be read from ${path}`, cause });
  }
}
