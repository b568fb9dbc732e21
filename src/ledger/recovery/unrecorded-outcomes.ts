import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import { unitsPerMinorUnit } from '../units-in-sql.ts';
import { type Currency, type MinorUnits, minorUnits } from '../../platform/money.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import type { IndexedOutcome } from '../lanes/decided-legs.ts';
import { numbersSkipped } from '../lanes/renumber-legs.ts';
import type { LedgerTables } from '../../schema/tables.ts';
import { beginRecovery } from '../recoveries.ts';
import { findSameIssues, isUndecided, type SameIssue } from './same-issues.ts';

/** An outcome of a transaction that this ledger has not recorded. */
type UnrecordedOutcome = Selectable<LedgerTables['unrecordedOutcomes']>;

/** The outcomes among some ids, by their ids. */
export async function findOutcomes(ledger: Ledger, ids: readonly string[]) {
  return ledger
    .selectFrom('unrecordedOutcomes')
    .where('id', 'in', [...ids])
    .orderBy('id')
    .select(['id', 'kind', 'amount', 'currency', 'account', 'chain', 'txHash', 'orderId'])
    .execute();
}

/** What the calldata of a redemption says. */
export interface SignedMessage {
  message: string;
  signature: string;
}

/** Which outcomes are looked at, and how many are returned at most. */
export interface AuditFilter {
  chain: Chain;
  /** Token contract of each currency on the chain. */
  tokens: Partial<Record<Currency, string>>;
  /** SQL of a relation with the outcomes that are looked at, in the columns of {@link IndexedOutcome}. */
  outcomes: RawBuilder<unknown>;
  limit: number;
}

/**
 * Finds outcomes of transactions that this ledger has not recorded, the oldest first. A refused redemption is none: it moved nothing, and its
 * message decides about it.
 */
export async function findUnrecordedOutcomes(ledger: Ledger, { limit, ...filter }: AuditFilter): Promise<IndexedOutcome[]> {
  const { rows } = await sql<IndexedOutcome>`
    select o.kind, o.tx_hash, o.block_number, o.token, o.order_id, o.account, o.amount::text as amount, o.sequence::text as sequence,
      o.message_hash, o.refused
    from ${filter.outcomes} o where ${isUnrecorded(filter)}
    order by o.block_number limit ${limit}
  `.execute(ledger);
  return rows;
}

/** SQL: whether {@link findUnrecordedOutcomes} finds any. */
export function hasUnrecordedOutcomes(filter: Omit<AuditFilter, 'limit'>): RawBuilder<boolean> {
  return sql<boolean>`exists (select from ${filter.outcomes} o where ${isUnrecorded(filter)})`;
}

function isUnrecorded({ chain, tokens }: Omit<AuditFilter, 'limit' | 'outcomes'>): RawBuilder<boolean> {
  return sql<boolean>`
    o.token = any(${Object.values(tokens)}::text[]) and (o.kind = 'issue' or o.refused is null)
    -- A value, because for many outcomes the planner would join all attempts.
    and (select a.hash from transaction_attempts a where a.hash = o.tx_hash) is null
    -- One condition for each of the unique indexes: joined by an or, they use neither.
    and not exists (
      select from unrecorded_outcomes u
      where u.kind = 'issue' and u.chain = ${chain} and u.token = o.token and u.sequence = o.sequence)
    and not exists (
      select from unrecorded_outcomes u
      where u.kind = 'redeem' and u.chain = ${chain} and u.token = o.token and u.digest = o.message_hash and u.account = o.account)`;
}

/**
 * Keeps outcomes that the chain has and this ledger has not: no leg gets one of their numbers any more, nothing is issued of their currencies,
 * and no payment leaves.
 */
