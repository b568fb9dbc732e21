import { sql } from 'kysely';
import { endToEndIdOf } from '../end-to-end-id.ts';
import type { Rail, RailPayment } from '../../bank/rail.ts';
import { sandboxBank } from '../book/accounts.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { decidePayments, markSent, type PaymentDecision } from './payment-decisions.ts';

/**
 * Has a rail plan the next payments of one currency, the oldest first, and records its decisions and the payment file in one transaction,
 * before the file is written. Concurrent workers never take the same payment. Nothing is sent of a currency whose bank balance has a breach.
 * Returns `undefined` when no payment is due.
 */
export async function takePaymentBatch(ledger: Ledger, rail: Pick<Rail, 'limit' | 'collectSeconds' | 'plan'>) {
  return inTransaction(ledger, async (tx) => {
    const payments = await lockReadyPayments(tx, rail.limit, rail.collectSeconds);
    if (payments.length === 0) return undefined;
    const { rows } = await sql<{ id: string; createdAt: Date }>`select uuidv7() as id, now() as created_at`.execute(tx);
    const [{ id, createdAt }] = rows as [(typeof rows)[number]];
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
    return { payments: payments.map(({ id }) => id), sent: sent.length, decided, file: file?.name ?? null };
  });
}

async function lockReadyPayments(tx: LedgerTransaction, limit: number, collectSeconds: number): Promise<RailPayment[]> {
  const { rows } = await sql<Omit<RailPayment, 'endToEndId'>>`
    with due as (
      select currency from payments
      where state = 'ready' and currency not in (select currency from reserve_breaches where comparison = 'bank' and acknowledged_at is null)
        and not exists (select from recoveries where ended_at is null)
      group by currency
      having count(*) >= ${limit} or min(created_at) <= now() - make_interval(secs => ${collectSeconds})
      order by min(created_at) limit 1
    )
    select p.id, p.kind, p.currency, p.amount, p.creditor_name, p.creditor_iban,
      p.creditor_country, p.creditor_address, p.remittance, p.structured_reference
    from payments p where p.state = 'ready' and p.currency = (select currency from due)
    order by p.created_at, p.id limit ${limit} for update skip locked
  `.execute(tx);
  return rows.map((payment) => Object.assign(payment, { endToEndId: endToEndIdOf(payment.id) }));
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

/**
 * Says what there may be to do for the payments to the bank: `legs` of which payments are made, `payments` that are not sent, whether or not they are due, and payment
 * `files` that are not written. One statement, and an index lookup for each: mostly there is nothing.
 */
export async function readPaymentDuties(ledger: Ledger) {
  const { rows } = await sql<{ legs: boolean; payments: boolean; files: boolean }>`
    select
      (select true from open_legs where chain is null and claim_state = 'ready' limit 1) is true as legs,
      (select true from payments where state = 'ready' order by id limit 1) is true as payments,
      (select true from payment_files where written_at is null order by created_at limit 1) is true as files
  `.execute(ledger);
  return rows[0] ?? { legs: true, payments: true, files: true };
}
