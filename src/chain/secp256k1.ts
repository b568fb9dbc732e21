import { createRequire } from 'node:module';
import type { Curve } from './curve.ts';
import { nobleCurve } from './noble-curve.ts';

const native = loadNative();

/** secp256k1: by libsecp256k1 where its binary loads, which recovers 25 times as fast, else by @noble/curves. */
export const curve: Curve = native ?? nobleCurve;

/** Whether libsecp256k1 is in use. Processes that need its speed log a warning at the start when it is not. */
export const isNativeCurve: boolean = native !== undefined;

/**
 * The package `secp256k1` itself falls back to `elliptic`, whose signatures are known to reveal the key. So only its binding is loaded: it throws
 * where there is no binary, such as on Linux on arm64.
 */
function loadNative(): Curve | undefined {
  try {
    const binding = createRequire(import.meta.url)('secp256k1/bindings') as typeof import('secp256k1');
    return {
      ...binding,
      publicKeyCreate: (key) => binding.publicKeyCreate(key, false),
      ecdsaRecover: (signature, recid, digest) => binding.ecdsaRecover(signature, recid, digest, false),
    };
  } catch {
    return undefined;
  }
}
