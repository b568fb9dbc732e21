import { useEffect, useSyncExternalStore } from 'react';
import { isSignedOut } from './api-error.ts';
import { queryClient, refetchAll, refetchTopics } from './query-client.ts';
import { sessionQuery } from './session.ts';
import { liveTopics, type Topic } from './topics.ts';

/** Whether what is shown follows what happens. */
export type LiveState = 'connecting' | 'live' | 'reconnecting' | 'database-away';

const shortestBackoffMs = 500;
const longestBackoffMs = 5000;

let state: LiveState = 'connecting';
const listeners = new Set<() => void>();

/** The state of the live stream. */
export function useLiveState(): LiveState {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );
}

/** Follows the live stream while the component is mounted. */
export function useLiveStream(): void {
  useEffect(followLiveStream, []);
}

/**
 * Opens the stream, again after each interruption, and reads again what it reports as changed. The browser would not open it again after
 * an answer such as 503, so this does. Returns what ends it.
 */
function followLiveStream(): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let backoffMs = shortestBackoffMs;
  let wasInterrupted = false;
  let ended = false;

  const open = () => {
    source = new EventSource('/api/live');
    source.addEventListener('open', () => {
      backoffMs = shortestBackoffMs;
      setState('live');
      // Changes during the interruption were missed.
      if (wasInterrupted) void refetchAll();
      wasInterrupted = false;
    });
    source.addEventListener('changed', (event: MessageEvent<string>) => void refetchTopics(topicsOf(event.data)));
    source.addEventListener('database', (event: MessageEvent<string>) => {
      const isAway = event.data === 'away';
      if (!isAway && state === 'database-away') void refetchAll();
      setState(isAway ? 'database-away' : 'live');
    });
    source.addEventListener('error', () => void reopenLater());
  };
  const reopenLater = async () => {
    source?.close();
    wasInterrupted = true;
    setState('reconnecting');
    // Whoever listens to `onSignedOut` hears of it.
    if ((await sessionHasEnded()) || ended) return;
    timer = setTimeout(open, backoffMs);
    backoffMs = Math.min(backoffMs * 2, longestBackoffMs);
  };

  open();
  return () => {
    ended = true;
    clearTimeout(timer);
    source?.close();
  };
}

async function sessionHasEnded(): Promise<boolean> {
  try {
    await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0, retry: false });
    return false;
  } catch (error) {
    return isSignedOut(error);
  }
}

function topicsOf(data: string): Topic[] {
  const names = JSON.parse(data) as unknown;
  return Array.isArray(names) ? liveTopics.filter((topic) => names.includes(topic)) : [];
}

function setState(next: LiveState): void {
  if (next === state) return;
  state = next;
  for (const listener of listeners) listener();
}
