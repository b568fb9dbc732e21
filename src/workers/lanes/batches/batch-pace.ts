/** Legs that go at once in a part of a block's time: with fewer, waiting would hardly save a transaction. */
const legsAtOnce = 16;

/** Transactions that go at once in a part of a block's time: half of what a lane may have in flight. */
const transactionsAtOnce = 8;

/**
 * The part of a block's time after which what was collected goes, so that it is in the coming block. The lane notices a block up to a fifth of that
 * time late.
 */
const closingPart = 0.6;

/** Decides which batches wait for more legs. */
export interface BatchPace {
  /** The lane sends at this head. */
  begin(block: bigint): void;
  /** Whether a batch of the group that is not full goes now. If not, {@link waitMs} says when. */
  mayGo(group: string): boolean;
  /** A batch of the group was sent. */
  sent(group: string, legs: number): void;
  /** Milliseconds until batches that wait may go, if no block comes before. */
  waitMs(): number;
}

/**
 * Creates the pace of a lane. While few orders come, each batch goes at once. When the batches of a group have carried many legs since the newest
 * block, or were many, the next waits for more legs: until most of the block's time has passed, and then until the same part of the next block's time. So
 * a busy lane has one transaction of a group in a block, besides full ones, and no order reaches a later block for it as long as blocks come in time. Its default clock
 * never steps back.
 */
export function createBatchPace(blockTimeSeconds: number, now: () => number = () => performance.now()): BatchPace {
  const blockMs = blockTimeSeconds * 1_000;
  const closingMs = blockMs * closingPart;
  let head: bigint | undefined;
  let since = 0;
  let part = 0;
  let carried = new Map<string, { legs: number; transactions: number }>();
  /** Groups whose batches carried many legs in the part of a block's time before. */
  let busy = new Set<string>();

  /** The parts of a block's time: until it closes, and while no block comes, one after each further block's time. */
  const partNow = () => Math.max(0, Math.floor((now() - since - closingMs) / blockMs) + 1);

  /** A busy group waits until the block's time closes, and then one transaction suffices. */
  const mostAtOnce = (group: string) => {
    if (!busy.has(group)) return transactionsAtOnce;
    return part === 0 ? 0 : 1;
  };

  return {
    begin(block) {
      const isNew = block !== head;
      if (isNew) since = now();
      if (!isNew && partNow() === part) return;
      head = block;
      part = partNow();
      busy = new Set([...carried].flatMap(([group, { legs }]) => (legs >= legsAtOnce ? [group] : [])));
      carried = new Map();
    },
    mayGo(group) {
      const { legs, transactions } = carried.get(group) ?? { legs: 0, transactions: 0 };
      return legs < legsAtOnce && transactions < mostAtOnce(group);
    },
    sent(group, legs) {
      const before = carried.get(group) ?? { legs: 0, transactions: 0 };
      carried.set(group, { legs: before.legs + legs, transactions: before.transactions + 1 });
    },
    waitMs: () => Math.max(0, since + closingMs + part * blockMs - now()),
  };
}
