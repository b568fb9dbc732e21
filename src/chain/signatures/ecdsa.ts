import { bytesToHex, hashMessage, type Hex, hexToBytes, keccak256 } from 'viem';
import { type LowerAddress, lowerAddress } from '../../platform/addresses.ts';
import { curve } from '../secp256k1.ts';

const ecdsaSignature = /^0x[0-9a-fA-F]{130}$/;

/** Recovery id by the last byte of a signature: wallets write 0 and 1, or 27 and 28. */
const recoveryIds = new Map([
  [0, 0],
  [1, 1],
  [27, 0],
  [28, 1],
]);

const compactSignature = /^0x[0-9a-fA-F]{128}$/;

/** A compact signature of 64 bytes (EIP-2098) as the 65 bytes that say the same; any other as it is. */
export function expandCompact(signature: string): string {
  if (!compactSignature.test(signature)) return signature;
  // The parity is the highest bit of s.
  const highest = Number.parseInt(signature.charAt(66), 16);
  return `${signature.slice(0, 66)}${(highest & 7).toString(16)}${signature.slice(67)}${highest < 8 ? '1b' : '1c'}`;
}

/** Whether the key of `address` signed `digest`, in 65 bytes or in 64 (EIP-2098). */
export function isSignedByKey(address: LowerAddress, digest: Hex, signature: string): boolean {
  return recoverSigner(digest, expandCompact(signature)) === address;
}

/**
 * The account whose key signed `digest`, in lower case; undefined when `signature` is not 65 bytes of ECDSA or recovers to no key. Never use a
 * signature as an identifier: a second one, with a high s, recovers to the same account.
 */
export function recoverSigner(digest: Hex, signature: string): LowerAddress | undefined {
  if (!ecdsaSignature.test(signature)) return undefined;
  const bytes = hexToBytes(signature as Hex);
  const recoveryId = recoveryIds.get(bytes[64] ?? -1);
  if (recoveryId === undefined) return undefined;
  try {
    const publicKey = curve.ecdsaRecover(bytes.subarray(0, 64), recoveryId, hexToBytes(digest));
    return accountOf(publicKey);
  } catch {
    return undefined;
  }
}

/** The account whose key signed `message` by `personal_sign` (EIP-191); see {@link recoverSigner}. */
export function recoverMessageSigner(message: string, signature: string): LowerAddress | undefined {
  return recoverSigner(hashMessage(message), signature);
}

/** The account of an uncompressed public key. */
export function accountOf(publicKey: Uint8Array): LowerAddress {
  return lowerAddress(`0x${keccak256(publicKey.subarray(1)).slice(-40)}`);
}

/** Signs `digest`. Returns r, s and the parity of the point. */
export function signDigest(digest: Hex, privateKey: Uint8Array): { r: Hex; s: Hex; yParity: number } {
  const { signature, recid } = curve.ecdsaSign(hexToBytes(digest), privateKey);
  return { r: bytesToHex(signature.subarray(0, 32)), s: bytesToHex(signature.subarray(32)), yParity: recid };
}
