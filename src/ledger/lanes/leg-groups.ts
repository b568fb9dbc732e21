import { type RawBuilder, sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import type { Currency } from '../../platform/money.ts';
import type { Ledger } from '../ledger.ts';
import type { LegSigner } from '../../schema/states.ts';
import { waits } from './account-waits.ts';

/** Legs that may travel in one batch: of one kind and currency, and of accounts that can do the same to a batch. */
export interface LegGroup {
  kind: 'issue' | 'redeem';
  currency: Currency;
  /** Redemptions signed by contracts travel alone: a contract may spend its whole stipend, whatever an estimate says. */
  signedBy: LegSigner;
  /** Whether a batch with them has reverted or was cancelled. They travel in smaller batches of their own, so that they hold up no others. */
  isRetry: boolean;
}

/** The name of a group, such as `redeem eur contract`. */
export function groupName({ kind, currency, signedBy, isRetry }: LegGroup): string {
  return [kind, currency, ...(signedBy === 'nobody' ? [] : [signedBy]), ...(isRetry ? ['retry'] : [])].join(' ');
}

/** SQL: whether a lane may claim the open leg `l`. */
export const isClaimable: RawBuilder<boolean> = sql`l.claim_state = 'ready'`;

/**
 * SQL: whether the leg `l` may get a sequence number. It may not while the chain has issues of the currency that this ledger does not know, because
 * it may be one of them; nor when a chain has an issue under its order's id, unless an operator, who knew the order, has said that it is another's
 * (docs/restore.md, What stops). Nor may it when the bank has taken its credit back and only the end of a recovery shows whether it was issued.
 * `offset 0` keeps each a lookup of its own: as a join, the planner might read all ready legs for it.
 */
export const isIssuable: RawBuilder<boolean> = sql`(
  l.kind <> 'issue' or not exists (
    select from unrecorded_outcomes u where u.state = 'open' and u.kind = 'issue' and u.chain = l.chain and u.currency = l.currency offset 0)
  and not exists (
    select from unrecorded_outcomes u where u.order_id = l.order_id and u.kind = 'issue'
      and (u.state = 'open' or (u.state = 'set_aside' and u.decided_at < l.created_at)) offset 0)
  and not (exists (select from claims where state = 'pending') and exists (
    select from credits c join claims k on k.credit = c.reference and k.state = 'pending'
    where c.order_id = l.order_id and not exists (select from leg_failures f where f.leg = l.id and f.transaction is not null) offset 0)))`;

/** SQL: whether a comparison of a currency has a breach that nobody has acknowledged. */
export function hasBreach(currency: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`exists (select from reserve_breaches b where b.currency = ${currency} and b.acknowledged_at is null)`;
}

/** The groups of {@link readyGroups}. */
export async function listReadyGroups(ledger: Ledger, chain: Chain, currencies: readonly Currency[]): Promise<LegGroup[]> {
  return (await readyGroups(chain, currencies).execute(ledger)).rows;
}

/**
 * SQL of the groups of a chain that have a claimable leg. Accounts that wait count, too. Nothing is issued of a currency whose
 * reserve has a breach. Costs an index lookup for each possible group.
 */
export function readyGroups(chain: Chain, currencies: readonly Currency[]): RawBuilder<LegGroup> {
  return sql<LegGroup>`
    select g.kind, c.currency, g.signed_by, r.is_retry
    from (values ('issue', 'nobody'), ('redeem', 'key'), ('redeem', 'contract')) g (kind, signed_by)
    cross join unnest(${currencies}::text[]) c (currency)
    cross join (values (false, 0, 0), (true, 1, 32767)) r (is_retry, lowest, highest)
    cross join lateral (
      select from open_legs l
      where l.chain = ${chain} and l.kind = g.kind and l.signed_by = g.signed_by and l.currency = c.currency
        and l.batch_limit between r.lowest and r.highest and ${isClaimable}
      order by l.batch_limit limit 1
    ) l
    where g.kind = 'redeem' or not ${hasBreach(sql`c.currency`)}
      and c.currency not in (select currency from unrecorded_outcomes where state = 'open' and kind = 'issue' and chain = ${chain})`;
}

/** Whether a group has at least so many claimable legs. Costs as many index entries. */
export async function hasReadyLegs(ledger: Ledger, chain: Chain, { kind, currency, signedBy }: LegGroup, count: number): Promise<boolean> {
  const { rows } = await sql<{ isFull: boolean }>`
    select count(*) >= ${count} as is_full from (
      select from open_legs l
      where l.chain = ${chain} and l.kind = ${kind} and l.signed_by = ${signedBy} and l.currency = ${currency}
        and l.batch_limit = 0 and ${isClaimable}
      limit ${count}
    ) l
  `.execute(ledger);
  return rows[0]?.isFull === true;
}

/** A part of the contract accounts that have claimable redemptions, in the order of their addresses. */
export interface AccountTurn {
  /** Those that do not wait. */
  accounts: LowerAddress[];
  /** The last that was looked at; null when none is left behind it. */
  last: LowerAddress | null;
}

/** Accounts that are looked at in one turn, those that wait included. */
const accountsAtOnce = 200;

/**
 * The contract accounts behind `after` that have claimable redemptions of a currency, at most `limit` that do not wait. Each is found by one index
 * lookup, however many redemptions it has.
 */
export async function nextContractAccounts(
  ledger: Ledger,
  { chain, currency, after, block, limit }: { chain: Chain; currency: Currency; after: string; block: bigint; limit: number },
): Promise<AccountTurn> {
  const firstBehind = (account: RawBuilder<unknown>) => sql`(
    select l.account from open_legs l
    where l.chain = ${chain} and l.kind = 'redeem' and l.signed_by = 'contract' and l.currency = ${currency} and l.turn > ${account}
      and l.batch_limit = 0 and ${isClaimable}
    order by l.turn limit 1)`;
  const { rows } = await sql<{ account: LowerAddress; waits: boolean }>`
    with recursive turns (account, number) as (
      select ${firstBehind(sql`${after}::text`)}, 1
      union all
      select ${firstBehind(sql`t.account`)}, t.number + 1 from turns t where t.account is not null and t.number < ${accountsAtOnce}
    )
    select l.account, ${waits(block)} as waits from (select ${chain}::text as chain, account from turns where account is not null) l
    order by l.account
  `.execute(ledger);
  const accounts: LowerAddress[] = [];
  for (const [index, row] of rows.entries()) {
    if (!row.waits) accounts.push(row.account);
    const isLast = index === rows.length - 1 && rows.length < accountsAtOnce;
    if (isLast) return { accounts, last: null };
    if (accounts.length === limit) return { accounts, last: row.account };
  }
  return { accounts, last: rows.at(-1)?.account ?? null };
}
