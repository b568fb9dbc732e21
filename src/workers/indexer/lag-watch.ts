/** What the indexer of a network has read, and what its chain has. */
export interface Position {
  /** Whether Ponder calls itself ready, which it does behind the chain, too. */
  ready: boolean;
  /** Newest indexed block. */
  block: string | null;
  /** Newest block of the chain; undefined while no endpoint names it. */
  head: bigint | undefined;
}

/** What a position says. */
export interface Lag {
  /** Whether it is ready, and near a head that is known. */
  ok: boolean;
  /** Set once when it has been behind for a while: whether it comes nearer by itself, as after an outage. */
  news: 'catches up' | 'stands still' | undefined;
}

/** Reports in a row in which it counts as behind before that is news: after a start it is only catching up. */
const reportsBehind = 5;

/**
 * Compares the position of an indexer with the head; more than `mostBehind` blocks are behind. So many beyond the head are as bad: the chain, or what the
 * endpoint knows of it, ends before blocks that are indexed. While no endpoint names the head, nobody knows how far behind the indexer is. The returned function takes each report.
 */
export function createLagWatch(mostBehind: bigint): (position: Position) => Lag {
  const blocks: string[] = [];
  let said: Lag['news'];
  return ({ ready, block, head }) => {
    const distance = head === undefined || block === null ? 0n : head - BigInt(block);
    const isBehind = ready && block !== null && (distance > mostBehind || -distance > mostBehind);
    if (!isBehind) {
      blocks.length = 0;
      said = undefined;
      return { ok: ready && head !== undefined, news: undefined };
    }
    blocks.push(block);
    if (blocks.length > reportsBehind) blocks.shift();
    if (blocks.length < reportsBehind) return { ok: false, news: undefined };
    const now = new Set(blocks).size > 1 ? 'catches up' : 'stands still';
    const news = now === said ? undefined : now;
    said = now;
    return { ok: false, news };
  };
}
