/** The newest blocks that the endpoints of a network have named. */
export interface BlockHeights {
  /** The block that the others have reached: two of several, so that none alone makes another seem behind. Undefined while there is none. */
  ofOthers(name: string): bigint | undefined;
  /**
   * The newest block that an endpoint may have by what the others have named: a little ahead of the first of them, and of what it may have got since. Undefined
   * while nothing is known of them.
   */
  mostOf(name: string): bigint | undefined;
  /**
   * Records the newest block of an endpoint by its answer to a method, and judges it by `reached`, which the others had when it was asked, and by its answers
   * to the same method: one that comes from a cache says nothing of another.
   */
  note(endpoint: { name: string; method: string }, block: bigint, reached: bigint | undefined): HeightVerdict;
}

/** `unsure` when the newest block may be an old one, so that the others must say what they have. That doubt comes after pauses that double while a chain stands still. */
type HeightVerdict = 'current' | 'unsure' | 'behind';

/** By how much healthy endpoints of a network differ at any time. */
const usualLag = { seconds: 2, blocks: 1 };

/** A block that is due for so long is late. */
const lateMs = 1_000;

/** One other endpoint that claims so many blocks more may claim blocks that nobody has: then only who stands still is behind. */
const believedBlocks = 64n;

/** A chain gets at most so many times as many blocks as usual, as after it stood still. */
const fastest = 2;

/** What was named so long ago says nothing of the chain as it is. */
const forgottenMs = 60_000;

/** Begins without any block. */
export function createBlockHeights(blockTimeSeconds: number, now: () => number = Date.now): BlockHeights {
  const mostBehind = BigInt(Math.ceil(usualLag.seconds / blockTimeSeconds) + usualLag.blocks);
  const blockTimeMs = blockTimeSeconds * 1_000;
  /** By endpoint and method. */
  const seen = new Map<string, Map<string, Named>>();
  const others = (name: string) =>
    [...seen].flatMap(([other, methods]) => {
      const blocks = [...methods.values()].flatMap(({ block, at }) => (other !== name && now() - at < forgottenMs ? [block] : []));
      return blocks.length === 0 ? [] : [blocks.reduce((a, b) => (a > b ? a : b))];
    });
  return {
    ofOthers: (name) =>
      others(name)
        .toSorted((a, b) => (a > b ? -1 : 1))
        .slice(0, 2)
        .at(-1),
    mostOf(name) {
      const lead = others(name).length > 1 ? mostBehind : believedBlocks;
      const most = [...seen].flatMap(([other, methods]) =>
        [...methods.values()].flatMap(({ block, at, dueAt }) => {
          if (other === name || now() - at >= forgottenMs) return [];
          const namedFor = Math.max(now() - dueAt + blockTimeMs, 0);
          return [block + lead + BigInt(Math.ceil((namedFor / blockTimeMs) * fastest))];
        }),
      );
      return most.length === 0 ? undefined : most.reduce((a, b) => (a > b ? a : b));
    },
    note({ name, method }, block, reached = block) {
      const at = now();
      const methods = seen.get(name) ?? new Map<string, Named>();
      seen.set(name, methods);
      const before = methods.get(method);
      const isNewer = before === undefined || block > before.block;
      const named: Named = { block, at, dueAt: isNewer ? at + blockTimeMs : before.dueAt, unsureAt: before?.unsureAt ?? -Infinity };
      methods.set(method, named);
      const isLate = at - named.dueAt >= lateMs;
      const lag = reached - block;
      const isBelieved = others(name).length > 1 || lag <= believedBlocks || before?.block === block;
      if (isBelieved && (lag > mostBehind || (isLate && lag > 0n))) return 'behind';
      const hasGoneBack = before !== undefined && before.block - block > mostBehind && at - named.unsureAt >= blockTimeMs + lateMs;
      // Who is asked only now and then is compared with the others then.
      const isFollowed = before !== undefined && at - before.at < (blockTimeMs + lateMs) / 2;
      const isTwiceAsLate = at - named.dueAt >= 2 * (named.unsureAt - named.dueAt);
      if (!hasGoneBack && !(isLate && isFollowed && isTwiceAsLate)) return 'current';
      named.unsureAt = at;
      return 'unsure';
    },
  };
}

/** The newest block of an endpoint by a method and when it was named last, when the next is due, and when it was last a reason to ask the others. */
interface Named {
  block: bigint;
  at: number;
  dueAt: number;
  unsureAt: number;
}
