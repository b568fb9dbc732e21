import { sql } from 'kysely';
import { type MinorUnits, minorUnits } from '../../platform/money.ts';
import { endToEndIdOf } from '../end-to-end-id.ts';
import type { Ledger } from '../ledger.ts';
import type { PaymentState } from '../tables.ts';

/** Which payments are listed, and how many at most. */
export interface PaymentListFilter {
  state?: PaymentState[];
  kind?: 'payout' | 'return';
  limit: number;
}

/** Payments to the bank as an operator sees them, the latest first. */
export async function listAllPayments(ledger: Ledger, { state, kind, limit }: PaymentListFilter) {
  let query = ledger
    .selectFrom('payments as p')
    .leftJoin('legs as l', 'l.id', 'p.leg')
    .leftJoin('paymentFiles as f', 'f.id', 'p.file')
    .select(['p.id', 'p.kind', 'p.state', 'p.currency', 'p.amount', 'p.creditorName as payee', 'p.creditorIban as iban'])
    .select(['p.structuredReference as referenceNumber', 'p.remittance', 'p.bankStatus', 'p.reason'])
    .select(['l.orderId', 'p.credit', 'f.name as file'])
    .select(['p.createdAt', 'p.sentAt', 'p.decidedAt'])
    .orderBy('p.createdAt', 'desc')
    .orderBy('p.id', 'desc')
    .limit(limit);
  if (state) query = query.where('p.state', 'in', state);
  if (kind) query = query.where('p.kind', '=', kind);
  const payments = await query.execute();
  return payments.map((payment) => Object.assign(payment, { endToEndId: endToEndIdOf(payment.id) }));
}

/** A payment file as an operator sees it, with how many of its payments the bank has accepted and refused. */
export interface PaymentFileView {
  name: string;
  /** `MsgId` of the pain.001 message. */
  messageId: string;
  currency: string;
  payments: bigint;
  sum: MinorUnits;
  accepted: bigint;
  refused: bigint;
  createdAt: Date;
  writtenAt: Date | null;
}

/** Payment files, the latest first, with how many of their payments the bank accepted and refused. */
export async function listPaymentFiles(ledger: Ledger, limit: number): Promise<PaymentFileView[]> {
  const { rows } = await sql<Omit<PaymentFileView, 'sum'> & { sum: string }>`
    select f.name, replace(f.id::text, '-', '') as "messageId", min(p.currency) as currency, count(*) as payments, sum(p.amount)::text as sum,
      count(*) filter (where p.state in ('accepted', 'returned')) as accepted, count(*) filter (where p.state = 'refused') as refused,
      f.created_at as "createdAt", f.written_at as "writtenAt"
    from payment_files f join payments p on p.file = f.id
    group by f.id order by f.created_at desc, f.id desc limit ${limit}
  `.execute(ledger);
  return rows.map((row) => Object.assign(row, { sum: minorUnits(BigInt(row.sum)) }));
}
