import type { StoredReport } from '../../ledger/bank/related-reports.ts';
import { restReference } from '../../ledger/bank/derived-references.ts';
import { isOwnPayment } from '../../ledger/bank/returns/own-payments.ts';
import type { LinkedCredit, ReplacedCredit } from '../../ledger/bank/reported-credits.ts';
import type { RepeatedCredit } from '../../ledger/bank/repeated-credits.ts';
import { formatAmount, type MinorUnits } from '../../platform/money.ts';
import { idOfEndToEndId } from '../../ledger/end-to-end-id.ts';
import type { StoredLine } from './lines-of-reports.ts';
import { doubtsOf, holdReasons, type Money } from './money.ts';
import type { ReportedLine } from './reported-line.ts';

/** What is done with money that was decided: by its credit or debit, if it has one. */
export interface MoneyPlan {
  money: Money;
  /** `new` is recorded, `clear` is read again from a line that says more, `known` stays, `part` has no credit of its own. */
  kind: 'new' | 'clear' | 'known' | 'part';
  /** What is recorded, or as what the known credit is read. */
  made: MadeMoney | undefined;
  /** Why an operator should look at it although nothing changes. */
  alert: string | undefined;
}

/** A credit or debit as it is made of the best line of its money, beside what that says. */
export interface MadeMoney {
  /** That of the known one, or one that a new one has if it is free. */
  reference: string;
  amount: MinorUnits | null;
  /** Why it waits: the code, and a sentence. */
  railReason?: string;
  unmatched?: string;
  /** The amount that the bank wrote, where it is not the one that counts. */
  amountText?: string;
}

/** What becomes of credits beside those of the plans. */
export interface CreditChanges {
  replace: ReplacedCredit[];
  link: LinkedCredit[];
  /** By the money whose credit they repeat. */
  repeat: { reference: string; of: Money }[];
}

/** Which money may change: `isRead` says of which all reports are known, `isNear` of which sums all transactions are, and `isNew` which reports are those of the file. */
interface Known {
  isRead: (money: Money) => boolean;
  isNear: (line: StoredLine) => boolean;
  isNew: (line: StoredLine) => boolean;
}

/** Plans what money changes in the ledger. */
export function planMoney(all: readonly Money[], known: Known): { plans: MoneyPlan[]; changes: CreditChanges } {
  const changes: CreditChanges = { replace: [], link: [], repeat: [] };
  const plans = all.flatMap((money) => {
    if (!mayChange(money, known)) return [];
    return planOne(money, changes);
  });
  return { plans, changes };
}

/** What was read only to be compared with stays as it is: an amount of which not all reports are known, and a sum of which not all transactions are. */
function mayChange(money: Money, { isRead, isNear, isNew }: Known): boolean {
  if (money.left !== undefined || money.within !== undefined) return money.credit !== undefined || isRead(money);
  const lines = money.lines as StoredLine[];
  if (!isRead(money)) return false;
  // Without a day, transactions of any day may be its own.
  const isKnown = lines.every(({ bookedOn }) => bookedOn !== null);
  // What stood for a sum may be another's: the sum is money again.
  const isPutBack = (line: StoredLine) => line.credit === null && isNear(line);
  return (isKnown && hasOtherAmount(money)) || lines.some((line) => isNew(line) || !line.isSum || isPutBack(line));
}

/** Whether a credit or debit that waits is over another amount than it should be: that of a sum, of which other transactions are known now than before. */
function hasOtherAmount(money: Money): boolean {
  return money.credit?.state === 'open' && lineOfCredit(money).report.creditAmount !== amountOf(money);
}

/** The amount to which the credit of money is reduced; null where it is not over more than that. */
function reducedTo(money: Money): MinorUnits | null {
  const [amount, { report }] = [amountOf(money), lineOfCredit(money)];
  return amount !== null && report.creditAmount !== null && amount < report.creditAmount ? amount : null;
}

