import { sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import { RetryError } from '../../platform/errors.ts';
import type { Currency } from '../../platform/money.ts';
import { startOrders } from '../orders/lifecycle.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { laneQueue } from '../queues.ts';

/** A signed transaction, ready to be broadcast as often as needed. */
export interface Attempt {
  hash: string;
  raw: string;
  /** Wei. */
  maxFeePerGas: bigint;
  /** Wei. */
  maxPriorityFeePerGas: bigint;
}

export interface NewTransaction {
  chain: Chain;
  signer: LowerAddress;
  nonce: bigint;
  kind: 'issue' | 'redeem';
  currency: Currency;
  gasLimit: bigint;
  /** Head of the chain when it was signed; paces fee replacement. */
  sentAtBlock: bigint;
  attempt: Attempt;
  legs: string[];
}

/** A transaction whose legs are not all settled, with its attempts, the newest first. */
export interface OpenTransaction {
  id: string;
  nonce: bigint;
  kind: 'issue' | 'redeem';
  currency: Currency;
  gasLimit: bigint;
  state: 'sent' | 'mined';
  hash: string | null;
  blockNumber: bigint | null;
  sentAtBlock: bigint;
  attempts: Omit<Attempt, 'raw'>[];
}

/**
 * Records a signed transaction and that its legs are in it, before it is first broadcast: whatever happens then, it can
 * be sent again. Orders that were placed become pending. Throws `claim_lost` when a leg is no longer this lane's.
 */
export async function recordTransaction(ledger: Ledger, given: NewTransaction): Promise<string> {
  return inTransaction(ledger, async (tx) => {
    const { id } = await tx
      .insertInto('transactions')
      .values({
        chain: given.chain,
        signer: given.signer,
        nonce: given.nonce,
        kind: given.kind,
        currency: given.currency,
        gasLimit: given.gasLimit,
        sentAtBlock: given.sentAtBlock,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await insertAttempt(tx, id, given.attempt);
    const { numAffectedRows: sent } = await sql`
      update legs set state = 'sent', transaction = ${id}, claimed_by = null
      where id = any(${given.legs}::uuid[]) and state = 'ready' and claimed_by = ${given.signer}
    `.execute(tx);
    if (sent !== BigInt(given.legs.length)) {
      throw new RetryError({
        code: 'claim_lost',
        message: `of ${given.legs.length} legs only ${sent} were still claimed by ${given.signer} on ${given.chain}`,
      });
    }
    await startOrders(tx, id);
    return id;
  });
}

/** Adds a replacement at the same nonce and restarts its clock. */
export async function recordReplacement(ledger: Ledger, transaction: string, attempt: Attempt, atBlock: bigint): Promise<void> {
  await inTransaction(ledger, async (tx) => {
    await insertAttempt(tx, transaction, attempt);
    await tx.updateTable('transactions').set({ sentAtBlock: atBlock }).where('id', '=', transaction).where('state', '=', 'sent').execute();
  });
}

async function insertAttempt(tx: LedgerTransaction, transaction: string, { hash, raw, maxFeePerGas, maxPriorityFeePerGas }: Attempt) {
  await tx.insertInto('transactionAttempts').values({ hash, raw, transaction, maxFeePerGas, maxPriorityFeePerGas }).execute();
}

/** The transactions of a signer that are not yet settled, in the order of their nonces. */
export async function openTransactions(ledger: Ledger, chain: Chain, signer: LowerAddress): Promise<OpenTransaction[]> {
  const rows = await ledger
    .selectFrom('transactions as t')
    .innerJoin('transactionAttempts as a', 'a.transaction', 't.id')
    .where('t.chain', '=', chain)
    .where('t.signer', '=', signer)
    .where('t.state', 'in', ['sent', 'mined'])
    .orderBy('t.nonce')
    .orderBy('a.createdAt', 'desc')
    .select(['t.id', 't.nonce', 't.kind', 't.currency', 't.gasLimit', 't.state', 't.hash as mined_hash', 't.blockNumber', 't.sentAtBlock'])
    .select(['a.hash', 'a.maxFeePerGas', 'a.maxPriorityFeePerGas'])
    .execute();
  const open = new Map<string, OpenTransaction>();
  for (const row of rows) {
    const transaction = open.get(row.id) ?? {
      id: row.id,
      nonce: row.nonce,
      kind: row.kind,
      currency: row.currency,
      gasLimit: row.gasLimit,
      state: row.state as OpenTransaction['state'],
      hash: row.mined_hash,
      blockNumber: row.blockNumber,
      sentAtBlock: row.sentAtBlock,
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

/** The signed bytes of an attempt, to broadcast it again. */
export async function rawTransaction(ledger: Ledger, hash: string): Promise<`0x${string}`> {
  const { raw } = await ledger.selectFrom('transactionAttempts').where('hash', '=', hash).select('raw').executeTakeFirstOrThrow();
  return raw as `0x${string}`;
}

/** The highest nonce this ledger has ever used for a signer. */
export async function lastNonce(ledger: Ledger, chain: Chain, signer: LowerAddress): Promise<bigint | undefined> {
  const row = await ledger
    .selectFrom('transactions')
    .where('chain', '=', chain)
    .where('signer', '=', signer)
    .select((eb) => eb.fn.max('nonce').as('nonce'))
    .executeTakeFirst();
  return row?.nonce ?? undefined;
}

/** `sent` -> `mined`, or `mined` in another block after a reorganisation. */
export async function markMined(ledger: Ledger, id: string, mined: { hash: string; blockNumber: bigint; gasUsed: bigint }): Promise<void> {
  await ledger
    .updateTable('transactions')
    .set({ state: 'mined', hash: mined.hash, blockNumber: mined.blockNumber, gasUsed: mined.gasUsed, minedAt: sql`now()` })
    .where('id', '=', id)
    .where('state', 'in', ['sent', 'mined'])
    .execute();
}

/** `mined` -> `sent`: a reorganisation took its block away. */
export async function markUnmined(ledger: Ledger, id: string, atBlock: bigint): Promise<void> {
  await ledger
    .updateTable('transactions')
    .set({ state: 'sent', hash: null, blockNumber: null, gasUsed: null, minedAt: null, sentAtBlock: atBlock })
    .where('id', '=', id)
    .where('state', '=', 'mined')
    .execute();
}

/**
 * `sent` or `mined` -> `reverted` (it was mined and did nothing) or `lost` (its nonce was used by another): its legs are
 * ready again, and it stays in their story. Harmless even when wrong, because the contract does nothing twice.
 */
export async function markFailed(
  ledger: Ledger,
  id: string,
  failure: { state: 'reverted'; hash: string; blockNumber: bigint; gasUsed: bigint } | { state: 'lost' },
): Promise<void> {
  const mined =
    failure.state === 'reverted'
      ? { hash: failure.hash, blockNumber: failure.blockNumber, gasUsed: failure.gasUsed }
      : { hash: null, blockNumber: null };
  await inTransaction(ledger, async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('transactions')
      .set({ state: failure.state, ...mined })
      .where('id', '=', id)
      .where('state', 'in', ['sent', 'mined'])
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return;
    const { rows } = await sql<{ chain: Chain }>`
      with freed as (
        update legs set state = 'ready', transaction = null where transaction = ${id} and state = 'sent' returning id, chain
      ), noted as (
        insert into leg_failures (leg, outcome, transaction, tx_hash, block_number)
        select id, ${failure.state}, ${id}, ${mined.hash}, ${mined.blockNumber} from freed
      )
      select distinct chain from freed
    `.execute(tx);
    tx.wakeUps.add(...rows.map(({ chain }) => laneQueue(chain)));
  });
}

/**
 * `mined` -> `settled` for the transactions of a signer up to a block whose legs have all ended. Until then a
 * transaction is followed even when its orders are processed: a deep reorganisation would have it sent again.
 */
export async function closeSettled(ledger: Ledger, chain: Chain, signer: LowerAddress, upTo: bigint): Promise<void> {
  await sql`
    update transactions t set state = 'settled'
    where t.chain = ${chain} and t.signer = ${signer} and t.state = 'mined' and t.block_number <= ${upTo}
      and not exists (select from legs where legs.transaction = t.id and legs.state = 'sent')
  `.execute(ledger);
}
