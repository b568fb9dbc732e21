import { type Selectable, sql } from 'kysely';
import type { PaymentFile } from '../../bank/rail.ts';
import type { MinorUnits } from '../../platform/money.ts';
import { endToEndIdOf, idOfEndToEndId } from '../end-to-end-id.ts';
import type { Ledger } from '../ledger.ts';
import type { PaymentState } from '../../schema/states.ts';
import type { LedgerTables } from '../../schema/tables.ts';

/** Which payments are listed, and how many at most. */
export interface PaymentListFilter {
  state?: PaymentState[] | undefined;
  kind?: 'payout' | 'return' | undefined;
  /** Only payments before this one in the list. */
  after?: string | undefined;
  limit: number;
}

/** Payments to the bank as an operator sees them, the latest first. */
export async function listAllPayments(ledger: Ledger, { state, kind, after, limit }: PaymentListFilter) {
  let matching = ledger.selectFrom('payments').selectAll();
  if (after !== undefined)
    matching = matching.where(sql<boolean>`(created_at, id) < (select a.created_at, a.id from payments a where a.id = ${after})`);
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
    .select((eb) => eb.selectFrom('legHistory').whereRef('legHistory.id', '=', 'p.leg').select('orderId').as('orderId'))
    .select((eb) => eb.selectFrom('paymentFiles').whereRef('paymentFiles.id', '=', 'p.file').select('name').as('file'))
    .select(['p.createdAt', 'p.sentAt', 'p.decidedAt'])
    .orderBy('p.createdAt', 'desc')
    .orderBy('p.id', 'desc')
    .execute();
  return payments.map((payment) => Object.assign(payment, { endToEndId: endToEndIdOf(payment.id) }));
}

/** A payment file as an operator sees it, with how many of its payments the bank has accepted and refused. */
export interface PaymentFileView extends Pick<Selectable<LedgerTables['paymentFiles']>, 'name' | 'createdAt' | 'writtenAt'> {
  /** `MsgId` of the pain.001 message. */
  messageId: string;
  currency: string;
  payments: bigint;
  sum: MinorUnits;
  accepted: bigint;
  refused: bigint;
}

/** Payment files, the latest first, with how many of their payments the bank accepted and refused; `after` is the message id of the last one of the page before. */
export async function listPaymentFiles(ledger: Ledger, limit: number, after?: string): Promise<PaymentFileView[]> {
  const { rows } = await sql<PaymentFileView>`
    select f.name, replace(f.id::text, '-', '') as "messageId", p.*, f.created_at as "createdAt", f.written_at as "writtenAt"
    from payment_files f cross join lateral (
      select min(currency) as currency, count(*) as payments, sum(amount)::bigint as sum,
        count(*) filter (where state in ('accepted', 'returned')) as accepted, count(*) filter (where state = 'refused') as refused
      from payments where file = f.id
    ) p
    where p.payments > 0 and ${after === undefined ? sql`true` : sql`f.id < ${after}::uuid`}
    -- By time, because the ids are of version 7.
    order by f.id desc limit ${limit}
  `.execute(ledger);
  return rows;
}

/** A payment file as it is, or will be, handed to the bank, by the `MsgId` of its message; `undefined` when there is none. Reading it changes nothing: only the worker hands it over. */
export async function readPaymentFile(ledger: Ledger, messageId: string): Promise<PaymentFile | undefined> {
  const id = idOfEndToEndId(messageId);
  if (id === undefined) return undefined;
  return ledger.selectFrom('paymentFiles').where('id', '=', id).select(['name', 'content']).executeTakeFirst();
}
