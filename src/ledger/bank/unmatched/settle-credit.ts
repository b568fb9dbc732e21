import { sql } from 'kysely';
import { StopError } from '../../../platform/errors.ts';
import { accounts, bankAccount } from '../../book/accounts.ts';
import { bookEntries } from '../../book/entries.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../../ledger.ts';
import { findWaitingCredit, type WaitingCredit } from './unmatched-credits.ts';
import { formatAmount, type MinorUnits } from '../../../platform/money.ts';
import { recordDebits } from '../debits/bank-debits.ts';
import { unusedReferences } from '../reported-credits.ts';
import { listWith } from '../statements/bank-statements.ts';
import { unknownDirection } from './unmatched-remedies.ts';

/**
 * What an operator settles an unmatched credit as: the operator's own money, such as a top-up, interest or a refunded fee; or the money of an unexplained
 * debit, by its reference, which the bank undoes, such as the debit of a payment that was refused; or no credit but a debit, which is to be explained, where the bank did not
 * say which way the money went.
 */
export type Settlement = { as: 'own' } | { as: 'debit' } | { as: 'difference'; debit: string };

/**
 * Settles an unmatched credit, once: it becomes neither an order nor a return, but the operator's own money, or it undoes an unexplained debit, which is explained by
 * it, or it is one. Throws `not_found`, `credit_not_unmatched`, and `not_possible` when the debit is not unexplained, or is over another amount or currency.
 */
export async function settleCredit(
  ledger: Ledger,
  settlement: Settlement & { reference: string; reason: string; operator: string },
): Promise<void> {
  const { reference, as, reason } = settlement;
  await inTransaction(ledger, async (tx) => {
    const credit = await findWaitingCredit(tx, reference, 'lock');
    if (settlement.as === 'difference') await undoDebit(tx, settlement, credit);
    if (settlement.as === 'debit') assertMayHaveLeft(credit);
    const to = { own: accounts.operator, difference: accounts.differences, debit: bankAccount(credit.bankAccount) }[as];
    await endSettled(tx, reference, { as, reason, to });
    if (settlement.as === 'debit') await recordAsDebit(tx, credit);
  });
}

/** Only what the bank says nothing of may be a debit: a slip of the pen must not move money. */
function assertMayHaveLeft({ reference, railReason, amount, currency }: WaitingCredit): void {
  const why =
    railReason !== unknownDirection
      ? 'the bank says that it arrived'
      : 'its amount or currency is not known: ask the bank for a report that says it';
  if (railReason === unknownDirection && amount !== null && currency !== null) return;
  throw new StopError({ code: 'not_possible', message: `The credit ${reference} is no debit: ${why}` });
}

/** The debit is listed where the credit was. */
async function recordAsDebit(tx: LedgerTransaction, credit: WaitingCredit): Promise<void> {
  const { bankAccount: account, bookedOn, endToEndId, remittance, source } = credit;
  const [currency, amount] = [credit.currency ?? '', credit.amount as MinorUnits];
  const day = bookedOn ?? new Date().toISOString().slice(0, 10);
  const [reference = ''] = await unusedReferences(tx, 'bank_debits', [{ reference: credit.reference, bookedOn: day }]);
  const debit = { reference, account, currency, amount, bookedOn: day, isSum: false, payee: {}, files: [] };
  const texts = { ...(endToEndId !== null && { endToEndId }), ...(remittance !== null && { remittance }) };
  const problem = 'the bank does not say which way the money went, and an operator that it left';
  await recordDebits(tx, [{ debit: { ...debit, ...texts }, problem }], source);
  await listWith(tx, credit.reference, [credit.reference, reference]);
}

/** A locked credit: `unmatched` -> `settled`. Its money goes to an account of the book. */
export async function endSettled(
  tx: LedgerTransaction,
  reference: string,
  { as, reason, to }: { as: Settlement['as'] | 'claim'; reason: string; to: string },
): Promise<void> {
  await sql`
    with settled as (
      update credits set state = 'settled', settled_as = ${as}, settled_at = now(), reason = ${reason}
      where reference = ${reference} and state = 'unmatched' returning *
    ), ${bookEntries(sql`
      select 'credit-settled' as kind, reference as source, booked_on, ${accounts.suspense} as debit, ${to} as credit, currency, amount
      from settled where currency is not null and amount is not null`)}
    select
  `.execute(tx);
}

/** `unexplained` -> `explained`. */
async function undoDebit(
  tx: LedgerTransaction,
  { debit, reason, operator }: { debit: string; reason: string; operator: string },
  { reference, amount, currency }: WaitingCredit,
): Promise<void> {
  const row = await tx.selectFrom('bankDebits').where('reference', '=', debit).selectAll().forUpdate().executeTakeFirst();
  const isSame = row?.amount === amount && row.currency === currency;
  if (row?.state !== 'unexplained' || !isSame) {
    const money = `${row?.amount ? formatAmount(row.amount) : 'an unknown amount of'} ${row?.currency.toUpperCase()}`;
    const known = row?.state === 'unexplained' ? `it is over ${money}, and the credit is not` : `it is ${row?.state}`;
    const message = `The credit does not undo the debit ${debit}: ${row === undefined ? 'there is none' : known}`;
    throw new StopError({ code: 'not_possible', message });
  }
  await sql`
    update bank_debits set state = 'explained', explained_as = 'undone-by', undone_by = ${reference}, explanation = ${reason}, explained_by = ${operator},
      explained_at = now(), problem = null where reference = ${debit} and state = 'unexplained'
  `.execute(tx);
}
