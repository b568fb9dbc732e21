import { hash } from 'node:crypto';

/** 32-bit words of a slot: three of the text's digest, and its count, which is 0 in an empty slot. */
const slotWords = 4;

const firstSlots = 1_024;

/** Of 4: how full the table may get before it doubles. */
const fullQuarters = 3;

/**
 * Counts texts in 20 to 45 bytes each, however long they are: a bank file may have a million references, and a `Map` of them fills the
 * heap of a process. A text is known by 96 bits of its SHA-256, in a table of open addresses.
 */
export function createTextCounts() {
  let table = new Uint32Array(firstSlots * slotWords);
  let used = 0;

  /** Where a digest is, or the empty slot where it belongs. There is always one. */
  function slotOf(digest: Uint32Array): number {
    const slots = table.length / slotWords;
    let slot = (digest[0] as number) & (slots - 1);
    while (!isFreeOrOf(slot * slotWords, digest)) slot = (slot + 1) & (slots - 1);
    return slot * slotWords;
  }

  function isFreeOrOf(at: number, [first, second, third]: Uint32Array): boolean {
    return table[at + 3] === 0 || (table[at] === first && table[at + 1] === second && table[at + 2] === third);
  }

  function grow(): void {
    const before = table;
    table = new Uint32Array(before.length * 2);
    for (let at = 0; at < before.length; at += slotWords) {
      if (before[at + 3] === 0) continue;
      const slot = before.subarray(at, at + slotWords);
      table.set(slot, slotOf(slot));
    }
  }

  return {
    /** 0 for a text that was not set. */
    get: (text: string): number => table[slotOf(digestOf(text)) + 3] as number,
    /** `count` is at least 1. */
    set(text: string, count: number): void {
      const digest = digestOf(text);
      const at = slotOf(digest);
      if (table[at + 3] === 0) used += 1;
      table.set(digest, at);
      table[at + 3] = count;
      if (used * 4 >= (table.length / slotWords) * fullQuarters) grow();
    },
  };
}

function digestOf(text: string): Uint32Array {
  const digest = hash('sha256', text, 'buffer');
  return Uint32Array.of(digest.readUInt32LE(0), digest.readUInt32LE(4), digest.readUInt32LE(8));
}
