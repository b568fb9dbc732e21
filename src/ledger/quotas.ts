import { type RawBuilder, sql } from 'kysely';
import { StopError } from '../platform/errors.ts';
import { RateLimited } from '../platform/limits/rate-limiter.ts';
import type { QuotaSettings } from '../platform/settings.ts';
import { quotaLock, takeLock } from './advisory-locks.ts';
import type { Ledger, LedgerTransaction } from './ledger.ts';

/** What is limited, each for one owner: an application, a profile or a user (docs/api.md, Quotas). */
export type Quota = keyof typeof definitions;

interface Definition {
  setting: keyof QuotaSettings;
  /** The most whatever the setting, unless that is no limit. */
  most?: number;
  /** A query for how much an owner has, as `used`; it may stop at `most`. Its cost does not grow with anything else. */
  used: (owner: string, most: number) => RawBuilder<{ used: number }>;
  error: (limit: number) => Error;
}

/** After so long a client may try again whose signatures are pending: the verdicts of contracts come within seconds. */
const retryAfterMs = 10_000;

const askOperator = 'ask the operator for more';

/** Whether the signature signs a user in and creates nothing. */
const signsIn = sql`coalesce((draft ->> 'signsIn')::boolean, false)`;

/** Addresses that a profile may wait for before an operator has approved it: anybody can have such profiles, and each wait is looked for in every block. */
const linksBeforeApproval = 3;

const definitions = {
  profiles: {
    setting: 'profiles',
    used: (application) => counted('profiles', application),
    error: (limit) => exceeded('profiles', `are ${limit} already, which is the most of an application: ${askOperator}`),
  },
  addresses: {
    setting: 'addresses',
    used: (profile, most) =>
      sql`select count(*)::int as used from (select from addresses where profile = ${profile} limit ${most}) counted`,
    error: (limit) => exceeded('address', `the profile has ${limit} addresses already, which is the most: ${askOperator}`),
  },
  pendingSignatures: {
    setting: 'pendingSignatures',
    used: (profile, most) => sql`
      select count(*)::int as used
      from (select from signature_requests where profile = ${profile} and state = 'pending' and not ${signsIn} limit ${most}) counted`,
    // It passes by itself: each request gets a verdict, or expires.
    error: (limit) =>
      new RateLimited(`${limit} signatures of the profile are pending, which is the most: have some of them signed first`, retryAfterMs),
  },
  pendingLinksBeforeApproval: {
    setting: 'pendingSignatures',
    most: linksBeforeApproval,
    used: (profile, most) => sql`
      select count(*)::int as used from (
        select from signature_requests r join profiles p on p.id = r.profile
        where r.profile = ${profile} and p.state <> 'approved' and r.state = 'pending' and r.kind = 'linkAddress' and not ${signsIn} limit ${most}
      ) counted`,
    error: (limit) =>
      new RateLimited(
        `${limit} links of the profile wait for signatures, which is the most before it is approved: have one of them signed first`,
        retryAfterMs,
      ),
  },
  // Apart from the others: anybody may send a sign-in message in the name of an account, and must not use up what its owner needs.
  pendingSignIns: {
    setting: 'pendingSignatures',
    used: (profile, most) => sql`
      select count(*)::int as used
      from (select from signature_requests where profile = ${profile} and state = 'pending' and ${signsIn} limit ${most}) counted`,
    error: (limit) => new RateLimited(`${limit} sign-ins by accounts of the profile are pending, which is the most`, retryAfterMs),
  },
  files: {
    setting: 'files',
    used: (application) => counted('files', application),
    error: (limit) => exceeded('file', `the application has uploaded ${limit} files already, which is the most: ${askOperator}`),
  },
  fileMegabytes: {
    setting: 'fileMegabytes',
    used: (application) => megabytes('files', application),
    error: (limit) => exceeded('file', `the application has uploaded ${limit} MB already, which is the most: ${askOperator}`),
  },
  userFiles: {
    setting: 'userFiles',
    used: (user) => counted('user_files', user),
    error: (limit) => exceeded('file', `the user has uploaded ${limit} files already, which is the most: ${askOperator}`),
  },
  userFileMegabytes: {
    setting: 'userFileMegabytes',
    used: (user) => megabytes('user_files', user),
    error: (limit) => exceeded('file', `the user has uploaded ${limit} MB already, which is the most: ${askOperator}`),
  },
  subscriptions: {
    setting: 'subscriptions',
    used: (application, most) => sql`
      select count(*)::int as used
      from (select from webhook_subscriptions where application = ${application} and state <> 'deleted' limit ${most}) counted`,
    error: (limit) => exceeded('subscriptions', `are ${limit} already, which is the most: change or delete one`),
  },
} as const satisfies Record<string, Definition>;

/**
 * Throws when `owner` has more than the quota allows: `quota_exceeded`, or `rate_limited` for pending signatures and sign-ins. Called in the transaction
 * that adds a row, after it did: of two that add at once, the second counts the first's.
 */
export async function requireWithinQuota(tx: LedgerTransaction, quota: Quota, owner: string): Promise<void> {
  const { setting, most = Infinity, error }: Definition = definitions[quota];
  const limit = Math.min(tx.quotas[setting], most);
  if (limit === 0) return;
  await takeLock(tx, quotaLock(quota, owner));
  if ((await usedOf(tx, quota, owner, limit + 1)) > limit) throw error(limit);
}

/** Throws as {@link requireWithinQuota} when there is no room for more. Decides nothing: it spares the work before the insertion. */
export async function requireRoom(ledger: Ledger, quota: Quota, owner: string): Promise<void> {
  const { setting, most = Infinity, error }: Definition = definitions[quota];
  const limit = Math.min(ledger.quotas[setting], most);
  if (limit > 0 && (await usedOf(ledger, quota, owner, limit)) >= limit) throw error(limit);
}

async function usedOf(ledger: Ledger, quota: Quota, owner: string, most: number): Promise<number> {
  const { used }: Definition = definitions[quota];
  return (await used(owner, most).execute(ledger)).rows[0]?.used ?? 0;
}

/** By the counter that triggers keep. */
function counted(quota: string, owner: string): RawBuilder<{ used: number }> {
  return sql`select count::int as used from quota_usage where quota = ${quota} and owner = ${owner}`;
}

function megabytes(quota: string, owner: string): RawBuilder<{ used: number }> {
  return sql`select bytes / 1048576.0::float8 as used from quota_usage where quota = ${quota} and owner = ${owner}`;
}

function exceeded(field: string, text: string): StopError {
  return new StopError({ code: 'quota_exceeded', message: 'Validation errors', fields: { [field]: text } });
}
