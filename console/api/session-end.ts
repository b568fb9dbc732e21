import { useEffect, useState } from 'react';
import { api } from './client.ts';
import { noticeSignedOut, onSignedOut, queryClient } from './query-client.ts';
import { sessionQuery } from './session.ts';

/** How often the server hears that a person is at the page. */
const useIntervalMs = 60_000;

/** How long before the end the person is warned (WCAG 2.2, 2.2.1 asks for 20 seconds). */
const warningMs = 60_000;

/** While the person is warned, another tab may have been used: how often the server is asked. */
const rereadIntervalMs = 10_000;

const tickMs = 1_000;

/** What a person does: anything else, such as reading again by itself, is no use of the session. */
const uses = ['pointerdown', 'keydown', 'wheel'] as const;

/** How the session stands: open; about to end, for want of use or after its longest time; ended. */
export type SessionState = { is: 'open' | 'ended' } | { is: 'ending'; secondsLeft: number; byUse: boolean };

/** Follows the session of this browser, and keeps it open while a person uses the page. It ends at its limit even when the console does not answer. */
export function useSessionState(): SessionState {
  const [state, setState] = useState<SessionState>({ is: 'open' });
  useEffect(() => followSession(setState), []);
  return state;
}

function followSession(report: (state: SessionState) => void): () => void {
  let usedAt = 0;
  let askedAt = 0;
  let isEnding = false;

  const recordUse = async (event: Event) => {
    const now = Date.now();
    if (!event.isTrusted || (!isEnding && now - usedAt < useIntervalMs)) return;
    const before = usedAt;
    usedAt = now;
    try {
      await api.session.use.$post({}, { headers: { 'content-type': 'application/json' } });
    } catch (error) {
      usedAt = before;
      noticeSignedOut(error);
    }
  };
  const tick = () => {
    const now = Date.now();
    const { idle, end } = endsOfSession(usedAt);
    const left = Math.min(idle, end) - now;
    if (left <= 0) return report({ is: 'ended' });
    if (left <= warningMs) {
      report({ is: 'ending', secondsLeft: Math.ceil(left / 1_000), byUse: idle < end });
      if (now - askedAt >= rereadIntervalMs) {
        askedAt = now;
        void queryClient.fetchQuery({ ...sessionQuery, staleTime: 0, retry: false }).catch(() => undefined);
      }
    } else if (isEnding) report({ is: 'open' });
    isEnding = left <= warningMs;
  };

  const onUse = (event: Event) => void recordUse(event);
  for (const type of uses) window.addEventListener(type, onUse, { capture: true, passive: true });
  const timer = setInterval(tick, tickMs);
  const stopListening = onSignedOut(() => report({ is: 'ended' }));
  return () => {
    for (const type of uses) window.removeEventListener(type, onUse, { capture: true });
    clearInterval(timer);
    stopListening();
  };
}

/** When the session ends without use and at the latest, in milliseconds, by this browser's clock: as the server said last, and by the use since. */
function endsOfSession(usedAt: number): { idle: number; end: number } {
  const { data, dataUpdatedAt } = queryClient.getQueryState(sessionQuery.queryKey) ?? {};
  if (data === undefined || dataUpdatedAt === undefined) return { idle: Infinity, end: Infinity };
  return {
    idle: Math.max(dataUpdatedAt + data.idleSecondsLeft * 1_000, usedAt + data.idleSeconds * 1_000),
    end: dataUpdatedAt + data.secondsLeft * 1_000,
  };
}
