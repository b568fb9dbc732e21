import { type Hex, hexToBytes, keccak256 } from 'viem';
import { StopError } from '../../platform/errors.ts';
import { curve } from '../secp256k1.ts';
import { accountOf, signDigest } from '../signatures/ecdsa.ts';
import { createSignerOf, type Signer, type SignerKind } from './signer.ts';

/** A signer over a private key, `0x` and 64 hexadecimal digits. Throws `invalid_settings`, whose message does not contain the key. */
export function createKeySigner(privateKey: string): Signer {
  return createSignerOfKey(/^0x[0-9a-fA-F]{64}$/.test(privateKey) ? hexToBytes(privateKey as Hex) : new Uint8Array(), 'raw key');
}

/** A signer over the 32 bytes of a private key. Throws `invalid_settings`. */
export function createSignerOfKey(key: Uint8Array, kind: SignerKind): Signer {
  if (key.length !== 32 || !curve.privateKeyVerify(key)) {
    throw new StopError({
      code: 'invalid_settings',
      message:
        'A signer key must be 0x and 64 hexadecimal digits, and a key of the curve: check the signers of the network, such as GNOSIS_SIGNERS',
    });
  }
  return createSignerOf({
    address: accountOf(curve.publicKeyCreate(key)),
    kind,
    signHashOf: async (preimage) => signDigest(keccak256(preimage), key),
  });
}
