import { createRequire } from 'node:module';
import type secp256k1 from 'secp256k1';

type Secp256k1 = typeof secp256k1;

const require = createRequire(import.meta.url);

/** secp256k1: by libsecp256k1 where its binary loads (about 40 times faster), else by the JavaScript of the same package. */
export const curve: Secp256k1 = load('secp256k1');

/** Whether the fast implementation is in use. Processes that need it log a warning at the start when it is not. */
export const isNativeCurve: boolean = curve !== load('secp256k1/elliptic');

function load(name: string): Secp256k1 {
  return require(name) as Secp256k1;
}
