import type { Ledger } from '../../ledger/ledger.ts';
import { readChangeCounters } from '../../ledger/operators/change-counters.ts';
import { endedSessions, type SignedInOperator } from '../../ledger/operators/sessions.ts';
import type { Log } from '../../platform/log.ts';
import { RateLimited } from '../../platform/limits/rate-limiter.ts';
import { type Topic, topics } from '../../operations/topics.ts';

/** How often the server looks for changes, once for all browsers. */
const lookIntervalMs = 1_000;

/** Milliseconds after which a database that accepts and does not answer is away, like one that refuses. */
const patienceMs = 5_000;

/** Streams of one console at most, and of one operator: one for each tab. */
const mostStreams = { all: 200, ofOperator: 20 };

/** Milliseconds after which a browser that was turned down may try again. */
const retryMs = 5_000;

/** What a browser is sent: topics that have changed, and whether the database is away. At most one of each waits for it. */
interface LiveNews {
  changed: ReadonlySet<Topic>;
  database: 'away' | 'back' | undefined;
}

/** The stream of one browser. */
interface LiveStream {
  /** What has changed since the last call; waits for it. `undefined` when the stream ends. */
  next(): Promise<LiveNews | undefined>;
  close(): void;
}

/** Tells browsers what has changed. */
export interface Live {
  /** Opens the stream of a session. It ends when the session does. Throws `rate_limited` when there are too many. */
  open(operator: SignedInOperator): LiveStream;
  /** Reports topics at once, which an action of this console has changed. */
  report(changed: readonly Topic[]): void;
}

interface Subscriber {
  operator: SignedInOperator;
  changed: Set<Topic>;
  database: LiveNews['database'];
  isClosed: boolean;
  wake: () => void;
}

/** The tables whose changes change what is shown of a topic. What changes by itself all the time, such as heartbeats, is left out. */
const topicTables: Readonly<Record<Topic, readonly string[]>> = {
  orders: ['orders', 'open_legs', 'leg_history', 'transactions', 'transaction_attempts', 'signature_requests', 'leg_failures'],
  bank: [
    'credits',
    'payments',
    'payment_files',
    'bank_files',
    'bank_debits',
    'bank_statements',
    'claims',
    'reversals',
    'recalls',
    'unknown_payment_statuses',
  ],
  customers: ['profiles', 'profile_sections', 'profile_verifications', 'profile_reviews', 'files', 'addresses', 'address_links', 'ibans'],
  networks: [
    'networks',
    'transactions',
    'transaction_attempts',
    'token_openings',
    'signer_amounts',
    'safe_transactions',
    'safe_signatures',
  ],
  webhooks: ['webhook_subscriptions', 'webhook_deliveries'],
  applications: ['applications'],
  // What operators sign in with shares its tables with customers' users, who change it all the time.
  operators: ['operators', 'operator_invitations'],
  approvals: ['approvals'],
  status: ['reserve_breaches', 'comparisons', 'claims', 'approvals', 'credits', 'payments', 'bank_files', 'profiles'],
};

const tables = [...new Set(Object.values(topicTables).flat())];

/** Looks for changes while a browser is there. */
export function createLive({ ledger, log, closing }: { ledger: Ledger; log: Log; closing: AbortSignal }): Live {
  const subscribers = new Set<Subscriber>();
  const state = { isAway: false, timer: undefined as NodeJS.Timeout | undefined, seen: undefined as Seen | undefined };

  const notify = (subscriber: Subscriber, { changed = [], database }: { changed?: readonly Topic[]; database?: 'away' | 'back' }): void => {
    for (const topic of changed) subscriber.changed.add(topic);
    if (database !== undefined) subscriber.database = database;
    subscriber.wake();
  };
  const broadcast = (news: Parameters<typeof notify>[1]): void => {
    for (const subscriber of subscribers) notify(subscriber, news);
  };
  const end = (subscriber: Subscriber): void => {
    subscriber.isClosed = true;
    subscribers.delete(subscriber);
    subscriber.wake();
  };

  const goAway = (err: unknown): void => {
    if (!state.isAway) log.warn({ err }, 'the console cannot read the database');
    state.isAway = true;
    broadcast({ database: 'away' });
  };
  const look = async (): Promise<void> => {
    const silent = setTimeout(() => goAway(`no answer within ${patienceMs} ms`), patienceMs);
    try {
      const ended = await endedSessions(
        ledger,
        [...subscribers].map(({ operator }) => operator),
      );
      for (const subscriber of subscribers) if (ended.has(subscriber.operator.session)) end(subscriber);
      const seen: Seen = await readChangeCounters(ledger, tables);
      const changed = state.isAway ? topics : changedTopics(state.seen, seen);
      state.seen = seen;
      if (state.isAway) broadcast({ changed, database: 'back' });
      else if (changed.length > 0) broadcast({ changed });
      state.isAway = false;
    } catch (error) {
      goAway(error);
    } finally {
      clearTimeout(silent);
    }
  };
  const run = async (): Promise<void> => {
    await look();
    state.timer = undefined;
    if (subscribers.size > 0 && !closing.aborted) state.timer = setTimeout(() => void run(), lookIntervalMs);
    // Nobody compares with what is old: whoever comes reads everything.
    else state.seen = undefined;
  };
  closing.addEventListener('abort', () => {
    clearTimeout(state.timer);
    for (const subscriber of subscribers) end(subscriber);
  });

  return {
    open(operator) {
      const own = [...subscribers].filter((other) => other.operator.name === operator.name).length;
      if (subscribers.size >= mostStreams.all || own >= mostStreams.ofOperator)
        throw new RateLimited('So many pages of the console are open that no more follow what happens', retryMs);
      const subscriber: Subscriber = {
        operator,
        changed: new Set(),
        database: state.isAway ? 'away' : undefined,
        isClosed: false,
        wake() {},
      };
      subscribers.add(subscriber);
      if (subscribers.size === 1 && state.timer === undefined) state.timer = setTimeout(() => void run(), 0);
      return { next: () => nextNews(subscriber), close: () => end(subscriber) };
    },
    report: (changed) => broadcast({ changed }),
  };
}

type Seen = Awaited<ReturnType<typeof readChangeCounters>>;

/** The topics of which a table has changed; none at the first look. */
function changedTopics(before: Seen | undefined, now: Seen): Topic[] {
  if (before === undefined) return [];
  const hasChanged = (table: string) => before.counts.get(table) !== now.counts.get(table);
  return topics.filter((topic) => topicTables[topic].some(hasChanged) || (topic === 'orders' && before.newestEvent !== now.newestEvent));
}

async function nextNews(subscriber: Subscriber): Promise<LiveNews | undefined> {
  while (!subscriber.isClosed && subscriber.changed.size === 0 && subscriber.database === undefined) {
    const { promise, resolve } = Promise.withResolvers<void>();
    subscriber.wake = resolve;
    await promise;
  }
  if (subscriber.isClosed) return undefined;
  const { changed, database } = subscriber;
  subscriber.changed = new Set();
  subscriber.database = undefined;
  return { changed, database };
}
