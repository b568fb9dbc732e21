import { type RawBuilder, sql } from 'kysely';
import type { Chain } from '../../platform/chains.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { openAgain } from '../orders/legs/open-again.ts';
import { settleLegs } from '../orders/settling/settle-legs.ts';
import { laneQueue } from '../wake-ups.ts';
import { isNumberFree, issuesOfOtherReports } from './same-issues.ts';

/** Outcomes that are applied in one database transaction. */
const outcomesAtOnce = 500;

/** SQL: whether the tokens of the redemption `o` could not be given back: an operator retries that, under the same order id. */
const isStuck = sql`o.kind = 'redeem' and o.state in ('placed', 'pending')`;

/** An unrecorded outcome and the leg that it carries out to the letter. */
interface ExactOutcome {
  id: string;
  chain: Chain;
  legId: string;
  legState: string;
  kind: 'issue' | 'redeem';
  token: string;
  sequence: string | null;
  txHash: string;
  blockNumber: bigint;
  refused: string | null;
}

/**
 * Ends the legs whose orders an unrecorded outcome names with their own account and amount: what the chain did is exactly what they are for, whoever
 * sent it. An issue is found by the order's id, which a credit that is imported again gets again, or by the id that another report of the credit makes;
 * a redemption by its message. Returns how many.
 */
export async function applyExactOutcomes(ledger: Ledger, chain: Chain): Promise<number> {
  let applied = 0;
  for (;;) {
    const count = await inTransaction(ledger, (tx) => applySome(tx, chain));
    applied += count;
    if (count < outcomesAtOnce) return applied;
  }
}

/** Ends the leg of an order by the issue that an operator takes for the order's own, in the account, chain and amount that the leg has now. */
export async function applyAccepted(tx: LedgerTransaction, { id, order }: { id: string; order: string }): Promise<void> {
  const accepted = sql`
    select u.id, u.block_number, u.refused, l.id as leg_id
    from unrecorded_outcomes u join open_legs l on l.order_id = ${order} and l.kind = 'issue' and l.state = 'ready'
    where u.id = ${id} and u.state = 'open'`;
  await applyEach(tx, await lockOutcomes(tx, accepted));
}

async function applySome(tx: LedgerTransaction, chain: Chain): Promise<number> {
  return applyEach(tx, await lockOutcomes(tx, exactOutcomes(chain)));
}

async function applyEach(tx: LedgerTransaction, exact: readonly ExactOutcome[]): Promise<number> {
  if (exact.length === 0) return 0;
  const open = exact.filter(({ legState, refused }) => legState !== 'done' && (legState !== 'refused' || refused === null));
  await readyCarriedOutLegs(tx, open);
  await settleLegs(
    tx,
    open.map(({ legId, txHash, blockNumber, refused }) => ({ legId, txHash, blockNumber, refused })),
  );
  await sql`
    update unrecorded_outcomes set state = 'applied', reason = null, decided_at = now() where id = any(${exact.map(({ id }) => id)}::uuid[])
  `.execute(tx);
  tx.wakeUps.add(...new Set(exact.map(({ chain }) => laneQueue(chain))));
  return exact.length;
}

/**
 * SQL: the outcomes with the legs that they carry out to the letter. A leg that is under way with another number is left to its transaction, and one that was
 * tried again after a refusal does not end by an outcome that is as old ({@link settleLegs}): that outcome stays open.
 */
function exactOutcomes(chain: Chain): RawBuilder<unknown> {
  return sql`
      select u.id, u.block_number, u.refused, l.id as leg_id
      from unrecorded_outcomes u join legs l on l.order_id = u.order_id and l.kind = 'issue' join orders o on o.id = l.order_id
      where u.chain = ${chain} and u.kind = 'issue' and u.state <> 'applied' and l.chain = u.chain and l.currency = u.currency
        and l.account = u.account and l.amount = u.amount
        and case l.state
          when 'ready' then coalesce(u.block_number > l.after_block, true)
          when 'sent' then l.sequence = u.sequence and coalesce(u.block_number > l.after_block, true)
          when 'done' then l.sequence = u.sequence
          when 'refused' then case when u.refused is null
            then coalesce(u.block_number > l.block_number, true) and (l.sequence = u.sequence or ${isStuck})
            else l.sequence = u.sequence end
        end
        and ${isNumberFree}
      union all
      select u.id, u.block_number, u.refused, l.id
      from unrecorded_outcomes u
      join orders o on o.kind = 'redeem' and o.address = u.account and o.digest = u.digest join legs l on l.order_id = o.id and l.kind = 'redeem'
      where u.chain = ${chain} and u.kind = 'redeem' and u.state <> 'applied' and l.chain = u.chain and l.currency = u.currency
        and l.account = u.account and l.amount = u.amount and l.state <> 'refused'
      union all
      (${issuesOfOtherReports(chain)})`;
}

/** Locks outcomes and their legs. Of one order, what was minted goes before what was refused. */
async function lockOutcomes(tx: LedgerTransaction, outcomes: RawBuilder<unknown>): Promise<ExactOutcome[]> {
  const { rows } = await sql<ExactOutcome>`
    with legs_of as (${outcomes}), picked as (
      select distinct on (leg_id) id, leg_id from legs_of order by leg_id, refused is not null, block_number
    )
    select u.id, u.chain, h.id as leg_id, coalesce(l.state, h.outcome) as leg_state, u.kind, u.token, u.sequence, u.tx_hash, u.block_number, u.refused
    from picked p join unrecorded_outcomes u on u.id = p.id join leg_history h on h.id = p.leg_id
    left join lateral (select state from open_legs where id = h.id for update) l on true
    order by h.id limit ${outcomesAtOnce} for update of h, u
  `.execute(tx);
  return rows;
}

/** The legs get the numbers under which the chain carried them out; another leg that had taken one gets a new one. */
async function readyCarriedOutLegs(tx: LedgerTransaction, outcomes: readonly ExactOutcome[]): Promise<void> {
  const input = JSON.stringify(outcomes.map(({ legId, token, sequence }) => ({ legId, token, sequence })));
  const exact = sql`jsonb_to_recordset(${input}::jsonb) as e("legId" uuid, token text, sequence bigint)`;
  await sql`
    update open_legs l set token = null, sequence = null, claimed_by = null from ${exact}, leg_history own
    where own.id = e."legId" and l.chain = own.chain and l.token = e.token and l.sequence = e.sequence and l.id <> own.id and l.state = 'ready'
  `.execute(tx);
  await sql`
    with ${openAgain(sql`select h.* from leg_history h join ${exact} on h.id = e."legId" where h.outcome = 'refused'`)} select from opened_again
  `.execute(tx);
  await sql`
    update open_legs l set token = e.token, sequence = coalesce(e.sequence, l.sequence), claimed_by = null,
      state = case when l.state = 'waiting' then 'ready' else l.state end
    from ${exact} where l.id = e."legId"
  `.execute(tx);
}
