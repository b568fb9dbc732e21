import { type Selectable, sql } from 'kysely';
import type { Chain } from '../../../platform/chains.ts';
import { StopError } from '../../../platform/errors.ts';
import { formatAmount, minorUnits } from '../../../platform/money.ts';
import type { CreditState } from '../../../schema/states.ts';
import type { LedgerTables } from '../../../schema/tables.ts';
import { endToEndIdOf, idOfEndToEndId } from '../../end-to-end-id.ts';
import type { LedgerTransaction } from '../../ledger.ts';
import { factsOfReports, type NewReport, recordDocument, recordReports } from '../bank-reports.ts';
import type { NewCredit } from '../match-credits.ts';
import { lockPayments } from '../payments.ts';
import { findWaitingCredit } from '../unmatched/unmatched-credits.ts';
import { isOwnPayment, returnedFacts } from './own-payments.ts';

/** A payment of ours that comes back with others. */
type PaymentInSum = Pick<Selectable<LedgerTables['payments']>, 'id' | 'amount'>;

/**
 * What documents report, with the payments of a file of ours instead of a credit that brings the whole file back in one sum: it names the file, and comes to its
 * payments that were not refused, or to those of them that have not come back yet. Any other stays as it is.
 */
export async function withPaymentsOfFiles(tx: LedgerTransaction, reports: readonly NewReport[]): Promise<NewReport[]> {
  const named = new Map(reports.map((report) => [report, filesNamedBy(report)]));
  const files = [...named.values()].flat();
  if (files.length === 0) return [...reports];
  const payments = await tx
    .selectFrom('payments')
    .where('file', 'in', files)
    .where('state', '<>', 'refused')
    .orderBy('id')
    .select(['id', 'file', 'currency', 'amount', 'state'])
    .execute();
  return reports.flatMap((report) => {
    const ofFile = payments.filter(({ file }) => file !== null && named.get(report)?.includes(file));
    const whole = [ofFile, ofFile.filter(({ state }) => state !== 'returned')].find((some) => isAllOf(report, some));
    return whole === undefined ? [report] : inPlaceOf(report, whole);
  });
}

function filesNamedBy(report: NewReport): string[] {
  if (!('credit' in report) || !isOwnPayment(report.credit.railReason)) return [];
  return (returnedFacts(report.credit.facts).files ?? []).flatMap((id) => idOfEndToEndId(id) ?? []);
}

function isAllOf(report: NewReport, payments: readonly (PaymentInSum & { currency: string })[]): boolean {
  const { amount, currency } = 'credit' in report ? report.credit : report.debit;
  if (payments.length === 0 || (report.entryCount ?? payments.length) !== payments.length) return false;
  return payments.every((one) => one.currency === currency) && payments.reduce((sum, one) => sum + one.amount, 0n) === amount;
}

/** The payments that come back by a credit, as if the bank had listed them as the transactions of its entry. */
function inPlaceOf(report: NewReport, payments: readonly PaymentInSum[]): NewReport[] {
  if (!('credit' in report)) return [report];
  const { number: _, uetr: __, charges: ___, amount: entryAmount, ...credit } = report.credit;
  // An operator may say so of any credit.
  const why = isOwnPayment(credit.railReason) ? {} : { railReason: 'payment_returned', unmatched: 'a payment of ours came back' };
  return payments.map(({ id, amount }) => {
    const endToEndId = endToEndIdOf(id);
    const facts = { ...credit.facts, returned: { ...returnedFacts(credit.facts), originalEndToEndId: endToEndId } };
    const about = { reference: `${credit.reference}#${endToEndId}`, isSum: false, ...(entryAmount !== undefined && { entryAmount }) };
    return { ...report, entryCount: payments.length, credit: { ...credit, ...why, ...about, amount, endToEndId, facts } };
  });
}

/**
 * Records that a waiting credit brings these payments of ours back in one sum, as an operator says: in a document that lists them, as one of the bank does. Returns its id.
 * Throws `not_possible` where they do not come to the credit or the bank lists that as a single payment, and as {@link findWaitingCredit}.
 */
