import { sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import type { Currency } from '../../platform/money.ts';
import type { Ledger } from '../ledger.ts';
import type { LaneKey } from './lane-nonces.ts';
import type { Attempt, NewTransaction } from './transactions.ts';

/** A transaction that is in no block, as far as the ledger knows, with its attempts, the newest first. */
export interface OpenTransaction {
  id: string;
  nonce: bigint;
  kind: NewTransaction['kind'];
  currency: Currency | null;
  gasLimit: bigint;
  /** Number of the newest block when its newest attempt was signed. */
  sentAtBlock: bigint;
  /** Number of the newest block when its first attempt was signed, or when a reorganisation took its block away. */
  firstSentAtBlock: bigint;
  /** How often in a row every node that answered refused its newest attempt for good. */
  refusals: number;
  /** Number of the newest block at the first of these refusals; null when there is none. */
  refusedSinceBlock: bigint | null;
  attempts: Omit<Attempt, 'raw'>[];
}

/** A transaction that was recorded just now, as {@link unminedTransactions} would read it. */
export function recordedNow(id: string, { nonce, kind, currency, gasLimit, sentAtBlock, attempt }: NewTransaction): OpenTransaction {
  const { raw: _, ...first } = attempt;
  const facts = { id, nonce, kind, currency, gasLimit, sentAtBlock, firstSentAtBlock: sentAtBlock };
  return { ...facts, refusals: 0, refusedSinceBlock: null, attempts: [first] };
}

/** The transactions of a signer that are in no block, in the order of their nonces. */
export async function unminedTransactions(ledger: Ledger, { chain, signer }: LaneKey): Promise<OpenTransaction[]> {
  const rows = await ledger
    .selectFrom('transactions as t')
    .innerJoinLateral(
      // The offset has them looked up for each transaction: the planner may otherwise read all attempts to join them.
      (eb) =>
        eb
          .selectFrom('transactionAttempts')
          .whereRef('transactionAttempts.transaction', '=', 't.id')
          .select(['transactionAttempts.hash', 'position', 'maxFeePerGas', 'maxPriorityFeePerGas'])
          .offset(sql<number>`0`)
          .as('a'),
      (join) => join.onTrue(),
    )
    .where('t.chain', '=', chain)
    .where('t.signer', '=', signer)
    .where('t.state', '=', sql.lit('sent'))
    .orderBy('t.nonce')
    .orderBy('a.position', 'desc')
    .select(['t.id', 't.nonce', 't.kind', 't.currency', 't.gasLimit', 't.sentAtBlock', 't.firstSentAtBlock', 't.refusals'])
    .select(['t.refusedSinceBlock', 'a.hash', 'a.maxFeePerGas', 'a.maxPriorityFeePerGas'])
    .execute();
  const open = new Map<string, OpenTransaction>();
  for (const row of rows) {
    const transaction = open.get(row.id) ?? {
      id: row.id,
      nonce: row.nonce,
      kind: row.kind,
      currency: row.currency,
      gasLimit: row.gasLimit,
      sentAtBlock: row.sentAtBlock,
      firstSentAtBlock: row.firstSentAtBlock ?? row.sentAtBlock,
      refusals: row.refusals,
      refusedSinceBlock: row.refusedSinceBlock,
      attempts: [],
    };
    transaction.attempts.push({
      hash: row.hash,
      maxFeePerGas: BigInt(row.maxFeePerGas),
      maxPriorityFeePerGas: BigInt(row.maxPriorityFeePerGas),
    });
    open.set(row.id, transaction);
  }
  return [...open.values()];
}

/** How many transactions of a network's lanes are in no block, and in a block but not settled, and the highest fee that the former offer. */
export interface OpenTransactionCounts {
  sent: number;
  mined: number;
  /** Wei; 0 when none is `sent`. */
  maxFeePerGas: bigint;
}

/** Counts the transactions of a network that are not settled. */
export async function openTransactionCounts(ledger: Ledger, chain: Chain): Promise<OpenTransactionCounts> {
  const { rows } = await sql<{ sent: number; mined: number; fee: string }>`
    select count(*) filter (where t.state = 'sent')::int as sent, count(*) filter (where t.state = 'mined')::int as mined,
      coalesce(max(a.fee) filter (where t.state = 'sent'), 0)::text as fee
    from transactions t cross join lateral (select max(max_fee_per_gas) as fee from transaction_attempts where transaction = t.id) a
    where t.chain = ${chain} and t.state in ('sent', 'mined')
  `.execute(ledger);
  const { sent, mined, fee } = rows[0] ?? { sent: 0, mined: 0, fee: '0' };
  return { sent, mined, maxFeePerGas: BigInt(fee) };
}

/** The signed bytes of an attempt. They are there until long after its transaction has ended (src/ledger/growth/transaction-bytes.ts). */
export async function rawTransaction(ledger: Ledger, hash: string): Promise<`0x${string}`> {
  const { raw } = await ledger
    .selectFrom('transactionAttempts')
    .where('hash', '=', hash)
    .where('raw', 'is not', null)
    .select('raw')
    .executeTakeFirstOrThrow();
  return raw as `0x${string}`;
}

/** What a signer's transactions that are in no block may cost together. */
export interface UnminedCost {
  transactions: number;
  /** Gas limit times the highest fee that an attempt offers, summed up. */
  gasWei: bigint;
  /** Bytes of the longest signed transaction; 0 when there is none. */
  longestBytes: number;
}

/** What the transactions of a signer that are in no block may still cost: any of their attempts may be the one that is mined. */
export async function unminedCost(ledger: Ledger, chain: Chain, signer: LowerAddress): Promise<UnminedCost> {
  const { rows } = await sql<{ transactions: number; gasWei: string; longestBytes: number }>`
    select count(*)::int as transactions,
      coalesce(sum(t.gas_limit::numeric * a.highest_fee), 0)::text as gas_wei,
      coalesce(max(a.longest_bytes), 0)::int as longest_bytes
    from transactions t
    cross join lateral (
      select max(max_fee_per_gas) as highest_fee, max(length(raw) / 2 - 1) as longest_bytes from transaction_attempts where transaction = t.id
    ) a
    where t.chain = ${chain} and t.signer = ${signer} and t.state = 'sent'
  `.execute(ledger);
  const [{ transactions, gasWei, longestBytes }] = rows as [(typeof rows)[number]];
  return { transactions, gasWei: BigInt(gasWei), longestBytes };
}

/** Counts a refusal for good of a transaction's newest attempt, at the head `block`. Does nothing for one that is not `sent`. */
export async function recordRefusal(ledger: Ledger, transaction: string, block: bigint): Promise<void> {
  await sql`
    update transactions set refusals = least(refusals + 1, 1000), refused_since_block = coalesce(refused_since_block, ${block})
    where id = ${transaction} and state = 'sent'
  `.execute(ledger);
}

/** A node has the transaction, or refuses it for another reason: earlier refusals for good no longer count. */
export async function forgetRefusals(ledger: Ledger, transaction: string): Promise<void> {
  await ledger.updateTable('transactions').set({ refusals: 0, refusedSinceBlock: null }).where('id', '=', transaction).execute();
}
