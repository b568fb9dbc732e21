import { bytesToHex, decodeAbiParameters, hashMessage, type Hex, hexToBytes, keccak256, size, slice as sliceHex } from 'viem';
import { curve } from '../secp256k1.ts';

const ecdsaSignature = /^0x[0-9a-fA-F]{130}$/;

/** Recovery ids 0 and 1, as wallets write them: bare, or with 27 added. */
const recoveryIds = new Map([
  [0, 0],
  [1, 1],
  [27, 0],
  [28, 1],
]);

/**
 * The account whose key signed `digest`, in lower case; `undefined` when `signature` is not 65 bytes of ECDSA or
 * recovers to nothing. A signature is never a unique key: a second one with a high s recovers to the same account.
 */
export function recoverSigner(digest: Hex, signature: string): Hex | undefined {
  if (!ecdsaSignature.test(signature)) return undefined;
  const bytes = hexToBytes(signature as Hex);
  const recoveryId = recoveryIds.get(bytes[64] ?? -1);
  if (recoveryId === undefined) return undefined;
  try {
    const publicKey = curve.ecdsaRecover(bytes.subarray(0, 64), recoveryId, hexToBytes(digest), false);
    return accountOf(publicKey);
  } catch {
    return undefined;
  }
}

/** The account whose key signed `message` by `personal_sign` (EIP-191); see {@link recoverSigner}. */
export function recoverMessageSigner(message: string, signature: string): Hex | undefined {
  return recoverSigner(hashMessage(message), signature);
}

/** The account of an uncompressed public key, in lower case. */
export function accountOf(publicKey: Uint8Array): Hex {
  return `0x${keccak256(publicKey.subarray(1)).slice(-40)}`;
}

/** A signature over `digest`: r, s and the parity of the point. */
export function signDigest(digest: Hex, privateKey: Uint8Array): { r: Hex; s: Hex; yParity: number } {
  const { signature, recid } = curve.ecdsaSign(hexToBytes(digest), privateKey);
  return { r: bytesToHex(signature.subarray(0, 32)), s: bytesToHex(signature.subarray(32)), yParity: recid };
}

/** The end of a signature that carries the deployment of its account (ERC-6492). */
const erc6492Suffix = '6492'.repeat(16);

/** Whether a signature is wrapped as ERC-6492 says, for an account that may not be deployed. Takes lower case. */
export function isErc6492(signature: string): boolean {
  return signature.endsWith(erc6492Suffix);
}

/** The account's own signature inside an ERC-6492 one; `undefined` when the wrapping is malformed. */
export function unwrapErc6492(signature: Hex): Hex | undefined {
  try {
    const [, , inner] = decodeAbiParameters(
      [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }],
      sliceHex(signature, 0, size(signature) - 32),
    );
    return inner;
  } catch {
    return undefined;
  }
}
