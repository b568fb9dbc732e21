import { type Hex, numberToHex } from 'viem';

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** The other value of s, which is as valid on the curve; chains take only the lower one (EIP-2). */
export function otherS(s: Hex): Hex {
  return numberToHex(order - BigInt(s), { size: 32 });
}
