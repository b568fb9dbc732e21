/** Intervals by which a rhythm is known. */
const knownAfter = 4;

/** How much longer the longest of them may be than the shortest: a block is noticed up to a fifth of its time late. */
const regularFactor = 2;

/** The part of the shortest interval in which no next block is expected. */
const quietPart = 0.8;

/** How regularly new blocks are noticed. */
export interface BlockRhythm {
  /** A block with this number was noticed. */
  noticed(block: bigint): void;
  /** Milliseconds for which no next block is expected after the one that was just noticed; 0 while blocks come irregularly. */
  quietMs(): number;
}

/** Creates the rhythm of a chain of which nothing is known; `now` is in milliseconds. */
export function createBlockRhythm(now: () => number = () => performance.now()): BlockRhythm {
  let last: { block: bigint; at: number } | undefined;
  let intervals: number[] = [];
  return {
    noticed(block) {
      const at = now();
      const blocks = last && block > last.block ? Number(block - last.block) : 1;
      if (last) intervals = [...intervals, (at - last.at) / blocks].slice(-knownAfter);
      last = { block, at };
    },
    quietMs() {
      const [shortest, longest] = [Math.min(...intervals), Math.max(...intervals)];
      return intervals.length === knownAfter && longest <= shortest * regularFactor ? shortest * quietPart : 0;
    },
  };
}
