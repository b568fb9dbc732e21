import type { Hex } from 'viem';
import { type AgreedMarket, type MarketDeps, readAgreedMarket, readMarket } from './agreed-market.ts';
import type { Head } from './head.ts';

/** The market of a network, read once for each head, whichever lane asks first: a base fee changes with blocks. */
export interface MarketReader {
  /** For a new transaction ({@link readMarket}). Throws what the node throws, and reads again at the next call. */
  forNew(): Promise<AgreedMarket>;
  /** For a transaction that is in no block ({@link readAgreedMarket}). Throws what the node throws, and reads again at the next call. */
  forUnmined(): Promise<AgreedMarket>;
}

/** Creates a reader that has read nothing. */
export function createMarketReader(deps: MarketDeps & { head: Pick<Head, 'block'> }): MarketReader {
  return { forNew: oncePerHead(deps.head, () => readMarket(deps)), forUnmined: oncePerHead(deps.head, () => readAgreedMarket(deps)) };
}

function oncePerHead<T>(head: Pick<Head, 'block'>, read: () => Promise<T>): () => Promise<T> {
  let last: { hash: Hex | undefined; answer: Promise<T> } | undefined;
  return () => {
    const hash = head.block()?.hash;
    if (last !== undefined && hash !== undefined && last.hash === hash) return last.answer;
    const current = { hash, answer: read() };
    last = current;
    current.answer.catch(() => {
      if (last === current) last = undefined;
    });
    return current.answer;
  };
}
