import { sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import type { Currency } from '../../platform/money.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { recordLoneRevert } from '../orders/account-backoffs.ts';
import { settleLegs } from '../orders/settling/settle-legs.ts';

/** A reverted transaction that carried one leg, of which nobody has found out why it reverted. */
export interface UnexplainedRevert {
  id: string;
  leg: string;
  orderId: string;
  currency: Currency;
  /** That of the request that placed the order. */
  correlationId: string | null;
  txHash: string;
  blockNumber: bigint;
  raw: `0x${string}`;
  signer: LowerAddress;
}

/** Reverts that are looked into in one turn of a lane. */
const revertsAtOnce = 20;

/** The lone reverts of a chain that nobody has looked into, the oldest first. */
export async function listUnexplainedReverts(ledger: Ledger, chain: Chain): Promise<UnexplainedRevert[]> {
  const { rows } = await sql<UnexplainedRevert>`
    select f.id, f.leg, o.id as order_id, o.currency, o.correlation_id, f.tx_hash, f.block_number, a.raw, t.signer
    from leg_failures f join leg_history l on l.id = f.leg join orders o on o.id = l.order_id join transactions t on t.id = f.transaction join transaction_attempts a on a.hash = f.tx_hash
    where f.outcome = 'reverted' and f.alone and f.reason is null and t.chain = ${chain}
    order by f.id limit ${revertsAtOnce}
  `.execute(ledger);
  return rows;
}

/**
 * Records what was found out of a lone revert, once. One that counts against the leg is one of those after which the leg is given up, and lets a
 * contract account wait.
 */
export async function explainRevert(
  ledger: Ledger,
  { id, leg }: Pick<UnexplainedRevert, 'id' | 'leg'>,
  { reason, counts }: { reason: string; counts: boolean },
): Promise<void> {
  await inTransaction(ledger, async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('legFailures')
      .set({ reason })
      .where('id', '=', id)
      .where('reason', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n || !counts) return;
    // It may be sent again already, by another lane.
    await sql`update open_legs set lone_reverts = least(lone_reverts + 1, 3) where id = ${leg}`.execute(tx);
    await recordLoneRevert(tx, leg);
  });
}

/** A leg that has reverted alone three times, with the transactions that ever carried it. */
export interface FailingLeg {
  id: string;
  orderId: string;
  /** That of the request that placed the order. */
  correlationId: string | null;
  /** By what the token contract does it at most once; the message's hash is the EIP-191 hash. */
  item:
    | { kind: 'issue'; token: `0x${string}`; sequence: bigint }
    | { kind: 'redeem'; token: `0x${string}`; account: LowerAddress; messageHash: `0x${string}` };
  /** The highest nonce of each signer that a transaction with the leg had. */
  nonces: { signer: LowerAddress; nonce: bigint }[];
  /** How many failures these were read from: after a further one there may be another nonce. */
  failures: number;
}

/** The legs of a chain that have reverted alone and have not ended, without those that are held. */
export interface FailingLegs {
  count: number;
  /** The order of the one that reverted most often. */
  orderId: string | null;
  /** How often that one did. */
  reverts: number | null;
}

/** SQL: an open leg has reverted alone and is not held: an index has these by their chain. */
export const revertsAlone = sql<boolean>`(lone_reverts > 0 and claim_state in ('ready', 'claimed', 'failing', 'sent'))`;

/** Counts the failing legs of a chain. */
export async function countFailingLegs(ledger: Ledger, chain: Chain): Promise<FailingLegs> {
  const { rows } = await sql<FailingLegs>`
    select count(*)::int as count, (array_agg(order_id order by lone_reverts desc, id))[1] as order_id, max(lone_reverts)::int as reverts
    from open_legs where chain = ${chain} and ${revertsAlone}
  `.execute(ledger);
  return rows[0] ?? { count: 0, orderId: null, reverts: null };
}

/** Legs that are decided about in one turn of a lane. */
const legsAtOnce = 20;

