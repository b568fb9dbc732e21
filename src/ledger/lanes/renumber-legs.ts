import { type RawBuilder, sql } from 'kysely';
import type { Chain } from '../../platform/chains.ts';
import type { Currency } from '../../platform/money.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { laneQueue } from '../wake-ups.ts';

/** A sequence number of an issue leg that the token contract has used up for something else. */
interface UsedNumber {
  legId: string;
  token: string;
  sequence: bigint;
  /** The transaction that used it, and its block. */
  txHash: string;
  blockNumber: bigint;
}

/** Legs that need new numbers, and the outcomes on their chain, in the columns of `IndexedOutcome`, by which used numbers are skipped. */
export interface Renumbering {
  chain: Chain;
  used: readonly UsedNumber[];
  outcomes: RawBuilder<unknown>;
}

/**
 * How far ahead numbers are looked for that somebody else used. They would have to issue once for each such stretch to use up the numbers, of
 * which there are 2^63.
 */
export const numbersSkipped = 1_000_000;

/**
 * `sent` -> `ready` for issue legs whose sequence number went to another order, account or amount: under that number they can never happen, so
 * the next lane that claims them gives them a new one, beyond all that are used. The history of their orders keeps the number's transaction. Legs
 * that no longer have that number are not changed. Returns how many were.
 */
export async function renumberLegs(ledger: Ledger, { chain, used, outcomes }: Renumbering): Promise<number> {
  if (used.length === 0) return 0;
  const input = JSON.stringify(used.map((entry) => ({ ...entry, sequence: `${entry.sequence}`, blockNumber: `${entry.blockNumber}` })));
  return inTransaction(ledger, async (tx) => {
    const { rows } = await sql`
      with used as (
        select * from jsonb_to_recordset(${input}::jsonb) as u("legId" uuid, token text, sequence bigint, "txHash" text, "blockNumber" bigint)
      ), locked as (
        select l.id, l.transaction, l.sequence, u."txHash", u."blockNumber" from open_legs l join used u on l.id = u."legId"
        where l.chain = ${chain} and l.state = 'sent' and l.kind = 'issue' and l.token = u.token and l.sequence = u.sequence for update of l
      ), freed as (
        update open_legs set state = 'ready', transaction = null, token = null, sequence = null, lone_reverts = 0
        from locked l where open_legs.id = l.id and open_legs.state = 'sent'
        returning l.*
      ), noted as (
        insert into leg_failures (leg, outcome, transaction, tx_hash, block_number, reason)
        select id, 'number_used', transaction, "txHash", "blockNumber",
          'its sequence number ' || sequence || ' was used by another transaction: it is sent anew with a new number'
        from freed
      )
      select from freed
    `.execute(tx);
    for (const token of new Set(used.map((entry) => entry.token))) await skipUsedNumbers(tx, chain, token, outcomes);
    if (rows.length > 0) tx.wakeUps.add(laneQueue(chain));
    return rows.length;
  });
}

/** Otherwise a thief who used many numbers ahead would cost each leg a transaction and a confirmation for every one of them. */
async function skipUsedNumbers(tx: LedgerTransaction, chain: Chain, token: string, outcomes: RawBuilder<unknown>): Promise<void> {
  await sql`
    update token_sequences s set next = greatest(s.next, used.last + 1)
    from (
      select max(o.sequence)::bigint as last
      from token_sequences t join ${outcomes} o on o.token = t.token and o.sequence between t.next and t.next + ${numbersSkipped}::bigint
      where t.chain = ${chain} and t.token = ${token}
    ) used
    where s.chain = ${chain} and s.token = ${token} and used.last is not null
  `.execute(tx);
}

/** A sequence number that somebody else used, as the ledger recorded it. */
export interface RecordedNumber {
  currency: Currency;
  reason: string;
  txHash: string;
  ageSeconds: number;
}

/** The last sequence number of each currency that somebody else used on a chain in the last `seconds`, by the database's clock. */
export async function recentlyUsedNumbers(ledger: Ledger, chain: Chain, seconds: number): Promise<RecordedNumber[]> {
  const { rows } = await sql<RecordedNumber>`
    select distinct on (l.currency) l.currency, f.reason, f.tx_hash, extract(epoch from now() - f.at)::int as age_seconds
    from leg_failures f join leg_history l on l.id = f.leg
    where f.outcome = 'number_used' and f.at > now() - make_interval(secs => ${seconds}) and l.chain = ${chain}
    order by l.currency, f.at desc
  `.execute(ledger);
  return rows;
}
