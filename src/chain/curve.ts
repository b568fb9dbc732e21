/** What is used of the curve secp256k1. Signatures are r and s, 64 bytes; public keys are points of 65 bytes. */
export interface Curve {
  /** Whether 32 bytes are a private key. */
  privateKeyVerify(key: Uint8Array): boolean;
  publicKeyCreate(key: Uint8Array): Uint8Array;
  /** Whether the bytes are a point of the curve. */
  publicKeyVerify(point: Uint8Array): boolean;
  /** Signs a digest of 32 bytes, with a nonce by RFC 6979 and the low s (EIP-2). */
  ecdsaSign(digest: Uint8Array, key: Uint8Array): { signature: Uint8Array; recid: number };
  /** The key that signed. Takes either s. Throws for what is no signature of any key. */
  ecdsaRecover(signature: Uint8Array, recid: number, digest: Uint8Array): Uint8Array;
  /** The same signature with the low s, perhaps in the same array. Throws for numbers that are not below the curve's order. */
  signatureNormalize(signature: Uint8Array): Uint8Array;
  /** Reads DER. Throws for anything else. */
  signatureImport(der: Uint8Array): Uint8Array;
}
