import type { AnswerFile } from './answer-file.ts';

/** The contract in whose storage a chain keeps the hashes of its last blocks (EIP-2935). */
const historyContract = '0x0000f90827f1c53a10cb7a02335b175320002935';

/** How many hashes it keeps: that of block `n` in slot `n % 8191`. */
const slots = 8_191;

/** Which slots of the history contract a fork overwrites next. */
export interface HistorySlots {
  isOverwritten(account: string, slot: unknown): boolean;
}

/**
 * Each block of a fork writes the hash of its parent to the next slot, for which Anvil first reads what is there: a request to the upstream for
 * every block, for a hash that is out of the contract's reach by then. So the slots that come next in order are answered without the upstream;
 * the others hold hashes that contracts can still read. After a restart the order goes on behind the last slot that was answered.
 */
export function createHistorySlots(block: number, answers: AnswerFile): HistorySlots {
  let next = block % slots;
  while (answers.read(key(next)) !== undefined && next !== (block + slots - 1) % slots) next = (next + 1) % slots;
  return {
    isOverwritten(account, slot) {
      if (account !== historyContract || typeof slot !== 'string') return false;
      const number = Number(slot);
      if (answers.read(key(number)) !== undefined) return true;
      if (number !== next) return false;
      answers.write(key(number), '0x0');
      next = (next + 1) % slots;
      return true;
    },
  };
}

function key(slot: number): string {
  return `history slot ${slot}`;
}