export async function recordPaymentsInSum(tx: LedgerTransaction, reference: string, ids: readonly string[]): Promise<string> {
  const locked = await lockPayments(tx, ids);
  const { amount, currency } = await findWaitingCredit(tx, reference, 'lock');
  const payments = [...locked.values()];
  const missing = ids.find((id) => !locked.has(id));
  if (missing !== undefined) throw notTheSum(reference, `there is no payment ${missing}`);
  const sum = minorUnits(payments.reduce((all, one) => all + one.amount, 0n));
  if (sum !== amount || payments.some((one) => one.currency !== currency))
    throw notTheSum(
      reference,
      `the payments come to ${formatAmount(sum)}, and it is over ${amount === null ? 'an unknown amount' : formatAmount(amount)}`,
    );
  const first = await tx
    .selectFrom('reportMoney as m')
    .innerJoin('bankReports as r', 'r.id', 'm.report')
    .innerJoin('bankDocuments as d', 'd.id', 'r.document')
    .where('m.credit', '=', reference)
    .where('m.isFirst', '=', true)
    .where('r.isSum', '=', true)
    .select(['r.id', 'r.entry', 'r.line', 'r.entryNumber', 'r.entryName', 'd.account', 'd.writtenAccount'])
    .executeTakeFirst();
  const id = first?.id.toString() ?? '';
  const credit = (await factsOfReports<NewCredit>(tx, first === undefined ? [] : [id])).get(id);
  if (first === undefined || credit === undefined) throw notTheSum(reference, 'the bank reports it as a single payment');
  const { account, writtenAccount, entry, line, entryNumber, entryName } = first;
  const name = `${reference} ${ids.join(' ')}`;
  const none = { page: undefined, fromOn: undefined, closedOn: undefined, balances: {}, statements: [] };
  const document = await recordDocument(tx, {
    ...none,
    account,
    writtenAccount,
    kind: 'operator',
    name,
    created: new Date().toISOString(),
    isLastPage: true,
  });
  const place = { document, entry, line, entryNumber: entryNumber ?? undefined, entryName: entryName ?? undefined, entryCount: ids.length };
  await recordReports(tx, inPlaceOf({ ...place, credit }, payments));
  return document;
}

/** A payment that came back in a sum, and what it gives back: a payout's tokens by an order, or the credit that a return had sent back. */
export type ReturnedInSum = { payment: string; amount: string } & (
  | { orderId: string; chain: Chain; address: string }
  | { waitingCredit: string }
);

/** What became of the payments of such a document. Throws `not_possible` where the credit or one of them waits still. */
export async function requireReturned(tx: LedgerTransaction, reference: string, document: string): Promise<ReturnedInSum[]> {
  const { rows } = await sql<Returned>`
    select p.id as payment, p.amount, p.credit, c.state, c.reason, c.order_id, o.address, o.chain,
      (select state from credits where reference = ${reference}) as sum
    from bank_reports r join report_money m on m.report = r.id join credits c on c.reference = m.credit
      join payments p on p.id = (r.facts ->> 'endToEndId')::uuid left join orders o on o.id = c.order_id
    where r.document = ${document}::uuid order by p.id
  `.execute(tx);
  const waiting = rows.find(({ state }) => state === 'unmatched');
  if (waiting !== undefined) throw notTheSum(reference, waiting.reason ?? 'one of them waits');
  if (rows[0]?.sum !== 'replaced') throw notTheSum(reference, 'other credits are like it: ask the bank which payments each brings back');
  return rows.map(({ payment, amount: paid, orderId, address, chain, credit }) => {
    const amount = formatAmount(paid);
    return orderId !== null && address !== null && chain !== null
      ? { payment, amount, orderId, chain, address }
      : { payment, amount, waitingCredit: credit ?? '' };
  });
}

interface Returned extends Pick<PaymentInSum, 'amount'> {
  payment: string;
  credit: string | null;
  state: CreditState;
  reason: string | null;
  orderId: string | null;
  address: string | null;
  chain: Chain | null;
  /** The state of the credit that was the sum. */
  sum: CreditState;
}

function notTheSum(reference: string, why: string): StopError {
  return new StopError({ code: 'not_possible', message: `${reference} cannot be matched to these payments: ${why}` });
}
