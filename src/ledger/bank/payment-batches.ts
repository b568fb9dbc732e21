import { sql } from 'kysely';
import { endToEndIdOf } from '../end-to-end-id.ts';
import type { Rail, RailPayment } from '../../bank/rail.ts';
import { hiddenFromPlanner } from '../hidden-from-planner.ts';
import { accounts, sandboxBank } from '../book/accounts.ts';
import { bookEntries } from '../book/entries.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { decidePayments, owedBy, type PaymentDecision } from './payment-decisions.ts';

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

/** `ready` -> `sent`, with the entries of the book. `file` is the payment file that holds them, if there is one. */
export async function markSent(tx: LedgerTransaction, ids: readonly string[], file: string | null): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    with sent as (
      update payments set state = 'sent', sent_at = now(), file = ${file} where id = any(${ids}::uuid[]) and ${hiddenFromPlanner(sql`state = 'ready'`)}
      returning id, kind, currency, amount
    ), ${bookEntries(sql`
      select 'payment-sent' as kind, p.id::text as source, null::date as booked_on, ${owedBy('p.kind')} as debit, ${accounts.payments} as credit,
        p.currency, p.amount
      from sent p`)}
    select
  `.execute(tx);
}
