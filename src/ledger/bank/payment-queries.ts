import { sql } from 'kysely';
import { type MinorUnits, minorUnits } from '../../platform/money.ts';
import { endToEndIdOf } from '../end-to-end-id.ts';
import type { Ledger } from '../ledger.ts';
import type { PaymentState } from '../tables/bank.ts';

/** Which payments are listed, and how many at most. */
export interface PaymentListFilter {
  state?: PaymentState[];
  kind?: 'payout' | 'return';
  limit: number;
}

/** Payments to the bank as an operator sees them, the latest first. */
export async function listAllPayments(ledger: Ledger, { state, kind, limit }: PaymentListFilter) {
  let matching = ledger.selectFrom('payments').selectAll();
  if (kind) matching = matching.where('kind', '=', kind);
  // A query for each state, in whose text the state is: a plan for all states uses no index of those that are not accepted.
  const [first = matching, ...others] = [...new Set(state)].map((value) => matching.where('state', '=', sql.lit(value)));
  const listed = others
    .reduce((all, other) => all.unionAll(other), first)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  const payments = await ledger
    .selectFrom(listed.as('p'))
    .select(['p.id', 'p.kind', 'p.state', 'p.currency', 'p.amount', 'p.creditorName as payee', 'p.creditorIban as iban'])
    .select(['p.structuredReference as referenceNumber', 'p.remittance', 'p.bankStatus', 'p.reason'])
    .select('p.credit')
    // Looked up for each: the planner may take a page for more rows than it has, and read all legs to join them.
    .select((eb) => eb.selectFrom('legs').whereRef('legs.id', '=', 'p.leg').select('orderId').as('orderId'))
    .select((eb) => eb.selectFrom('paymentFiles').whereRef('paymentFiles.id', '=', 'p.file').select('name').as('file'))
    .select(['p.createdAt', 'p.sentAt', 'p.decidedAt'])
    .orderBy('p.createdAt', 'desc')
    .orderBy('p.id', 'desc')
    .execute();
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
    select f.name, replace(f.id::text, '-', '') as "messageId", p.*, f.created_at as "createdAt", f.written_at as "writtenAt"
    from payment_files f cross join lateral (
      select min(currency) as currency, count(*) as payments, sum(amount)::text as sum,
        count(*) filter (where state in ('accepted', 'returned')) as accepted, count(*) filter (where state = 'refused') as refused
      from payments where file = f.id
    ) p
    where p.payments > 0
    -- By time, because the ids are of version 7.
    order by f.id desc limit ${limit}
  `.execute(ledger);
  return rows.map((row) => Object.assign(row, { sum: minorUnits(BigInt(row.sum)) }));
}