export async function recordUnrecordedOutcomes(
  ledger: Ledger,
  { chain, tokens }: Pick<AuditFilter, 'chain' | 'tokens'>,
  outcomes: readonly (IndexedOutcome & Partial<SignedMessage>)[],
): Promise<void> {
  if (outcomes.length === 0) return;
  const input = JSON.stringify(outcomes.map((outcome) => ({ ...outcome, blockNumber: outcome.blockNumber.toString() })));
  await inTransaction(ledger, async (tx) => {
    await sql`
      insert into unrecorded_outcomes
        (chain, kind, token, currency, order_id, account, amount, sequence, digest, message, signature, refused, tx_hash, block_number)
      select ${chain}, o.kind, o.token, t.key, o."orderId", o.account, trunc(o.amount / ${unitsPerMinorUnit}), o.sequence, o."messageHash", o.message,
        o.signature, o.refused, o."txHash", o."blockNumber"
      from jsonb_to_recordset(${input}::jsonb) as o(kind text, token text, "orderId" uuid, account text, amount numeric, sequence numeric,
          "messageHash" text, message text, signature text, refused text, "txHash" text, "blockNumber" bigint)
      join jsonb_each_text(${JSON.stringify(tokens)}::jsonb) t on t.value = o.token
      on conflict do nothing
    `.execute(tx);
    for (const token of new Set(outcomes.map((outcome) => outcome.token))) await passUsedNumbers(tx, chain, token);
    await beginRecovery(tx, chain);
  });
}

/** A number far ahead, which somebody chose, is left where it is: the numbers never get there. */
async function passUsedNumbers(tx: LedgerTransaction, chain: Chain, token: string): Promise<void> {
  await sql`
    insert into token_sequences as s (chain, token, next)
    select ${chain}, ${token}, (max(u.sequence) + 1)::bigint from unrecorded_outcomes u
    where u.chain = ${chain} and u.token = ${token}
      and u.sequence <= coalesce((select next from token_sequences where chain = ${chain} and token = ${token}), 0) + ${numbersSkipped}::bigint
    having count(*) > 0
    on conflict (chain, token) do update set next = greatest(s.next, excluded.next)
  `.execute(tx);
}

/** An outcome that nothing in this ledger explains. */
export interface OpenOutcome extends Omit<UnrecordedOutcome, 'amount'> {
  amount: MinorUnits;
  /** What the order that it names is about; null where there is none. */
  order: { account: LowerAddress; chain: Chain; amount: MinorUnits } | null;
  /** The payout of the order that is with the bank, although the chain has given its tokens back. */
  sentPayout: string | null;
  /** Of an issue: an order whose tokens are still to be issued to the same account on the same chain, in the same amount. */
  sameIssue: SameIssue | null;
}

/** The outcomes that nothing in this ledger explains and an operator has to decide about, the oldest first. */
export async function listOpenOutcomes(ledger: Ledger, limit: number): Promise<OpenOutcome[]> {
  const rows = await ledger
    .selectFrom('unrecordedOutcomes as u')
    .leftJoin('orders as o', 'o.id', 'u.orderId')
    .where(isUndecided)
    .orderBy('u.chain')
    .orderBy('u.blockNumber')
    .orderBy('u.id')
    .limit(limit)
    .selectAll('u')
    .select(['o.address as orderAccount', 'o.chain as orderChain', 'o.amount as orderAmount'])
    .select((select) =>
      select
        .selectFrom('payments as p')
        .innerJoin('legHistory as l', 'l.id', 'p.leg')
        .whereRef('l.orderId', '=', 'u.orderId')
        .where('u.kind', '=', 'issue')
        .where('p.kind', '=', 'payout')
        .where('p.state', 'in', ['sent', 'accepted'])
        .select('p.id')
        .limit(1)
        .as('sentPayout'),
    )
    .execute();
  const issues = rows.flatMap(({ id, kind }) => (kind === 'issue' ? [id] : []));
  const sameIssues = new Map((await findSameIssues(ledger, issues)).map((same) => [same.outcome, same]));
  return rows.map(({ orderAccount: account, orderChain: chain, orderAmount, amount, ...outcome }) =>
    Object.assign(outcome, {
      amount: minorUnits(BigInt(amount)),
      order: account === null || chain === null || orderAmount === null ? null : { account, chain, amount: orderAmount },
      sameIssue: sameIssues.get(outcome.id) ?? null,
    }),
  );
}

/** How many outcomes of a kind and currency nothing in this ledger explains. */
export interface OpenOutcomes {
  chain: Chain;
  kind: 'issue' | 'redeem';
  currency: Currency;
  count: number;
  since: Date;
}

/** Counts what {@link listOpenOutcomes} lists, on one chain or on all. */
export async function countOpenOutcomes(ledger: Ledger, chain?: Chain): Promise<OpenOutcomes[]> {
  const { rows } = await sql<OpenOutcomes>`
    select chain, kind, currency, count(*)::int as count, min(found_at) as since from unrecorded_outcomes
    where state = 'open' and chain = coalesce(${chain ?? null}, chain) group by chain, kind, currency order by chain, currency, kind
  `.execute(ledger);
  return rows;
}
