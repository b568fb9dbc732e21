import { sql } from 'kysely';
import { StopError } from '../../../platform/errors.ts';
import { formatAmount, type MinorUnits } from '../../../platform/money.ts';
import { accounts, bankAccount } from '../../book/accounts.ts';
import { recordEntries } from '../../book/entries.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../../ledger.ts';
import { recordDebits } from '../debits/bank-debits.ts';
import { unusedReferences } from '../reported-credits.ts';
import { listWith } from '../statements/bank-statements.ts';
import { findWaitingCredit, type WaitingCredit } from './unmatched-credits.ts';
import { unknownDirection } from './unmatched-remedies.ts';

/**
 * What an operator settles an unmatched credit as: the operator's own money, such as a top-up, interest or a refunded fee; or the money of an unexplained
 * debit, by its reference, which the bank undoes, such as the debit of a payment that was refused; or no credit but a debit, which is to be explained, where the bank did not
 * say which way the money went.
 */
export type Settlement = { as: 'own' } | { as: 'debit' } | { as: 'difference'; debit: string };

/** How an operator settles an unmatched credit. */
export type CreditSettlement = Settlement & {
  reference: string;
  /** Why, for those who read the credit later. */
  reason: string;
  operator: string;
};

interface SettledCredit {
  reference: string;
  bookedOn: string | null;
  currency: string | null;
  amount: MinorUnits | null;
}

/**
 * Settles an unmatched credit, once: it becomes neither an order nor a return, but the operator's own money, or it undoes an unexplained debit, which is explained by
 * it, or it is one. Throws `not_found`, `credit_not_unmatched`, and `not_possible` when the debit is not unexplained, or is over another amount or currency.
 */
export async function settleCredit(ledger: Ledger, settlement: CreditSettlement): Promise<void> {
  const { reference, as, reason } = settlement;
  await inTransaction(ledger, async (tx) => {
    const waiting = await findWaitingCredit(tx, reference, 'lock');
    if (as === 'debit') assertMayHaveLeft(waiting);
    const { rows } = await sql<SettledCredit>`
      update credits set state = 'settled', settled_as = ${as}, settled_at = now(), reason = ${reason}
      where reference = ${reference} and state = 'unmatched'
      returning reference, booked_on::text as booked_on, currency, amount
    `.execute(tx);
    const [credit] = rows as [SettledCredit];
    if (settlement.as === 'difference') await undoDebit(tx, settlement, credit);
    const { bookedOn, currency, amount } = credit;
    if (amount === null || currency === null) return;
    const credited = { own: accounts.operator, difference: accounts.differences, debit: bankAccount(waiting.bankAccount) }[as];
    await recordEntries(tx, [
      {
        kind: 'credit-settled',
        source: reference,
        ...(bookedOn !== null && { bookedOn }),
        debit: accounts.suspense,
        credit: credited,
        currency,
        amount,
      },
    ]);
    if (as === 'debit') await recordAsDebit(tx, waiting, amount);
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
async function recordAsDebit(tx: LedgerTransaction, credit: WaitingCredit, amount: MinorUnits): Promise<void> {
  const { bankAccount: account, currency, bookedOn, endToEndId, remittance, source } = credit;
  const day = bookedOn ?? new Date().toISOString().slice(0, 10);
  const [reference = ''] = await unusedReferences(tx, 'bank_debits', [{ reference: credit.reference, bookedOn: day }]);
  const debit = { reference, account, currency: currency ?? '', amount, bookedOn: day, isSum: false, payee: {}, files: [] };
  const texts = { ...(endToEndId !== null && { endToEndId }), ...(remittance !== null && { remittance }) };
  await recordDebits(
    tx,
    [{ debit: { ...debit, ...texts }, problem: 'the bank does not say which way the money went, and an operator that it left' }],
    source,
  );
  await listWith(tx, credit.reference, [credit.reference, reference]);
}

/** `unexplained` -> `explained`. */
async function undoDebit(
  tx: LedgerTransaction,
  { debit, reason, operator }: { debit: string; reason: string; operator: string },
  { reference, amount, currency }: SettledCredit,
): Promise<void> {
  const row = await tx
    .selectFrom('bankDebits')
    .where('reference', '=', debit)
    .select(['state', 'amount', 'currency'])
    .forUpdate()
    .executeTakeFirst();
  if (row?.state !== 'unexplained') throw notUndone(debit, row === undefined ? 'there is none' : `it is ${row.state}`);
  if (row.amount !== amount || row.currency !== currency)
    throw notUndone(
      debit,
      `it is over ${row.amount === null ? 'an unknown amount of' : formatAmount(row.amount)} ${row.currency.toUpperCase()}, and the credit is not`,
    );
  await tx
    .updateTable('bankDebits')
    .set({ state: 'explained', explainedAs: 'undone-by', undoneBy: reference, explanation: reason, explainedBy: operator })
    .set({ explainedAt: sql`now()`, problem: null })
    .where('reference', '=', debit)
    .execute();
}

function notUndone(debit: string, why: string): StopError {
  return new StopError({ code: 'not_possible', message: `The credit does not undo the debit ${debit}: ${why}` });
}
