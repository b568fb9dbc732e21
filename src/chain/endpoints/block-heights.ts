/** The newest blocks that the endpoints of a network have named. */
export interface BlockHeights {
  /** The block that the others have reached: two of several, so that none alone makes another seem behind. Undefined while there is none. */
  ofOthers(name: string): bigint | undefined;
  /** Records the newest block of an endpoint. Answers whether it is behind `reached`, which the others had when it was asked. */
  note(name: string, block: bigint, reached: bigint | undefined): boolean;
}

/** By how much healthy endpoints of a network differ at any time. */
const usualLag = { seconds: 2, blocks: 1 };

/** One other endpoint that claims so many blocks more may claim blocks that nobody has: then only who stands still is behind. */
const believedBlocks = 64n;

/** What was named so long ago says nothing of the chain as it is. */
const forgottenMs = 60_000;

/** Begins without any block. */
export function createBlockHeights(blockTimeSeconds: number, now: () => number = Date.now): BlockHeights {
  const mostBehind = BigInt(Math.ceil(usualLag.seconds / blockTimeSeconds) + usualLag.blocks);
  const seen = new Map<string, { block: bigint; at: number }>();
  const others = (name: string) =>
    [...seen].flatMap(([other, { block, at }]) => (other !== name && now() - at < forgottenMs ? [block] : []));
  return {
    ofOthers: (name) =>
      others(name)
        .toSorted((a, b) => (a > b ? -1 : 1))
        .slice(0, 2)
        .at(-1),
    note(name, block, reached = block) {
      const before = seen.get(name)?.block;
      seen.set(name, { block, at: now() });
      if (reached - block <= mostBehind) return false;
      return others(name).length > 1 || reached - block <= believedBlocks || before === block;
    },
  };
}
