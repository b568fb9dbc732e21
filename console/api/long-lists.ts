import type { InfiniteData, Query, QueryClient } from '@tanstack/react-query';

/** Parts of a list that are read again with every change. */
const mostLiveParts = 5;

/** Whether a list has so many parts that reading all of them again, one after the other, would take longer than its topic stays the same. */
export function isLongList({ state: { data } }: Query): boolean {
  return isList(data) && data.pages.length > mostLiveParts;
}

const waiting = new Set<string>();

/**
 * Reads a long list again that has changed: its beginning, and what follows when it is scrolled to. Somebody who reads further down keeps the rows as they
 * are, until they are back at the beginning. A list that is not shown is forgotten.
 */
export function readLongListAgain(client: QueryClient, query: Query): void {
  if (!query.isActive()) return client.removeQueries({ queryKey: query.queryKey, exact: true });
  if (!isAtBeginning()) {
    waiting.add(query.queryHash);
    return;
  }
  waiting.delete(query.queryHash);
  client.setQueryData(query.queryKey, (data: unknown) => (isList(data) ? beginningOf(data) : data));
  void client.invalidateQueries({ queryKey: query.queryKey, exact: true });
}

/** Reads the long lists again that have changed meanwhile, whenever the reader is back at the beginning. */
export function followScrolling(client: QueryClient): void {
  const onScroll = () => {
    if (waiting.size === 0 || !isAtBeginning()) return;
    for (const hash of waiting) {
      waiting.delete(hash);
      const query = client.getQueryCache().get(hash);
      if (query) readLongListAgain(client, query);
    }
  };
  window.addEventListener('scroll', onScroll, { passive: true });
}

function isAtBeginning(): boolean {
  return window.scrollY < window.innerHeight;
}

function isList(data: unknown): data is InfiniteData<unknown> {
  return typeof data === 'object' && data !== null && 'pages' in data && 'pageParams' in data;
}

function beginningOf({ pages, pageParams }: InfiniteData<unknown>): InfiniteData<unknown> {
  return { pages: pages.slice(0, mostLiveParts), pageParams: pageParams.slice(0, mostLiveParts) };
}
