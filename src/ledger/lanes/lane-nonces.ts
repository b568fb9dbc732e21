import { sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import type { Ledger } from '../ledger.ts';

/** A signer on a network: it owns its nonces. */
export interface LaneKey {
  chain: Chain;
  signer: LowerAddress;
}

/** Live nonces that are read at most. No more are in flight at once, except after a very deep reorganisation. */
const liveNoncesLimit = 1_000;

/** The nonces from `from` on, the lowest first, that the signer's live transactions hold: those that are sent, mined or settled. */
export async function liveNonces(ledger: Ledger, { chain, signer }: LaneKey, from: bigint): Promise<bigint[]> {
  const rows = await ledger
    .selectFrom('transactions')
    .where('chain', '=', chain)
    .where('signer', '=', signer)
    .where('nonce', '>=', from)
    .where(sql<boolean>`state in ('sent', 'mined', 'settled')`)
    .orderBy('nonce')
    .limit(liveNoncesLimit)
    .select('nonce')
    .execute();
  return rows.map(({ nonce }) => nonce);
}

/** What the ledger knows of a signer's nonces without asking the chain. */
export interface RecordedNonces {
  /** The lowest of a transaction that is sent and in no block; null when there is none. */
  lowestSent: bigint | null;
  /** The highest of a transaction that is live or reverted; null when there is none. */
  highestOurs: bigint | null;
  /** The highest of any transaction; null when the signer has none. */
  highest: bigint | null;
}

/** What the ledger knows of a signer's nonces. */
export async function recordedNonces(ledger: Ledger, { chain, signer }: LaneKey): Promise<RecordedNonces> {
  const lane = sql`chain = ${chain} and signer = ${signer}`;
  const { rows } = await sql<RecordedNonces>`
    select
      (select nonce from transactions where ${lane} and state = 'sent' order by nonce limit 1) as lowest_sent,
      (select nonce from transactions where ${lane} and state <> 'lost' order by nonce desc limit 1) as highest_ours,
      (select nonce from transactions where ${lane} order by nonce desc limit 1) as highest
  `.execute(ledger);
  return rows[0] as RecordedNonces;
}

/** The id of the transaction, in whatever state, that has an attempt with this hash; undefined when it is none of this ledger's. */
export async function transactionOfAttempt(ledger: Ledger, hash: string): Promise<string | undefined> {
  const row = await ledger.selectFrom('transactionAttempts').where('hash', '=', hash).select('transaction').executeTakeFirst();
  return row?.transaction;
}
