import { useSyncExternalStore } from 'react';

const tickMs = 1000;

let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

/** The present time in milliseconds, as it passes in steps of this size; one timer serves all that show it. */
export function useNow(stepMs: number): number {
  return useSyncExternalStore(subscribe, () => now - (now % stepMs));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, tickMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}
