import {
  concat,
  getTypesForEIP712Domain,
  hashDomain,
  hashStruct,
  type Hex,
  hexToBytes,
  keccak256,
  parseTransaction,
  serializeSignature,
  serializeTransaction,
  type TransactionSerializableEIP1559,
  type TypedData,
  type TypedDataDefinition,
  validateTypedData,
} from 'viem';
import { StopError } from '../../platform/errors.ts';
import type { Fees } from '../fees.ts';
import { curve } from '../secp256k1.ts';
import { accountOf } from '../signatures/ecdsa.ts';

export type SignerKind = 'raw key' | 'keystore' | 'AWS KMS' | 'web3signer';

/**
 * Signs with one key, wherever that is kept. Each signature is proven to be that of `address` before it is handed out.
 * Throws RetryError while the key is out of reach, and StopError when its keeper refuses or answers wrongly.
 */
export interface Signer {
  /** In lower case. */
  address: Hex;
  kind: SignerKind;
  /** The signed transaction and its hash. */
  sign(transaction: TransactionSerializableEIP1559): Promise<{ raw: Hex; hash: Hex }>;
  /** An EIP-712 signature of 65 bytes, with 27 or 28 at its end. */
  signTypedData<const typedData extends TypedData | Record<string, unknown>, primaryType extends keyof typedData | 'EIP712Domain'>(
    typedData: TypedDataDefinition<typedData, primaryType>,
  ): Promise<Hex>;
}

/** A key and what it does at least: ECDSA over the keccak-256 hash of `preimage`. Either of the two values of s will do. */
export interface SigningKey {
  address: Hex;
  kind: SignerKind;
  signHashOf(preimage: Hex): Promise<{ r: Hex; s: Hex }>;
}

/** The signer of a key. What the key's keeper answers is made canonical (low s, EIP-2), and trusted only when it recovers to the address. */
export function createSignerOf(key: SigningKey): Signer {
  const signVerified = async (preimage: Hex) => canonical(key, keccak256(preimage), await key.signHashOf(preimage));
  return {
    address: key.address,
    kind: key.kind,
    async sign(transaction) {
      const raw = serializeTransaction(transaction, await signVerified(serializeTransaction(transaction)));
      return { raw, hash: keccak256(raw) };
    },
    async signTypedData(typedData) {
      return serializeSignature(await signVerified(encodeTypedData(typedData as TypedDataDefinition)));
    },
  };
}

/** Signs the transaction in `raw` anew, with other fees and all else the same. */
export async function signWithFees(signer: Signer, raw: Hex, fees: Fees): Promise<{ raw: Hex; hash: Hex }> {
  const { r: _r, s: _s, yParity: _yParity, v: _v, ...transaction } = parseTransaction(raw as `0x02${string}`);
  return signer.sign({ ...transaction, type: 'eip1559', ...fees });
}

/** What is hashed and signed of typed data (EIP-712): 0x1901, the domain's hash and the message's. */
function encodeTypedData({ domain = {}, message, primaryType, types: own }: TypedDataDefinition): Hex {
  const types = { EIP712Domain: getTypesForEIP712Domain({ domain }), ...own } as Record<string, { name: string; type: string }[]>;
  validateTypedData({ domain, message, primaryType, types } as unknown as TypedDataDefinition);
  const parts: Hex[] = ['0x1901', hashDomain({ domain, types })];
  if (primaryType !== 'EIP712Domain') parts.push(hashStruct({ data: message, primaryType, types }));
  return concat(parts);
}

function canonical(key: SigningKey, digest: Hex, { r, s }: { r: Hex; s: Hex }): { r: Hex; s: Hex; yParity: number } {
  try {
    const signature = curve.signatureNormalize(hexToBytes(concat([r, s])));
    for (const yParity of [0, 1]) {
      if (accountOf(curve.ecdsaRecover(signature, yParity, hexToBytes(digest), false)) !== key.address) continue;
      const [lowR, lowS] = [signature.subarray(0, 32), signature.subarray(32)].map(
        (part) => `0x${Buffer.from(part).toString('hex')}` as const,
      );
      return { r: lowR as Hex, s: lowS as Hex, yParity };
    }
  } catch {
    // Not a signature at all: refused like one of another key.
  }
  throw signatureRefused(key);
}

/** The answer to a signature that is not one of the key. */
export function signatureRefused({ address, kind }: SigningKey): StopError {
  return new StopError({
    code: 'signature_not_of_signer',
    message: `The ${kind} of ${address} answered with a signature that is not of that address; nothing was sent with it`,
  });
}
