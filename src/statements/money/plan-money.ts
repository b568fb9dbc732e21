import type { StoredReport } from '../../ledger/bank/bank-reports.ts';
import { restReference } from '../../ledger/bank/derived-references.ts';
import type { NewCredit } from '../../ledger/bank/match-credits.ts';
import { isOwnPayment } from '../../ledger/bank/returns/own-payments.ts';
import type { LinkedCredit, ReplacedCredit } from '../../ledger/bank/reported-credits.ts';
import type { RepeatedCredit } from '../../ledger/bank/repeated-credits.ts';
import { formatAmount, type MinorUnits } from '../../platform/money.ts';
import { doubtsOf } from './money-of-lines.ts';
import { holdReasons, type Money } from './money.ts';
import type { StoredLine } from './lines-of-reports.ts';

/** What is done with money that was decided: by its credit, if it has one. */
export interface MoneyPlan {
  money: Money;
  /** `new` is recorded, `clear` is read again from a line that says more, `known` stays, `part` has no credit of its own. */
  kind: 'new' | 'clear' | 'known' | 'part';
  /** What is recorded, or as what the known credit is read. */
  made: MadeCredit | undefined;
  /** Why an operator should look at it although nothing changes. */
  alert: string | undefined;
}

/** A credit as it is made of the best line of its money. */
export interface MadeCredit {
  /** That of the known credit, or one that a new credit has if it is free. */
  reference: string;
  amount: MinorUnits | null;
  /** The credit, of all that the line says. */
  of: (facts: NewCredit) => NewCredit;
}

/** What becomes of credits beside those of the plans. */
export interface CreditChanges {
  replace: ReplacedCredit[];
  link: LinkedCredit[];
  /** By the money whose credit they repeat. */
  repeat: { reference: string; of: Money }[];
}

/** Which money may change: `isRead` says of which all reports are known, and `isNew` which reports are those of the file. */
interface Known {
  isRead: (money: Money) => boolean;
  isNew: (line: StoredLine) => boolean;
}

/** Plans what money changes in the ledger. */
export function planMoney(all: readonly Money[], { isRead, isNew }: Known): { plans: MoneyPlan[]; changes: CreditChanges } {
  const changes: CreditChanges = { replace: [], link: [], repeat: [] };
  const plans = all.flatMap((money) => {
    if (!mayChange(money, { isRead, isNew })) return [];
    return planOne(money, changes);
  });
  return { plans, changes };
}

/** What was read only to be compared with stays as it is: an amount of which not all reports are known, and a sum of which not all transactions are. */
function mayChange(money: Money, { isRead, isNew }: Known): boolean {
  if (money.left !== undefined || money.within !== undefined) return money.credit !== undefined || isRead(money);
  const lines = money.lines as StoredLine[];
  return isRead(money) && lines.some((line) => isNew(line) || !line.isSum);
}

function planOne(money: Money, changes: CreditChanges): MoneyPlan[] {
  const { within, left, credit, others } = money;
  const plan = (kind: MoneyPlan['kind'], more: Partial<MoneyPlan> = {}): MoneyPlan[] => [
    { money, kind, made: undefined, alert: undefined, ...more },
  ];
  const open = [...(credit?.state === 'open' ? [credit] : []), ...others];
  if (within !== undefined) {
    for (const { reference } of open) changes.repeat.push({ reference, of: within });
    const alert = `the sum of its entry, ${within.credit?.reference}, ${stateText(within)} before its transactions were reported: they change nothing`;
    return plan('part', { alert });
  }
  if (money.isExceeded) return credit === undefined ? plan('new', { made: exceeded(money.best as StoredLine) }) : plan('known');
  if (left === null) {
    for (const { reference } of open) changes.replace.push({ reference, remaining: null });
    return plan('part');
  }
  for (const { reference } of others) changes.repeat.push({ reference, of: money });
  const best = money.best as StoredLine;
  if (credit === undefined) return plan('new', { made: newCredit(money, best) });
  link(money, changes);
  const { report } = lineOfCredit(money);
  if (credit.state === 'open' && left !== undefined && report.creditAmount !== left)
    changes.replace.push({ reference: credit.reference, remaining: left });
  else if (credit.state === 'open' && isClearer(money, best))
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
  return isReleased || doubtsOf(best) < doubtsOf(made);
}

/** The line of which the credit was made; one that was taken for other money has none here, and nothing of it is read again. */
function lineOfCredit({ lines, credit, best }: Money): StoredLine {
  return (lines.find((line) => line.credit?.isFirst === true && line.credit.reference === credit?.reference) ?? best) as StoredLine;
}

function alertOf(money: Money, { report }: StoredLine): string | undefined {
  const { credit, surplus } = money;
  const [issued] = surplus;
  if (issued !== undefined)
    return `THE BANK BOOKED ONCE WHAT WAS ISSUED TWICE: ${issued.reference} is the money of ${credit?.reference}, and both became orders or were returned`;
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

function newCredit({ hold, left }: Money, { report }: StoredLine): MadeCredit {
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

function made({ reference, amount }: StoredReport, more: Partial<NewCredit>): MadeCredit {
  return { reference: more.reference ?? reference, amount: more.amount ?? amount, of: (facts) => ({ ...facts, ...more }) };
}

/** A sum whose transactions come to more: it has no amount, because the operator must ask the bank. */
function exceeded({ report: { reference, amount } }: StoredLine): MadeCredit {
  const amountText = amount === null ? undefined : formatAmount(amount);
  const why = `its entry comes to ${amountText}, and transactions of it are known that come to more`;
  const of = (facts: NewCredit): NewCredit => {
    const credit = { ...facts, facts: { ...facts.facts, amountText }, railReason: 'details_differ', unmatched: why };
    delete credit.amount;
    return credit;
  };
  return { reference, amount: null, of };
}

function textOf(line: StoredLine | undefined): string {
  if (line === undefined) return 'other money';
  const { amount, currency, iban } = line.report;
  const parts = [amount === null ? 'an unknown amount' : formatAmount(amount), currency?.toUpperCase(), iban && `to ${iban}`];
  return parts.filter(Boolean).join(' ');
}

/** As the ledger ends credits, when the credits that count have their references. */
export function repeatsOf({ repeat }: CreditChanges, referenceOf: (money: Money) => string | undefined): RepeatedCredit[] {
  return repeat.flatMap(({ reference, of }) => {
    const counting = referenceOf(of);
    return counting === undefined || counting === reference ? [] : [{ reference, repeats: counting }];
  });
}
