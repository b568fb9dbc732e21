import { sql } from 'kysely';
import { StopError } from '../platform/errors.ts';
import { RateLimited } from '../platform/limits/rate-limiter.ts';
import type { QuotaSettings } from '../platform/settings.ts';
import { quotaLock, takeLock } from './advisory-locks.ts';
import type { Ledger, LedgerTransaction } from './ledger.ts';

/** What is limited, each for one owner: an application or a profile (docs/api.md, Quotas). */
export type Quota = 'addresses' | 'pendingSignatures' | 'subscriptions';

/** Where the limit of a quota stands, what is counted, and what an error says beyond the numbers. */
interface Definition {
  setting: keyof QuotaSettings;
  /** Rows of an owner, of which an index finds as many as the limit and one more. */
  rows: (owner: string) => ReturnType<typeof sql>;
  error: (limit: number) => Error;
}

const definitions: Record<Quota, Definition> = {
  addresses: {
    setting: 'quotaAddresses',
    rows: (profile) => sql`select from addresses where profile = ${profile}`,
    error: (limit) => exceeded('address', `the profile has ${limit} addresses already, which is the most: ask the operator for more`),
  },
  pendingSignatures: {
    setting: 'quotaPendingSignatures',
    rows: (profile) => sql`select from signature_requests where profile = ${profile} and state = 'pending'`,
    // It passes by itself: each request gets a verdict, or expires.
    error: (limit) =>
      new RateLimited(`${limit} signatures of the profile are pending, which is the most: have some of them signed first`, retryAfterMs),
  },
  subscriptions: {
    setting: 'quotaSubscriptions',
    rows: (application) => sql`select from webhook_subscriptions where application = ${application} and state <> 'deleted'`,
    error: (limit) => exceeded('subscriptions', `are ${limit} already, which is the most: change or delete one`),
  },
};

/** After so long a client may try again whose signatures are pending: the verdicts of contracts come within seconds. */
const retryAfterMs = 10_000;

/**
 * Throws when `owner` has more of it than the quota allows, `quota_exceeded`, or `rate_limited` for pending signatures. Called in the
 * transaction that adds a row, after it did: of two that add at once, the second counts the first's. Costs no more than the limit, whatever
 * else there is.
 */
export async function requireWithinQuota(tx: LedgerTransaction, quota: Quota, owner: string): Promise<void> {
  const limit = tx.quotas[definitions[quota].setting];
  if (limit === 0) return;
  await takeLock(tx, quotaLock(quota, owner));
  if ((await countUpTo(tx, quota, owner, limit + 1)) > limit) throw definitions[quota].error(limit);
}

/** Throws as {@link requireWithinQuota} when the quota has no room for another one. Decides nothing: it spares the work before the insertion. */
export async function requireRoom(ledger: Ledger, quota: Quota, owner: string): Promise<void> {
  const limit = ledger.quotas[definitions[quota].setting];
  if (limit > 0 && (await countUpTo(ledger, quota, owner, limit)) >= limit) throw definitions[quota].error(limit);
}

async function countUpTo(ledger: Ledger, quota: Quota, owner: string, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (${definitions[quota].rows(owner)} limit ${most}) counted
  `.execute(ledger);
  return rows[0]?.count ?? 0;
}

function exceeded(field: string, text: string): StopError {
  return new StopError({ code: 'quota_exceeded', message: 'Validation errors', fields: { [field]: text } });
}
