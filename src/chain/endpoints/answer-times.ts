import { TimeoutError } from 'viem';
import { requestTimeoutMs } from './observed-http.ts';
import { isRefusal } from './outages.ts';

/** How long an endpoint takes to answer. */
export interface AnswerTimes {
  /** Sends a request and waits for its answer. Throws a `TimeoutError` when nothing at all is answered for some seconds. */
  measure<Answer>(method: string, request: () => Promise<Answer>): Promise<Answer>;
  /** Milliseconds that a method usually takes, and at least as many as a request waits already; undefined while nothing is known. */
  usual(method: string): number | undefined;
  /** Whether a method was not asked for in the last seconds, and no request of it is under way. */
  isDue(method: string): boolean;
  /** When it last answered anything, in milliseconds. */
  answeredAt(): number;
  /** The method whose every answer has been slow for the longest time; undefined when none lasts. */
  slow(): SlowMethod | undefined;
}

/** A method that is answered slowly, since when in milliseconds, and how many milliseconds it takes. */
export interface SlowMethod {
  method: string;
  since: number;
  milliseconds: number;
}

/** The weight of the newest answer in the usual time of a method. */
const newestWeight = 0.3;

/** An endpoint that answers nothing for this long does not answer. One that took longer before is waited for twice as long as that. */
const silentMs = 5_000;

/** These may take long where everything else is answered at once. */
const longMethods = new Set(['eth_getLogs']);

/** Nodes answer in a fraction of this, also across an ocean; `ofLong` is for what takes long by its nature. */
const slowMs = { usual: 750, ofLong: 10_000 };

/** So many slow answers in a row, or a single one, over so many milliseconds, are no accident of a busy moment. */
const lasting = { answers: 3, ms: 10_000 };

const dueMs = 10_000;

/** What was measured so long ago says nothing of the endpoint as it is. */
const forgottenMs = 60_000;

/** What all methods take that do not take long. */
const anyMethod = '';

const slowFrom = (method: string) => (longMethods.has(method) ? slowMs.ofLong : slowMs.usual);

/** Begins without any answer. `waitsForSilent` says to wait for a silent endpoint for as long as a request may take at all: there is no other. */
export function createAnswerTimes({
  waitsForSilent = false,
  now = Date.now,
}: { waitsForSilent?: boolean; now?: () => number } = {}): AnswerTimes {
  const methods = new Map<string, Times>();
  /** When each method was asked for last. */
  const askedAt = new Map<string, number>();
  /** Requests that are under way, the oldest first. */
  const open = new Map<symbol, { method: string; since: number }>();
  let answeredAt = -Infinity;

  const known = (method: string) => {
    const times = methods.get(method);
    return times !== undefined && now() - times.at < forgottenMs ? times : undefined;
  };

  const note = (method: string, startedAt: number) => {
    const milliseconds = now() - startedAt;
    const { usual = milliseconds, slow } = known(method) ?? {};
    methods.set(method, {
      usual: usual + (milliseconds - usual) * newestWeight,
      at: now(),
      slow: milliseconds < slowFrom(method) ? undefined : { since: slow?.since ?? startedAt, answers: (slow?.answers ?? 0) + 1 },
    });
  };

  const noteAnswer = (method: string, startedAt: number) => {
    note(method, startedAt);
    if (!longMethods.has(method)) note(anyMethod, startedAt);
  };

  const longestSilence = (method: string) =>
    waitsForSilent || longMethods.has(method)
      ? requestTimeoutMs
      : Math.min(Math.max(silentMs, (known(method)?.usual ?? 0) * 2), requestTimeoutMs);

  /** While it answers something else, only the method is slow, and the transport ends the request. */
  const unlessSilent = async <Answer>(method: string, startedAt: number, answer: Promise<Answer>): Promise<Answer> => {
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(() => answeredAt <= startedAt && reject(new TimeoutError({ body: {}, url: '' })), longestSilence(method));
    });
    // It may still fail when nobody waits for it any more.
    answer.catch(() => {});
    try {
      return await Promise.race([answer, silence]);
    } finally {
      clearTimeout(timer);
    }
  };

  const oldestOpen = (isMeant: (request: { method: string; since: number }) => boolean) =>
    [...open.values()].find((request) => isMeant(request))?.since ?? Infinity;

  const slowFor = (method: string): SlowMethod[] => {
    const times = known(method);
    const openSince = oldestOpen((request) => request.method === method);
    const openMs = now() - openSince;
    const isOpen = openMs >= slowFrom(method);
    const since = Math.min(times?.slow?.since ?? Infinity, isOpen ? openSince : Infinity);
    const lastMs = (isOpen ? now() : (times?.at ?? 0)) - since;
    const isCertain = openMs >= lasting.ms || (times?.slow?.answers ?? 0) >= lasting.answers;
    return isCertain && lastMs >= lasting.ms ? [{ method, since, milliseconds: Math.max(times?.usual ?? 0, openMs) }] : [];
  };

  return {
    async measure(method, request) {
      const id = Symbol(method);
      const startedAt = now();
      open.set(id, { method, since: startedAt });
      askedAt.set(method, startedAt);
      try {
        const answer = await unlessSilent(method, startedAt, request());
        answeredAt = now();
        noteAnswer(method, startedAt);
        return answer;
      } catch (error) {
        // A node that refuses answers.
        if (isRefusal(error)) answeredAt = now();
        if (isRefusal(error) || error instanceof TimeoutError) noteAnswer(method, startedAt);
        throw error;
      } finally {
        open.delete(id);
      }
    },
    usual(method) {
      const usual = (known(method) ?? known(anyMethod))?.usual;
      const openMs = now() - oldestOpen((request) => request.method === method || request.since >= answeredAt);
      return usual === undefined && openMs < 0 ? undefined : Math.max(usual ?? 0, openMs);
    },
    answeredAt: () => answeredAt,
    isDue: (method) =>
      now() - (askedAt.get(method) ?? -Infinity) >= dueMs && oldestOpen((request) => request.method === method) === Infinity,
    slow() {
      const named = new Set([...methods.keys(), ...[...open.values()].map(({ method }) => method)]);
      const slow = [...named].filter((method) => method !== anyMethod).flatMap(slowFor);
      return slow.toSorted((a, b) => a.since - b.since)[0];
    },
  };
}

/** The usual time of a method, when it was last answered, and since when every answer is slow. */
interface Times {
  usual: number;
  at: number;
  slow: { since: number; answers: number } | undefined;
}
