import { shouldThrow } from 'viem';
import type { Call } from './chain-of-answer.ts';
import type { EndpointHealth } from './endpoint-health.ts';
import { isInternalError, noEndpointOfChain, OtherChainError } from './outages.ts';

/** An endpoint, and what is known of it; by default nothing. */
export interface Asked {
  health?: EndpointHealth | undefined;
}

/**
 * How many times as long as usual an answer is waited for before the next endpoint is asked too, and the bounds of that in milliseconds. What takes long by its
 * nature is waited for somewhat longer than usual, because asking twice for each would use up twice as much of what providers allow.
 */
const patience = { times: 3, least: 400, most: 1_500, timesOfLong: 1.5 };

/** How many times as long as at the quickest endpoint an answer takes at a slow one, and milliseconds that are never slow. */
const slow = { times: 3, least: 250 };

/**
 * The answer of the first endpoint that has one. They are asked in their order, those that are slow, behind or failing last: the next
 * when one fails, and also when one takes long, so that a slow one is not waited for. Throws what the last of them throws when none answers, or what
 * `failureOf` chooses; at once when a node says that the transaction or the call is at fault. Who answers with an internal error what another one answers is asked
 * last for the method.
 */
export async function firstAnswer<E extends Asked, Answer>(
  endpoints: readonly E[],
  call: Call,
  ask: (endpoint: E) => Promise<Answer>,
  failureOf: (failures: readonly unknown[]) => unknown = (failures) => failures.at(-1),
): Promise<Answer> {
  const order = inOrder(endpoints, call.method);
  let askedCount = 0;
  const tryOthers = () => {
    for (const endpoint of endpoints)
      if (!order.slice(0, askedCount).includes(endpoint) && placeOf(endpoint, endpoints, call.method) > 0)
        endpoint.health?.tryAgain(call, () => ask(endpoint));
  };
  if (order.length === 0) {
    tryOthers();
    throw noEndpointOfChain();
  }
  const failures: unknown[] = [];
  const open = new Set<Promise<{ answer: Answer } | undefined>>();
  const askNext = (endpoint: E, place: number) => {
    const attempt = ask(endpoint).then(
      (answer) => ({ answer }),
      (error: unknown) => {
        open.delete(attempt);
        failures[place] = error;
        if (shouldThrow(error as Error)) throw error;
        return undefined;
      },
    );
    // What fails when another has answered is of no use.
    attempt.catch(() => {});
    open.add(attempt);
  };
  for (;;) {
    const next = order[askedCount];
    if (next !== undefined) askNext(next, askedCount);
    else if (open.size === 0) {
      tryOthers();
      throw failureOf(failures);
    }
    askedCount += 1;
    const ended = await endOf(open, askedCount < order.length ? patienceFor(next, call.method) : undefined);
    if (ended === undefined) continue;
    noteInternalErrors(order, failures, call.method);
    tryOthers();
    return ended.answer;
  }
}

/** `failures` are those of the endpoints, at their places; where there is none, the endpoint was not asked, has answered or still may. */
function noteInternalErrors(order: readonly Asked[], failures: readonly unknown[], method: string): void {
  for (const [place, failure] of failures.entries()) if (isInternalError(failure)) order[place]?.health?.failures.note(method, failure);
}

/** The endpoints in the order in which they are asked for a method: none of another chain, and one that rests only where all do, because it answers nothing. */
export function inOrder<E extends Asked>(endpoints: readonly E[], method: string): E[] {
  const ofChain = endpoints.filter(({ health }) => !(health?.rest()?.failure instanceof OtherChainError));
  const awake = ofChain.filter(({ health }) => health?.rest() === undefined);
  if (awake.length === 0) return ofChain;
  const places = new Map(awake.map((endpoint) => [endpoint, placeOf(endpoint, awake, method)]));
  return awake.toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
}

/** 0 for an endpoint that is well; the higher, the later it is asked. */
function placeOf(endpoint: Asked, all: readonly Asked[], method: string): number {
  const { health } = endpoint;
  if (health === undefined) return 0;
  if (health.rest() !== undefined) return 4;
  if (health.failures.has(method)) return 3;
  if (health.behind() !== undefined) return 2;
  const quickest = Math.min(...all.flatMap((other) => (other === endpoint ? [] : (other.health?.usualMs(method) ?? []))));
  return (health.usualMs(method) ?? 0) > Math.max(slow.least, quickest * slow.times) ? 1 : 0;
}

function patienceFor(endpoint: Asked | undefined, method: string): number {
  const usual = endpoint?.health?.usualMs(method) ?? 0;
  return Math.max(Math.min(usual * patience.times, patience.most), usual * patience.timesOfLong, patience.least);
}

/** What the first of the attempts that ends comes to; undefined when it failed, or after so many milliseconds. */
async function endOf<Ended>(attempts: Iterable<Promise<Ended | undefined>>, milliseconds: number | undefined): Promise<Ended | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    if (milliseconds !== undefined) timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  try {
    return await Promise.race([...attempts, late]);
  } finally {
    clearTimeout(timer);
  }
}
