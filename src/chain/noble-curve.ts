import { secp256k1 } from '@noble/curves/secp256k1';
import type { Curve } from './curve.ts';

const { Signature, utils } = secp256k1;

/** secp256k1 in JavaScript, by @noble/curves, which is audited. It throws where {@link Curve} does. */
export const nobleCurve: Curve = {
  privateKeyVerify: (key) => utils.isValidSecretKey(key),
  publicKeyCreate: (key) => secp256k1.getPublicKey(key, false),
  publicKeyVerify: (point) => utils.isValidPublicKey(point),
  ecdsaSign(digest, key) {
    const signature = secp256k1.sign(digest, key, { lowS: true, prehash: false });
    return { signature: signature.toBytes('compact'), recid: signature.recovery };
  },
  ecdsaRecover: (signature, recid, digest) =>
    Signature.fromBytes(signature, 'compact').addRecoveryBit(recid).recoverPublicKey(digest).toBytes(false),
  signatureNormalize: (signature) => Signature.fromBytes(signature, 'compact').normalizeS().toBytes('compact'),
  signatureImport: (der) => Signature.fromBytes(der, 'der').toBytes('compact'),
};