/** The legs of a chain that have reverted alone three times, the oldest first. No lane claims them, and none has claimed them since. */
export async function listFailingLegs(ledger: Ledger, chain: Chain): Promise<FailingLeg[]> {
  const { rows } = await sql<FailingLegRow>`
    select l.id, l.order_id, l.kind, l.token, l.account, l.sequence::text as sequence, o.digest, o.correlation_id, n.nonces,
      (select count(*)::int from leg_failures where leg = l.id) as failures
    from open_legs l join orders o on o.id = l.order_id cross join lateral (
      select jsonb_agg(jsonb_build_object('signer', signer, 'nonce', nonce::text)) as nonces from (
        select t.signer, max(t.nonce) as nonce from leg_failures f join transactions t on t.id = f.transaction where f.leg = l.id group by t.signer
      ) t
    ) n
    where l.chain = ${chain} and l.claim_state = 'failing'
    order by l.id limit ${legsAtOnce}
  `.execute(ledger);
  return rows.map(failingLeg);
}

interface FailingLegRow {
  id: string;
  orderId: string;
  correlationId: string | null;
  kind: 'issue' | 'redeem';
  token: `0x${string}`;
  account: LowerAddress;
  sequence: string | null;
  digest: `0x${string}` | null;
  nonces: { signer: LowerAddress; nonce: string }[];
  failures: number;
}

function failingLeg({ id, orderId, correlationId, kind, token, account, sequence, digest, nonces, failures }: FailingLegRow): FailingLeg {
  return {
    id,
    orderId,
    correlationId,
    item: kind === 'issue' ? { kind, token, sequence: BigInt(sequence ?? 0) } : { kind, token, account, messageHash: digest ?? '0x' },
    nonces: nonces.map(({ signer, nonce }) => ({ signer, nonce: BigInt(nonce) })),
    failures,
  };
}

/** A leg that has taken effect after all is sent once more, so that its outcome ends it: the token contract does nothing twice. */
export async function resendFailingLeg(ledger: Ledger, leg: string): Promise<void> {
  await ledger.updateTable('openLegs').set({ loneReverts: 0 }).where('id', '=', leg).where('state', '=', 'ready').execute();
}

/**
 * `ready` -> `refused` for a leg that has reverted alone three times and can never happen, with the consequences for its order. Returns false when it
 * is no longer such a leg: another lane has decided about it, or has had it in a transaction since it was read.
 */
export async function giveUpLeg(ledger: Ledger, { id, failures }: Pick<FailingLeg, 'id' | 'failures'>, reason: string): Promise<boolean> {
  return inTransaction(ledger, async (tx) => {
    const failing = await tx
      .selectFrom('openLegs')
      .where('id', '=', id)
      .where('claimState', '=', 'failing')
      .select('id')
      .forUpdate()
      .executeTakeFirst();
    // Counted by a statement of its own: only that sees what was recorded while this one waited for the lock.
    if (!failing || (await countFailures(tx, id)) !== failures) return false;
    await settleLegs(tx, [{ legId: id, txHash: null, blockNumber: null, refused: reason }]);
    return true;
  });
}

async function countFailures(tx: LedgerTransaction, leg: string): Promise<number> {
  const { count } = await tx
    .selectFrom('legFailures')
    .where('leg', '=', leg)
    .select(({ fn }) => fn.countAll<bigint>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/**
 * `ready` -> `refused` for a claimed leg that no transaction of its network can carry. One that was in a transaction before is left as it is, because
 * that transaction may have an effect. Returns whether it was refused.
 */
export async function refuseUnsendable(ledger: Ledger, leg: string, reason: string): Promise<boolean> {
  return inTransaction(ledger, async (tx) => {
    const { rows } = await sql`
      select from open_legs l where id = ${leg} and state = 'ready' and not exists (
        select from leg_failures f where f.leg = l.id and f.transaction is not null)
      for update
    `.execute(tx);
    if (rows.length > 0) await settleLegs(tx, [{ legId: leg, txHash: null, blockNumber: null, refused: reason }]);
    return rows.length > 0;
  });
}
