import { sql } from 'kysely';
import { lowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import { StopError } from '../../platform/errors.ts';
import type { Currency } from '../../platform/money.ts';
import type { Ledger } from '../ledger.ts';
import type { SafeTransactionState } from '../../schema/states.ts';

type HexText = `0x${string}`;

/** Transactions of a Safe that wait for signatures at once: more would only hide each other. */
const mostOpen = 20;

/** How long a transaction that lost its nonce is still looked at: a node that lagged may have hidden its execution. */
const replacedAgainMinutes = 60;

/** A transaction of a Safe that is to be kept. */
export interface NewSafeTransaction {
  chain: Chain;
  currency: Currency;
  token: HexText;
  safe: HexText;
  safeVersion: string;
  nonce: number;
  to: HexText;
  data: HexText;
  /** By EIP-712. */
  hash: HexText;
  /** The newest block when it was prepared. */
  block: bigint;
  reason: string | undefined;
  preparedBy: string;
}

/** The signature of an owner, and who brought it. */
interface KeptSignature {
  signer: HexText;
  data: HexText;
  addedBy: string;
  addedAt: Date;
}

/** A transaction of a Safe that was prepared in the console. */
export interface SafeTransactionRecord extends Omit<NewSafeTransaction, 'reason'> {
  id: string;
  reason: string | null;
  preparedAt: Date;
  state: SafeTransactionState;
  /** The transaction that executed it. */
  executionHash: HexText | null;
  executionBlock: bigint | null;
  /** Until when it waits in the timelock. */
  readyAt: Date | null;
  endedAt: Date | null;
  /** In the order in which they came. */
  signatures: KeptSignature[];
}

/** What the chain, or an operator, has made of a transaction. */
export type SafeTransactionChange =
  | { state: 'executed' | 'cancelled'; executionHash: HexText; executionBlock: bigint }
  | { state: 'scheduled'; executionHash: HexText; executionBlock: bigint; readyAt: Date }
  | { state: 'replaced' | 'withdrawn' };

/** The states from which each state can be reached. */
const predecessors: Record<SafeTransactionChange['state'], readonly SafeTransactionState[]> = {
  executed: ['open', 'scheduled', 'replaced'],
  scheduled: ['open', 'replaced'],
  cancelled: ['open', 'scheduled', 'replaced'],
  replaced: ['open'],
  withdrawn: ['open'],
};

/**
 * Keeps a transaction for its owners to sign. The same one is kept once: it then returns the id of the first. Throws `not_possible`.
 */
export async function keepSafeTransaction(ledger: Ledger, { to, data, nonce, ...rest }: NewSafeTransaction): Promise<string> {
  const { chain, currency, hash, block, reason, preparedBy, safeVersion } = rest;
  const [token, safe] = [lowerAddress(rest.token), lowerAddress(rest.safe)];
  const { rows } = await sql<{ id: string }>`
    with open as (
      select count(*) as count from safe_transactions where chain = ${chain} and safe = ${safe} and state = 'open'
    )
    insert into safe_transactions (chain, currency, token, safe, safe_version, nonce, call_to, call_data, hash, block, reason, prepared_by)
    select ${chain}, ${currency}, ${token}, ${safe}, ${safeVersion}, ${nonce}, ${lowerAddress(to)}, ${data.toLowerCase()}, ${hash}, ${block},
      ${reason ?? null}, ${preparedBy}
    from open where count < ${mostOpen}
    on conflict (hash) where state <> 'withdrawn' do nothing
    returning id
  `.execute(ledger);
  const kept = rows[0]?.id ?? (await findByHash(ledger, hash));
  if (kept !== undefined) return kept;
  throw new StopError({
    code: 'not_possible',
    message: `${mostOpen} transactions of the Safe ${rest.safe} wait for signatures already: have them executed, or withdraw some`,
  });
}

/** A transaction of a Safe. Throws `not_found`. */
export async function findSafeTransaction(ledger: Ledger, id: string): Promise<SafeTransactionRecord> {
  const [row] = await select(ledger).where('id', '=', id).execute();
  if (row) return recordOf(row);
  throw new StopError({
    code: 'not_found',
    message: `There is no prepared transaction ${id}: look at the list of the Safes’ transactions`,
  });
}

/** Transactions of Safes, the latest first. `isOpen` leaves out what has ended. */
export async function listSafeTransactions(
  ledger: Ledger,
  { isOpen, after, limit }: { isOpen: boolean; after?: string | undefined; limit: number },
): Promise<SafeTransactionRecord[]> {
  let query = select(ledger).orderBy('id', 'desc').limit(limit);
  if (isOpen) query = query.where(sql<boolean>`state in ('open', 'scheduled')`);
  if (after !== undefined) query = query.where('id', '<', after);
  return (await query.execute()).map(recordOf);
}

/** The transactions that the chain may still decide, or decide otherwise. */
export async function undecidedSafeTransactions(ledger: Ledger): Promise<SafeTransactionRecord[]> {
  const open = await select(ledger)
    .where(sql<boolean>`state in ('open', 'scheduled')`)
    .orderBy('id')
    .execute();
  const replaced = await select(ledger)
    .where('state', '=', sql.lit('replaced'))
    .where('endedAt', '>', sql<Date>`now() - make_interval(mins => ${replacedAgainMinutes})`)
    .execute();
  return [...open, ...replaced].map(recordOf);
}

/**
 * Adds signatures of owners, which the caller has verified. One of an owner who has signed before changes nothing. Returns how many are new. Throws
 * `not_possible`.
 */
export async function addSafeSignatures(
  ledger: Ledger,
  id: string,
  signatures: readonly { signer: HexText; data: HexText }[],
  addedBy: string,
): Promise<number> {
  const signers = signatures.map(({ signer }) => lowerAddress(signer));
  const texts = signatures.map(({ data }) => data.toLowerCase());
  const { rows } = await sql<{ isOpen: boolean; added: number }>`
    with t as (
      select id from safe_transactions where id = ${id} and state = 'open' for key share
    ), added as (
      insert into safe_signatures (transaction, signer, data, added_by)
      select t.id, s.signer, s.data, ${addedBy} from t, unnest(${signers}::text[], ${texts}::text[]) s (signer, data)
      on conflict do nothing returning 1
    )
    select exists (select from t) as is_open, (select count(*)::int from added) as added
  `.execute(ledger);
  if (rows[0]?.isOpen === true) return rows[0].added;
  throw new StopError({
    code: 'not_possible',
    message: `The transaction ${id} takes no more signatures: prepare the change again, if it is still wanted`,
  });
}

/** Changes the state of a transaction, if it is one from which this state can be reached. Returns whether it did. */
export async function changeSafeTransaction(ledger: Ledger, id: string, change: SafeTransactionChange): Promise<boolean> {
  const hasEnded = change.state !== 'scheduled';
  const { numUpdatedRows } = await ledger
    .updateTable('safeTransactions')
    .set({ ...change, endedAt: hasEnded ? sql<Date>`now()` : null })
    .where('id', '=', id)
    .where('state', 'in', [...predecessors[change.state]])
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

async function findByHash(ledger: Ledger, hash: HexText): Promise<string | undefined> {
  const row = await ledger
    .selectFrom('safeTransactions')
    .where('hash', '=', hash)
    .where('state', '<>', 'withdrawn')
    .select('id')
    .executeTakeFirst();
  return row?.id;
}

function select(ledger: Ledger) {
  return ledger
    .selectFrom('safeTransactions')
    .select(['id', 'chain', 'currency', 'token', 'safe', 'safeVersion', 'nonce', 'callTo', 'callData', 'hash', 'block', 'reason'])
    .select(['preparedBy', 'preparedAt', 'state', 'executionHash', 'executionBlock', 'readyAt', 'endedAt'])
    .select(
      sql<{ signer: HexText; data: HexText; addedBy: string; addedAt: string }[]>`(
        select coalesce(jsonb_agg(jsonb_build_object('signer', signer, 'data', data, 'addedBy', added_by, 'addedAt', added_at) order by added_at), '[]')
        from safe_signatures where transaction = safe_transactions.id)`.as('signatures'),
    );
}

type Row = Awaited<ReturnType<ReturnType<typeof select>['execute']>>[number];

function recordOf({ callTo, callData, nonce, executionHash, signatures, ...row }: Row): SafeTransactionRecord {
  return {
    ...row,
    to: callTo,
    data: callData,
    nonce: Number(nonce),
    executionHash: executionHash as HexText | null,
    signatures: signatures.map(({ addedAt, ...signature }) => ({ ...signature, addedAt: new Date(addedAt) })),
  };
}