/** What counts of money, in minor units: of a sum, what is left of it. */
function amountOf({ left, best }: Money): MinorUnits | null {
  return left ?? best.amount;
}

function planOne(money: Money, changes: CreditChanges): MoneyPlan[] {
  const { within, left, credit, others } = money;
  const plan = (kind: MoneyPlan['kind'], more: Partial<MoneyPlan> = {}): MoneyPlan[] => [
    { money, kind, made: undefined, alert: undefined, ...more },
  ];
  const open = [...(credit?.state === 'open' ? [credit] : []), ...others];
  if (within !== undefined) {
    for (const { reference } of open) changes.repeat.push({ reference, of: within });
    return plan('part', { alert: alertOfPart(money, within) });
  }
  if (money.isExceeded) {
    if (isDebit(money)) return plan(credit === undefined ? 'part' : 'known', { alert: exceededText(money.best) });
    return credit === undefined ? plan('new', { made: exceeded(money.best as StoredLine) }) : plan('known');
  }
  if (left === null) {
    for (const { reference } of open) changes.replace.push({ reference, remaining: null });
    return plan('part');
  }
  for (const { reference } of others) changes.repeat.push({ reference, of: money });
  const best = money.best as StoredLine;
  if (credit === undefined) return plan('new', { made: newCredit(money, best) });
  link(money, changes);
  if (hasOtherAmount(money)) {
    if (isDebit(money)) return plan('clear', { made: newCredit(money, best) });
    const remaining = reducedTo(money);
    changes.replace.push({ reference: credit.reference, remaining });
    // The book has each reduction once: more than is recorded is recorded anew.
    if (remaining === null) return plan('new', { made: newCredit(money, best) });
  } else if (credit.state === 'open' && isClearer(money, best))
    return plan('clear', { made: { ...newCredit(money, best), reference: credit.reference } });
  return plan('known', { alert: alertOf(money, best) });
}

function stateText({ lines }: Money): string {
  const state = (lines as StoredLine[]).find(({ credit }) => credit?.isFirst === true)?.report.creditState;
  const ends: Partial<Record<string, string>> = {
    matched: 'became an order',
    returned: 'was returned',
    reversed: 'was taken back by the bank',
  };
  return ends[state ?? ''] ?? 'was settled';
}

/** A credit is read again where its doubt is gone, or a line says more than that of which it was made; it may still wait then, with all that is known. */
function isClearer(money: Money, best: StoredLine): boolean {
  const made = lineOfCredit(money);
  const isReleased =
    holdReasons.some((reason) => reason === made.report.creditReason) && money.hold === undefined && money.left === undefined;
  // A debit that says more is made anew, which only what becomes of it is worth.
  if (isDebit(money))
    return (
      isReleased || (made.isDoubtful && !best.isDoubtful) || (best.isReturn && !made.isReturn) || isOfPayment(best) !== isOfPayment(made)
    );
  return isReleased || doubtsOf(best) < doubtsOf(made);
}

/** Whether money left. */
export function isDebit({ best }: Money): boolean {
  return (best as StoredLine).report.isDebit;
}

function isOfPayment({ report: { endToEndId } }: StoredLine): boolean {
  return idOfEndToEndId(endToEndId ?? undefined) !== undefined;
}

/** Of a debit, what its parts come to is all that matters: its sum is a payment file of ours, or explained. */
function alertOfPart(part: Money, within: Money): string | undefined {
  const state = isDebit(part) ? 'counts already' : stateText(within);
  if (isDebit(part) && part.lines.every(({ entry }) => entry.total === within.best.amount)) return undefined;
  return `the sum of its entry, ${within.credit?.reference}, ${state} before its transactions were reported: they change nothing`;
}

/** The line of which the credit was made; one that was taken for other money has none here, and nothing of it is read again. */
function lineOfCredit({ lines, credit, best }: Money): StoredLine {
  return (lines.find((line) => line.credit?.isFirst === true && line.credit.reference === credit?.reference) ?? best) as StoredLine;
}

