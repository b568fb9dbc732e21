import { sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import { RetryError } from '../../platform/errors.ts';
import type { Currency } from '../../platform/money.ts';
import { recordLoneRevert } from '../orders/account-backoffs.ts';
import { startOrders } from '../orders/lifecycle.ts';
import { ordersOfTransaction, type OrderTraces, type Trace, tracesOf } from '../orders/traces/order-traces.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { laneQueue } from '../wake-ups.ts';
import { isIssuable } from './leg-groups.ts';
import { addGasSpending, type SpentBudget } from './gas-spending.ts';

/** A signed transaction. It may be broadcast any number of times. */
export interface Attempt {
  hash: string;
  raw: string;
  /** Wei. */
  maxFeePerGas: bigint;
  /** Wei. */
  maxPriorityFeePerGas: bigint;
}

/** A signed transaction to be recorded before it is sent; `legs` are the ids of those it carries. */
export interface NewTransaction {
  chain: Chain;
  signer: LowerAddress;
  nonce: bigint;
  /** `cancel` carries no legs and has no currency: it transfers nothing to its signer, to use up the nonce. */
  kind: 'issue' | 'redeem' | 'cancel';
  currency: Currency | null;
  gasLimit: bigint;
  /** Number of the newest block when it was signed: fee replacement counts from it. */
  sentAtBlock: bigint;
  attempt: Attempt;
  legs: string[];
  /** What its orders take from the gas budgets of their profiles. */
  budget?: SpentBudget | undefined;
}

/**
 * Records a signed transaction with its legs, before the first broadcast: after a crash it is broadcast again. Orders that were placed become
 * pending. Returns its id. Throws `claim_lost`, and records nothing, when another lane has claimed one of the legs, or one of them may not be issued any more.
 */
export async function recordTransaction(
  ledger: Ledger,
  { chain, signer, nonce, kind, currency, gasLimit, sentAtBlock, attempt, legs, budget }: NewTransaction,
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    with held as materialized (
      select l.id from open_legs l where l.id = any(${legs}::uuid[]) and l.state = 'ready' and l.claimed_by = ${signer} and ${isIssuable} for update of l
    ), added as (
      insert into transactions (chain, signer, nonce, kind, currency, gas_limit, sent_at_block, first_sent_at_block)
      select ${chain}, ${signer}, ${nonce}, ${kind}, ${currency}, ${gasLimit}, ${sentAtBlock}, ${sentAtBlock}
      where (select count(*) from held) = ${legs.length}
      returning id
    ), attempted as (
      insert into transaction_attempts (hash, transaction, position, raw, max_fee_per_gas, max_priority_fee_per_gas)
      select ${attempt.hash}, id, 0, ${attempt.raw}, ${attempt.maxFeePerGas}, ${attempt.maxPriorityFeePerGas} from added
    ), carried as (
      update open_legs l set state = 'sent', transaction = a.id, claimed_by = null
      from added a where l.id = any(array(select id from held))
      returning l.order_id
    ), started as (
      ${startOrders}
    ), spent as (
      ${addGasSpending(chain, budget, sql`exists (select from added)`)}
    )
    select id from added
  `.execute(ledger);
  if (rows[0]) return rows[0].id;
  throw new RetryError({
    code: 'claim_lost',
    message: `not all of the ${legs.length} legs were still claimed by ${signer} on ${chain} and may be issued`,
  });
}

/** Adds a replacement at the same nonce. The blocks until the next replacement are counted from `atBlock`. */
export async function recordReplacement(ledger: Ledger, transaction: string, attempt: Attempt, atBlock: bigint): Promise<void> {
  await inTransaction(ledger, async (tx) => {
    await insertAttempt(tx, transaction, attempt);
    await tx
      .updateTable('transactions')
      .set({ sentAtBlock: atBlock, refusals: 0, refusedSinceBlock: null })
      .where('id', '=', transaction)
      .where('state', '=', 'sent')
      .execute();
  });
}

/**
 * Turns a `sent` transaction that no node takes into a `cancel`: `attempt` transfers nothing to its signer at the same nonce. Its legs are
 * ready again. Whichever attempt is mined, the contract does nothing twice.
 */
export async function recordCancellation(
  ledger: Ledger,
  transaction: string,
  attempt: Attempt & { gasLimit: bigint },
  atBlock: bigint,
): Promise<void> {
  await inTransaction(ledger, async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('transactions')
      .set({ kind: 'cancel', currency: null, gasLimit: attempt.gasLimit, sentAtBlock: atBlock, refusals: 0, refusedSinceBlock: null })
      .where('id', '=', transaction)
      .where('state', '=', 'sent')
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return;
    await insertAttempt(tx, transaction, attempt);
    const freed = await freeLegs(tx, transaction, { outcome: 'cancelled', hash: null, blockNumber: null });
    // What is refused with no other leg beside it may be the doing of its account: each time has cost the gas of a transfer.
    if (freed.length === 1 && freed[0]?.alone) await recordLoneRevert(tx, freed[0].id);
  });
}

async function insertAttempt(tx: LedgerTransaction, transaction: string, { hash, raw, maxFeePerGas, maxPriorityFeePerGas }: Attempt) {
  await sql`
    insert into transaction_attempts (hash, transaction, position, raw, max_fee_per_gas, max_priority_fee_per_gas)
    select ${hash}, ${transaction}, count(*), ${raw}, ${maxFeePerGas}, ${maxPriorityFeePerGas}
    from transaction_attempts where transaction = ${transaction}
  `.execute(tx);
}

/**
 * The legs of a transaction that did not carry them out are ready again; the failure stays in the history of their orders. After a revert or a
 * cancellation they travel in batches of at most half the size, so that the cause ends up alone. Returns them.
 */
async function freeLegs(
  tx: LedgerTransaction,
  transaction: string,
  { outcome, hash, blockNumber }: { outcome: 'reverted' | 'lost' | 'cancelled'; hash: string | null; blockNumber: bigint | null },
): Promise<{ id: string; chain: Chain; alone: boolean }[]> {
  const { rows } = await sql<{ id: string; chain: Chain; alone: boolean }>`
    with batch as (
      select count(*) as size from legs where transaction = ${transaction}
    ), freed as (
      update open_legs set state = 'ready', transaction = null,
        batch_limit = case when ${outcome} in ('reverted', 'cancelled') then greatest(1, batch.size / 2) else batch_limit end
      from batch where transaction = ${transaction} and state = 'sent' returning id, chain, batch.size
    ), noted as (
      insert into leg_failures (leg, outcome, transaction, tx_hash, block_number, alone)
      select id, ${outcome}, ${transaction}, ${hash}, ${blockNumber}, size = 1 from freed
    )
    select id, chain, size = 1 as alone from freed
  `.execute(tx);
  tx.wakeUps.add(...new Set(rows.map(({ chain }) => laneQueue(chain))));
  return rows;
}

/** The block that has a transaction, under which of its attempts' hashes, and the gas that it took. */
export interface MinedIn {
  hash: string;
  blockNumber: bigint;
  blockHash: string;
  gasUsed: bigint;
}

/** `sent` -> `mined`, or `mined` in another block after a reorganisation. Returns the orders of its legs. */
export async function markMined(ledger: Ledger, id: string, { hash, blockNumber, blockHash, gasUsed }: MinedIn): Promise<OrderTraces> {
  const { rows } = await sql<Trace>`
    with mined as (
      update transactions set state = 'mined', hash = ${hash}, block_number = ${blockNumber}, block_hash = ${blockHash}, gas_used = ${gasUsed}, mined_at = now()
      where id = ${id} and state in ('sent', 'mined')
    )
    ${ordersOfTransaction(id)}
  `.execute(ledger);
  return tracesOf(rows);
}

/** The columns of a transaction that is in no block. */
const noBlock = { hash: null, blockNumber: null, blockHash: null, gasUsed: null };

/** `mined` -> `sent`: it has no receipt any more. */
export async function markUnmined(ledger: Ledger, id: string, atBlock: bigint): Promise<void> {
  await ledger
    .updateTable('transactions')
    .set({ state: 'sent', ...noBlock, minedAt: null, sentAtBlock: atBlock, firstSentAtBlock: atBlock })
    .where('id', '=', id)
    .where('state', '=', 'mined')
    .execute();
}

/**
 * `sent` or `mined` -> `reverted` (it was mined and did nothing) or `lost` (its nonce was used by another): its legs are
 * ready again, and the failure stays in the history of their orders. A wrong call does no harm, because the contract does nothing twice.
 */
export async function markFailed(
  ledger: Ledger,
  id: string,
  failure: ({ state: 'reverted' } & MinedIn) | { state: 'lost' },
): Promise<void> {
  const { state: _, ...mined } = { ...noBlock, ...failure };
  await inTransaction(ledger, async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('transactions')
      .set({ state: failure.state, ...mined })
      .where('id', '=', id)
      .where('state', 'in', ['sent', 'mined'])
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return;
    await freeLegs(tx, id, { outcome: failure.state, hash: mined.hash, blockNumber: mined.blockNumber });
  });
}
