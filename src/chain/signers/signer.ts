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
import type { LowerAddress } from '../../platform/addresses.ts';
import { StopError } from '../../platform/errors.ts';
import type { Fees } from '../fees.ts';
import { curve } from '../secp256k1.ts';
import { accountOf } from '../signatures/ecdsa.ts';

/** Where the key of a signer is kept. */
export type SignerKind = 'raw key' | 'keystore' | 'AWS KMS' | 'web3signer';

/**
 * Signs with one key, wherever it is kept. Every signature is verified to be that of `address` before it is returned. Throws RetryError while the
 * key's service is unreachable, and StopError when it refuses or returns a wrong signature.
 */
export interface Signer {
  address: LowerAddress;
  kind: SignerKind;
  /** The signed transaction and its hash. */
  sign(transaction: TransactionSerializableEIP1559): Promise<{ raw: Hex; hash: Hex }>;
  /** An EIP-712 signature of 65 bytes; the last one is 27 or 28. */
  signTypedData<const typedData extends TypedData | Record<string, unknown>, primaryType extends keyof typedData | 'EIP712Domain'>(
    typedData: TypedDataDefinition<typedData, primaryType>,
  ): Promise<Hex>;
}

/** A key that signs the keccak-256 hash of `preimage` by ECDSA. Either value of s is accepted. */
export interface SigningKey {
  address: LowerAddress;
  kind: SignerKind;
  signHashOf(preimage: Hex): Promise<{ r: Hex; s: Hex }>;
}

/** The signer of a key. Signatures are made canonical (low s, EIP-2) and must recover to the key's address. */
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

/** Signs the transaction in `raw` again with other fees. */
export async function signWithFees(signer: Signer, raw: Hex, fees: Fees): Promise<{ raw: Hex; hash: Hex }> {
  const { r: _r, s: _s, yParity: _yParity, v: _v, ...transaction } = parseTransaction(raw as `0x02${string}`);
  return signer.sign({ ...transaction, type: 'eip1559', ...fees });
}

/** The preimage of typed data (EIP-712): 0x1901, the hash of the domain and that of the message. */
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
      if (accountOf(curve.ecdsaRecover(signature, yParity, hexToBytes(digest))) !== key.address) continue;
      const [lowR, lowS] = [signature.subarray(0, 32), signature.subarray(32)].map(
        (part) => `0x${Buffer.from(part).toString('hex')}` as const,
      );
      return { r: lowR as Hex, s: lowS as Hex, yParity };
    }
  } catch {
    // Not a signature: refused like one of another key.
  }
  throw signatureRefused(key);
}

/** The error of a signature that is not of the key. */
export function signatureRefused({ address, kind }: SigningKey): StopError {
  return new StopError({
    code: 'signature_not_of_signer',
    message: `The ${kind} of ${address} returned a signature that is not of that address; nothing was sent`,
  });
}
