import { isBankReference } from '../bank/iso20022/camt/credit-references.ts';
import { isOwnPayment } from '../ledger/bank/returns/own-payments.ts';
import type { NewCredit } from '../ledger/bank/match-credits.ts';
import type { ReportedCredit } from '../ledger/bank/reported-credits.ts';

/** What two reports of money are compared by. Null is what a report does not say. */
export type MoneyReport = Pick<
  ReportedCredit,
  'reference' | 'bankAccount' | 'amount' | 'currency' | 'iban' | 'payer' | 'endToEndId' | 'uetr' | 'bookedOn' | 'message' | 'railReason'
>;

/** How sure it is that two reports under different references are of the same money. */
export type Likeness = 'certain' | 'possible' | 'none';

/** A bank may notify at night of what it books after the weekend or a holiday. Days of the calendar. */
const mostDaysBetween = 5;

/**
 * Compares two reports by the table in docs/bank-files.md (Repeats). `certain` only says that the two agree: whether the recorded credit
 * has been reported in the same way already is for the caller to look at.
 */
export function likenessOf(credit: MoneyReport, known: MoneyReport): Likeness {
  if (bothKnown(credit.uetr, known.uetr)) return isSameUetr(credit, known) ? likenessByUetr(credit, known) : 'none';
  return likenessByEndToEndId(credit, known);
}

function likenessByUetr(credit: MoneyReport, known: MoneyReport): Likeness {
  const agrees =
    credit.amount !== null &&
    credit.amount === known.amount &&
    credit.currency === known.currency &&
    areOfOneAccount(credit, known) &&
    ibansOf(credit, known) !== 'differ' &&
    payersOf(credit, known) !== 'differ' &&
    !differ(credit.endToEndId, known.endToEndId) &&
    isOwnPayment(credit.railReason) === isOwnPayment(known.railReason) &&
    daysBetween(credit.bookedOn, known.bookedOn) <= mostDaysBetween;
  const isOtherReport = areOfOtherKinds(credit, known) || isBankReference(credit.reference) !== isBankReference(known.reference);
  return agrees && isOtherReport ? 'certain' : 'possible';
}

/** Never certain: a payer chooses the EndToEndId, and may pay twice by it on a day. */
function likenessByEndToEndId(credit: MoneyReport, known: MoneyReport): Likeness {
  const isSame =
    credit.endToEndId !== null &&
    credit.endToEndId === known.endToEndId &&
    credit.amount !== null &&
    credit.amount === known.amount &&
    credit.currency === known.currency &&
    credit.bookedOn !== null &&
    credit.bookedOn === known.bookedOn;
  return isSame && payersOf(credit, known) !== 'differ' && ibansOf(credit, known) !== 'differ' ? 'possible' : 'none';
}

/** Whether two reports have the same UETR. */
export function isSameUetr(credit: MoneyReport, known: MoneyReport): boolean {
  return credit.uetr !== null && credit.uetr === known.uetr;
}

/** Whether two credits cannot be the same money, because the payer's or a bank's own facts of them differ. */
export function areOtherMoney(credit: MoneyReport, known: MoneyReport): boolean {
  return (
    differ(credit.uetr, known.uetr) ||
    differ(credit.endToEndId, known.endToEndId) ||
    ibansOf(credit, known) === 'differ' ||
    differ(accountOf(credit), accountOf(known))
  );
}

/** Whether two credits under one reference of the bank are of different payments: by the UETR, else by both the EndToEndId and the payer's account. */
export function hasOtherPayment(credit: MoneyReport, known: MoneyReport): boolean {
  if (bothKnown(credit.uetr, known.uetr)) return differ(credit.uetr, known.uetr);
  return differ(credit.endToEndId, known.endToEndId) && differ(accountOf(credit), accountOf(known));
}

/** The IBANs by which another report of a credit can be found: its own, and the master account when a report names no creditor. */
export function ibansOfRepeats(credit: NewCredit): string[] | undefined {
  return credit.iban === undefined || credit.iban === credit.bankAccount ? undefined : [credit.iban, credit.bankAccount];
}

/** A credit that is not recorded yet, for a comparison. */
export function reportOf(credit: NewCredit): MoneyReport {
  return {
    reference: credit.reference,
    bankAccount: credit.bankAccount,
    amount: credit.amount ?? null,
    currency: credit.currency ?? null,
    iban: credit.iban ?? null,
    payer: credit.payer,
    endToEndId: credit.endToEndId ?? null,
    uetr: credit.uetr ?? null,
    bookedOn: credit.bookedOn ?? null,
    message: credit.message ?? null,
    railReason: credit.railReason ?? null,
  };
}

/** A report without a creditor credits the master account, which says nothing of whose the money is. */
function ibansOf(credit: MoneyReport, known: MoneyReport): 'agree' | 'unknown' | 'differ' {
  if (credit.iban === null || known.iban === null) return 'unknown';
  if (credit.iban === known.iban) return 'agree';
  return areOfOneAccount(credit, known) && (creditsMaster(credit) || creditsMaster(known)) ? 'unknown' : 'differ';
}

/** Whether a report credits the master account, as one without a creditor does. */
export function creditsMaster({ iban, bankAccount }: Pick<MoneyReport, 'iban' | 'bankAccount'>): boolean {
  return iban === bankAccount;
}

/** By their accounts, else by their names. Reports cut long names, and write them in capitals. */
function payersOf(credit: MoneyReport, known: MoneyReport): 'agree' | 'unknown' | 'differ' {
  const accounts = [accountOf(credit), accountOf(known)];
  const [own, other] = accounts.includes(null) ? [nameOf(credit), nameOf(known)] : accounts;
  if (!bothKnown(own, other)) return 'unknown';
  return own === other ? 'agree' : 'differ';
}

function accountOf({ payer }: MoneyReport): string | null {
  return payer.iban ?? payer.accountNumber ?? null;
}

function nameOf({ payer }: MoneyReport): string | null {
  return payer.name?.slice(0, 35).toUpperCase() ?? null;
}

function areOfOneAccount(credit: MoneyReport, known: MoneyReport): boolean {
  return credit.bankAccount === known.bankAccount;
}

function areOfOtherKinds(credit: MoneyReport, known: MoneyReport): boolean {
  return differ(credit.message, known.message);
}

function daysBetween(day: string | null, other: string | null): number {
  return day === null || other === null ? 0 : Math.abs(Date.parse(day) - Date.parse(other)) / 86_400_000;
}

function differ(value: string | null | undefined, other: string | null | undefined): boolean {
  return bothKnown(value, other) && value !== other;
}

function bothKnown(value: string | null | undefined, other: string | null | undefined): boolean {
  return (value ?? null) !== null && (other ?? null) !== null;
}
