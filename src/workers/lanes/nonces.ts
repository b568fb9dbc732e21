import type { OpenTransaction } from '../../ledger/lanes/unmined-transactions.ts';

/** Free nonces that are filled at once: as many transactions as go-ethereum's pool keeps for one account without conditions. */
export const widestGap = 16;

/** Which nonces of a lane are free: what the chain has used, and what the ledger's live transactions hold from there on. */
export interface Nonces {
  /** How many nonces of the signer the chain has used: the first that is free there. */
  count(): bigint;
  /** Nonce of the next transaction: the lowest that the chain has not used and no live transaction holds. */
  next(): bigint;
  /** A transaction was recorded. */
  take(transaction: OpenTransaction): void;
  /** The transactions that were recorded since the last update, in the order of their nonces. */
  taken(): OpenTransaction[];
  /** How many live transactions wait to be mined. */
  inFlight(): number;
  /** The lowest free nonces below a live one, at most {@link widestGap}: until they are used, nothing above them can be mined. */
  gaps(): bigint[];
  /** The lowest live nonce above more free ones than are filled; undefined when there is none. */
  outOfReach(): bigint | undefined;
  /** Begins again from the chain's count and the nonces of the live transactions that are not below it. */
  update(count: bigint, live: Iterable<bigint>): void;
}

/** Creates the nonces of a lane; until they are updated, the chain has used none and no transaction is live. */
export function createNonces(): Nonces {
  let count = 0n;
  let live = new Set<bigint>();
  let taken: OpenTransaction[] = [];
  return {
    count: () => count,
    next() {
      let nonce = count;
      while (live.has(nonce)) nonce += 1n;
      return nonce;
    },
    take(transaction) {
      live.add(transaction.nonce);
      taken.push(transaction);
    },
    taken: () => taken.toSorted((a, b) => (a.nonce < b.nonce ? -1 : 1)),
    inFlight: () => live.size,
    gaps() {
      const highest = ascending(live).at(-1) ?? 0n;
      const gaps: bigint[] = [];
      for (let nonce = count; nonce < highest && gaps.length < widestGap; nonce += 1n) if (!live.has(nonce)) gaps.push(nonce);
      return gaps;
    },
    outOfReach: () => ascending(live).find((nonce, below) => nonce - count - BigInt(below) > widestGap),
    update(newCount, newLive) {
      count = newCount;
      taken = [];
      live = new Set([...newLive].filter((nonce) => nonce >= newCount));
    },
  };
}

function ascending(nonces: Iterable<bigint>): bigint[] {
  return [...nonces].toSorted((a, b) => (a < b ? -1 : 1));
}
