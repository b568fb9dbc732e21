import { sql } from 'kysely';
import type { Chain } from '../../platform/chains.ts';
import type { Currency } from '../../platform/money.ts';
import { inTransaction, type Ledger } from '../ledger.ts';
import { laneQueue } from '../wake-ups.ts';

/** A sequence number of an issue leg that the token contract has used up for something else. */
export interface UsedNumber {
  legId: string;
  token: string;
  sequence: bigint;
  /** The transaction that used it, and its block. */
  txHash: string;
  blockNumber: bigint;
}

/**
 * `sent` -> `ready` for issue legs whose sequence number went to another order, account or amount: under that number they can never happen, so
 * the next lane that claims them gives them a new one. The history of their orders keeps the number's transaction. Legs that no longer have that
 * number are not changed. Returns how many were.
 */
export async function renumberLegs(ledger: Ledger, used: readonly UsedNumber[]): Promise<number> {
  if (used.length === 0) return 0;
  const input = JSON.stringify(used.map((entry) => ({ ...entry, sequence: `${entry.sequence}`, blockNumber: `${entry.blockNumber}` })));
  return inTransaction(ledger, async (tx) => {
    const { rows } = await sql<{ chain: Chain }>`
      with used as (
        select * from jsonb_to_recordset(${input}::jsonb) as u("legId" uuid, token text, sequence bigint, "txHash" text, "blockNumber" bigint)
      ), freed as (
        update legs set state = 'ready', transaction = null, token = null, sequence = null
        from used u
        where legs.id = u."legId" and legs.state = 'sent' and legs.kind = 'issue' and legs.token = u.token and legs.sequence = u.sequence
        returning legs.id, legs.chain, old.transaction, old.sequence, u."txHash", u."blockNumber"
      ), noted as (
        insert into leg_failures (leg, outcome, transaction, tx_hash, block_number, reason)
        select id, 'number_used', transaction, "txHash", "blockNumber",
          'its sequence number ' || sequence || ' was used by another transaction: it is sent anew with a new number'
        from freed
      )
      select chain from freed
    `.execute(tx);
    tx.wakeUps.add(...rows.map(({ chain }) => laneQueue(chain)));
    return rows.length;
  });
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
    from leg_failures f join legs l on l.id = f.leg
    where f.outcome = 'number_used' and f.at > now() - make_interval(secs => ${seconds}) and l.chain = ${chain}
    order by l.currency, f.at desc
  `.execute(ledger);
  return rows;
}
