import { sql } from 'kysely';
import { endToEndIdOf } from '../end-to-end-id.ts';
import type { Rail, RailPayment } from '../../bank/rail.ts';
import { sandboxBank } from '../book/accounts.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import type { Trace } from '../orders/traces/order-traces.ts';
import { decidePayments, markSent, type PaymentDecision } from './payment-decisions.ts';

/**
 * Has a rail plan the next payments of one currency, the oldest first, and records its decisions and the payment file in one transaction,
 * before the file is written. Concurrent workers never take the same payment. Nothing is sent of a currency whose bank balance has a breach.
 * Returns `undefined` when no payment is due; else with the orders of the payments, and whether more may be due.
 */
export async function takePaymentBatch(ledger: Ledger, rail: Pick<Rail, 'limit' | 'collectSeconds' | 'plan'>) {
  return inTransaction(ledger, async (tx) => {
    const due = await lockReadyPayments(tx, rail.limit, rail.collectSeconds);
    if (due === undefined) return undefined;
    const { id, createdAt, payments, orders, hasMore } = due;
    const { accepted, refused, sent, file } = rail.plan(payments, { messageId: endToEndIdOf(id), createdAt });
    if (accepted.length + refused.length + sent.length !== payments.length)
      throw new Error(`the rail answered for ${accepted.length + refused.length + sent.length} of ${payments.length} payments`);
    if (file) await tx.insertInto('paymentFiles').values({ id, name: file.name, content: file.content, createdAt }).execute();
    await markSent(tx, sent, file ? id : null);
    const decisions: PaymentDecision[] = [
      ...accepted.map((payment) => ({ id: payment, refused: null, bankAccount: sandboxBank })),
      ...refused.map((payment) => ({ id: payment.id, refused: payment.reason })),
    ];
    const decided = await decidePayments(tx, decisions, ['ready']);
    return { payments: payments.map(({ id }) => id), orders, sent: sent.length, decided, file: file?.name ?? null, hasMore };
  });
}

/** The payments of a batch, their orders, and whether more may be due. */
interface DuePayments {
  id: string;
  createdAt: Date;
  payments: RailPayment[];
  orders: Trace[];
  hasMore: boolean;
}

async function lockReadyPayments(tx: LedgerTransaction, limit: number, collectSeconds: number): Promise<DuePayments | undefined> {
  const { rows } = await sql<Omit<RailPayment, 'endToEndId'> & { batch: Omit<DuePayments, 'payments' | 'orders'>; order: Trace | null }>`
    with due as materialized (
      select currency, min(created_at) as since from payments
      where state = 'ready' and currency not in (select currency from reserve_breaches where comparison = 'bank' and acknowledged_at is null)
        and not exists (select from recoveries where ended_at is null)
      group by currency
      having count(*) >= ${limit} or min(created_at) <= now() - make_interval(secs => ${collectSeconds})
    ), taken as materialized (
      select p.* from payments p where p.state = 'ready' and p.currency = (select currency from due order by since limit 1)
      order by p.created_at, p.id limit ${limit} for update skip locked
    )
    select p.id, p.kind, p.currency, p.amount, p.creditor_name, p.creditor_iban,
      p.creditor_country, p.creditor_address, p.remittance, p.structured_reference, b.batch, l.order
    from taken p
    cross join (select jsonb_build_object('id', uuidv7(), 'createdAt', now(), 'hasMore', (select count(*) > 1 from due)) as batch) b
    left join lateral (
      select jsonb_build_object('id', order_id, 'correlationId', (select correlation_id from orders where id = order_id)) as order
      from leg_history where id = p.leg limit 1
    ) l on true
    order by p.created_at, p.id
  `.execute(tx);
  if (rows[0] === undefined) return undefined;
  const { id, createdAt, hasMore } = rows[0].batch;
  return {
    id,
    createdAt: new Date(createdAt),
    payments: rows.map((payment) => Object.assign(payment, { endToEndId: endToEndIdOf(payment.id) })),
    orders: rows.flatMap(({ order }) => order ?? []),
    hasMore: hasMore || rows.length === limit,
  };
}

/**
 * Hands the oldest recorded file that is not written yet to the rail, dated by now, and marks it as written. After a crash in between it is
 * written again under the same name. No two processes write a file at the same time. Returns its name, or `undefined` when all are written, and
 * while a recovery is open.
 */
export async function writeNextFile(ledger: Ledger, rail: Pick<Rail, 'date' | 'deliver'>): Promise<string | undefined> {
  return inTransaction(ledger, async (tx) => {
    const { rows } = await sql<{ id: string; name: string; content: string }>`
      select id, name, content from payment_files where written_at is null and not exists (select from recoveries where ended_at is null)
      order by created_at, id limit 1 for update skip locked
    `.execute(tx);
    const [file] = rows;
    if (file === undefined) return undefined;
    const content = rail.date(file.content, new Date());
    await rail.deliver({ name: file.name, content });
    await sql`update payment_files set written_at = now(), content = ${content} where id = ${file.id}`.execute(tx);
    return file.name;
  });
}
