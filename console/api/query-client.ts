import { MutationCache, type Query, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, isSignedOut } from './api-error.ts';
import { followScrolling, isLongList, readLongListAgain } from './long-lists.ts';
import { liveTopics, type Topic } from './topics.ts';

const retries = 3;
const retryIntervalMs = 1000;

const signedOutListeners = new Set<() => void>();

/** Calls a function whenever an answer says that the session has ended. Returns what ends that. */
export function onSignedOut(listener: () => void): () => void {
  signedOutListeners.add(listener);
  return () => void signedOutListeners.delete(listener);
}

/** Says that the session has ended, when an error is about that. */
export function noticeSignedOut(error: unknown): void {
  if (isSignedOut(error)) for (const listener of signedOutListeners) listener();
}

/**
 * The cache of what the pages show. A query's key begins with its topic, such as `['orders', filter]`; a query that depends on
 * several names them in `meta.topics`. What the live stream reports as changed is read again (console/README.md).
 */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeSignedOut }),
  mutationCache: new MutationCache({ onError: noticeSignedOut }),
  defaultOptions: {
    queries: {
      // The live stream says when something changes; this is for what no topic covers.
      staleTime: 30_000,
      retry: (failures, error) => isTransient(error) && failures < retries,
      retryDelay: retryIntervalMs,
      refetchOnWindowFocus: (query) => !isLongList(query),
      // A console on a laptop without internet may still reach a console on the same machine.
      networkMode: 'always',
    },
    mutations: { networkMode: 'always', retry: false },
  },
});

followScrolling(queryClient);

/** Reads again whatever is shown of these topics. */
export async function refetchTopics(topics: readonly Topic[]): Promise<void> {
  const changed = new Set<unknown>(topics);
  const isChanged = ({ queryKey, meta }: Query) => {
    const others = Array.isArray(meta?.['topics']) ? (meta['topics'] as unknown[]) : [];
    return [queryKey[0], ...others].some((topic) => changed.has(topic));
  };
  for (const query of queryClient.getQueryCache().findAll({ predicate: (cached) => isChanged(cached) && isLongList(cached) }))
    readLongListAgain(queryClient, query);
  await queryClient.invalidateQueries({ predicate: (query) => isChanged(query) && !isLongList(query) });
}

/** Reads again whatever is shown: after a time in which changes may have been missed. */
export async function refetchAll(): Promise<void> {
  await refetchTopics(liveTopics);
}

function isTransient(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status >= 500;
}