function alertOf(money: Money, { report }: StoredLine): string | undefined {
  const { credit, surplus } = money;
  const [issued] = surplus;
  if (issued !== undefined)
    return isDebit(money)
      ? `the bank booked once what counts twice: ${issued.reference} is the money of ${credit?.reference}`
      : `THE BANK BOOKED ONCE WHAT WAS ISSUED TWICE: ${issued.reference} is the money of ${credit?.reference}, and both became orders or were returned`;
  if (credit?.state === 'spent' && isOwnPayment(report.reason) && !lineOfCredit(money).isReturn)
    return `recorded before as an ordinary credit, and now ${report.unmatched}`;
  return undefined;
}

/** A later report may say of which entry a credit is. */
function link({ lines, credit }: Money, changes: CreditChanges): void {
  const stored = lines as StoredLine[];
  if (credit === undefined || stored.some(({ report }) => report.credit === credit.reference && report.creditEntry !== null)) return;
  const report = stored.find((line) => line.report.entryReference !== null)?.report;
  if (report?.entryReference === undefined || report.entryReference === null) return;
  const { entryReference, entryTotal } = report;
  changes.link.push({ reference: credit.reference, entryReference, entryAmount: entryTotal });
}

function newCredit({ hold, left }: Money, { report }: StoredLine): MadeMoney {
  const { reference, amount, currency, reason, unmatched } = report;
  if (left !== undefined && left !== null) {
    const why = `its entry comes to ${formatAmount(amount ?? left)} ${currency?.toUpperCase()}, and transactions of it are known; this is the rest`;
    return made(report, { reference: restReference(reference), amount: left, railReason: 'details_differ', unmatched: why });
  }
  if (hold === undefined) return made(report, {});
  const other = hold.of?.best as StoredLine | undefined;
  const known = hold.of?.credit?.reference ?? other?.report.reference;
  const why = {
    suspected_repeat: `it may be the money of ${known}: ${hold.why}`,
    reference_conflict: `the bank's reference ${reference} was used before, for ${textOf(other)}`,
    details_differ: hold.why,
  }[hold.reason];
  // A reason of the reader is graver, and stays.
  return made(report, { railReason: reason ?? hold.reason, unmatched: unmatched === null ? why : `${unmatched}; ${why}` });
}

function made({ reference, amount }: StoredReport, more: Partial<MadeMoney>): MadeMoney {
  return { reference, amount, ...more };
}

/** A sum whose transactions come to more: it has no amount, because the operator must ask the bank. */
function exceeded({ report }: StoredLine): MadeMoney {
  const amountText = report.amount === null ? {} : { amountText: formatAmount(report.amount) };
  return made(report, { amount: null, railReason: 'details_differ', unmatched: exceededText(report), ...amountText });
}

function exceededText({ amount }: Pick<ReportedLine, 'amount'>): string {
  return `its entry comes to ${amount === null ? 'an unknown amount' : formatAmount(amount)}, and transactions of it are known that come to more`;
}

function textOf(line: StoredLine | undefined): string {
  if (line === undefined) return 'other money';
  const { amount, currency, iban } = line.report;
  const parts = [amount === null ? 'an unknown amount' : formatAmount(amount), currency?.toUpperCase(), iban && `to ${iban}`];
  return parts.filter(Boolean).join(' ');
}

/** The statements under which money is booked at once, with commas between them: those of the only document that lists it. */
export function listedBy({ money }: MoneyPlan): string {
  const [first, ...others] = money.statements as StoredLine[];
  return first === undefined || others.some(({ document }) => document !== first.document) ? '' : first.report.statements.join(',');
}

/** As the ledger ends credits, when the credits that count have their references. */
export function repeatsOf({ repeat }: CreditChanges, referenceOf: (money: Money) => string | undefined): RepeatedCredit[] {
  return repeat.flatMap(({ reference, of }) => {
    const counting = referenceOf(of);
    return counting === undefined || counting === reference ? [] : [{ reference, repeats: counting }];
  });
}
