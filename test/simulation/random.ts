/**
 * Randomness that a seed decides. Every decision has a name, and what it draws depends on seed and name alone: one more decision elsewhere, or
 * another order of concurrent calls, changes no other.
 */
export interface Random {
  /** From 0 to 1. */
  number(name: string): number;
  /** Whether something of this probability happens. */
  chance(name: string, probability: number): boolean;
  /** A whole number from `least` to `most`. */
  integer(name: string, least: number, most: number): number;
  pick<T>(name: string, values: readonly T[]): T;
  /** The same randomness for a part of the simulation, whose names need not differ from those of other parts. */
  of(part: string): Random;
}

/** The randomness of a seed. */
export function createRandom(seed: number | string): Random {
  const number = (name: string) => hash53(`${seed}/${name}`);
  const integer = (name: string, least: number, most: number) => least + Math.floor(number(name) * (most - least + 1));
  return {
    number,
    chance: (name, probability) => number(name) < probability,
    integer,
    pick: <T>(name: string, values: readonly T[]) => values[integer(name, 0, values.length - 1)] as T,
    of: (part) => createRandom(`${seed}/${part}`),
  };
}

/** A number from 0 to 1 that a text decides (cyrb53 by bryc, which mixes two 32-bit multiplicative hashes). */
function hash53(text: string): number {
  let first = 0xdeadbeef;
  let second = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    first = Math.imul(first ^ code, 2_654_435_761);
    second = Math.imul(second ^ code, 1_597_334_677);
  }
  first = Math.imul(first ^ (first >>> 16), 2_246_822_507) ^ Math.imul(second ^ (second >>> 13), 3_266_489_909);
  second = Math.imul(second ^ (second >>> 16), 2_246_822_507) ^ Math.imul(first ^ (first >>> 13), 3_266_489_909);
  return ((second & 0x1fffff) * 2 ** 32 + (first >>> 0)) / 2 ** 53;
}
