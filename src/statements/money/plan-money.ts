import { type LinkedCredit, type ReplacedCredit, unusedReferences } from '../../ledger/bank/reported-credits.ts';
import type { LedgerTransaction } from '../../ledger/ledger.ts';
import type { ReportedLine } from '../../ledger/bank/reported-line.ts';
import { restReference } from '../../ledger/bank/derived-references.ts';
import { isOwnPayment } from '../../ledger/bank/returns/own-payments.ts';
import { formatAmount, type MinorUnits } from '../../platform/money.ts';
import { paymentWithin } from './explained-payments.ts';
import { doubtsOf, holdReasons, type Money } from './money.ts';

/** What is done with money that was decided: by its credit or debit, if it has one. */
export interface MoneyPlan {
  money: Money;
  /** `new` is recorded, `clear` is read again from a line that says more, `known` stays, `part` has no credit of its own. */
  kind: 'new' | 'clear' | 'known' | 'part';
  /** What is recorded, or as what the known credit is read. */
  made: MadeMoney;
  /** Why an operator should look at it although nothing changes. */
  alert?: string | undefined;
}

/** A credit or debit as it is made of the best line of its money, beside what that says. */
interface MadeMoney {
  /** That of the known one; of a new one that of the bank, until {@link nameMoney} has found one that is free. */
  reference: string;
  amount: MinorUnits | null;
  /** Why it waits: the code, and a sentence. */
  railReason?: string;
  unmatched?: string;
  /** The amount that the bank wrote, where it is not the one that counts. */
  amountText?: string;
}

/** What becomes of credits beside those of the plans. */
interface CreditChanges {
  replace: ReplacedCredit[];
  link: LinkedCredit[];
  /** By the money whose credit they repeat. */
  repeat: { reference: string; of: Money }[];
}

/** Which money may change: `isRead` says of which all reports are known, `isNear` of which sums all transactions are, and `isNew` which reports are those of the file. */
interface Known {
  isRead: (money: Money) => boolean;
  isNear: (line: ReportedLine) => boolean;
  isNew: (line: ReportedLine) => boolean;
}

/** What money changes in the ledger: all plans, those of them that record it, and those that read it again. */
export interface Plans {
  plans: MoneyPlan[];
  fresh: MoneyPlan[];
  clear: MoneyPlan[];
  changes: CreditChanges;
}

/** Plans what money changes in the ledger. */
export function planMoney(all: readonly Money[], known: Known): Plans {
  const changes: CreditChanges = { replace: [], link: [], repeat: [] };
  const plans = all.filter((money) => mayChange(money, known)).map((money) => planOne(money, changes));
  const { new: fresh = [], clear = [] } = Object.groupBy(plans, ({ kind }) => kind);
  return { plans, fresh, clear, changes };
}

/** What was read only to be compared with stays as it is: an amount of which not all reports are known, and a sum of which not all transactions are. */
function mayChange(money: Money, { isRead, isNear, isNew }: Known): boolean {
  const { lines, left, within, credit } = money;
  if (left !== undefined || within !== undefined) return credit !== undefined || isRead(money);
  if (!isRead(money)) return false;
  // Without a day, transactions of any day may be its own.
  const isKnown = lines.every(({ bookedOn }) => bookedOn !== null);
  // What stood for a sum, or its credit, may be another's: the sum is money again.
  const isPutBack = (line: ReportedLine) => money.credit === undefined && isNear(line);
  // A sum that counts is listed with its transactions.
  if (money.credit?.isAwaited === money.isStated) return true;
  return (isKnown && hasOtherAmount(money)) || lines.some((line) => isNew(line) || !line.isSum || isPutBack(line));
}

/** Whether a credit or debit that waits is over another amount than it should be: that of a sum, of which other transactions are known now than before. */
function hasOtherAmount(money: Money): boolean {
  return money.credit?.state === 'open' && money.credit.amount !== amountOf(money);
}

/** What counts of money, in minor units: of a sum, what is left of it. */
function amountOf({ left, amount }: Money): MinorUnits | null {
  return left ?? amount;
}

function planOne(money: Money, changes: CreditChanges): MoneyPlan {
  const { within, left, credit, others, best } = money;
  const plan = (kind: MoneyPlan['kind'], alert?: string): MoneyPlan => ({ money, kind, made: madeOf(money), alert });
  const open = [...(credit?.state === 'open' ? [credit] : []), ...others];
  if (within !== undefined) {
    for (const { reference } of open) changes.repeat.push({ reference, of: within });
    return plan('part', alertOfPart(money, within));
  }
  if (money.isExceeded) {
    if (best.isDebit) return plan(credit === undefined ? 'part' : 'known', exceededText(money));
    return plan(credit === undefined ? 'new' : 'known');
  }
  if (left === null) {
    for (const { reference } of open) changes.replace.push({ reference, remaining: null });
    return plan('part');
  }
  for (const { reference } of others) changes.repeat.push({ reference, of: money });
  if (credit === undefined) return plan('new');
  link(money, changes);
  if (hasOtherAmount(money)) {
    if (best.isDebit) return plan('clear');
    const amount = amountOf(money);
    const isReduced = left !== undefined && amount !== null && credit.amount !== null && amount < credit.amount;
    changes.replace.push({ reference: credit.reference, remaining: isReduced ? amount : null });
    // The book has each reduction once: more than is recorded is recorded anew.
    return isReduced ? plan('known', alertOf(money)) : plan('new');
  }
  if (credit.state !== 'open' || !isClearer(money)) return plan('known', alertOf(money));
  return { ...plan('clear'), made: { ...madeOf(money), reference: credit.reference } };
}

/** A credit is read again where its doubt is gone, or a line says more than that of which it was made; it may still wait then, with all that is known. */
function isClearer(money: Money): boolean {
  const { best, hold, left, credit } = money;
  const made = lineOfCredit(money);
  const isReleased = holdReasons.some((reason) => reason === credit?.reason) && hold === undefined && left === undefined;
  // A debit that says more is made anew, which only what becomes of it is worth.
  const isReadAnew =
    (made.isDoubtful && !best.isDoubtful) || (best.isReturn && !made.isReturn) || (best.payment === null) !== (made.payment === null);
  if (best.isDebit) return isReleased || isReadAnew;
  return isReleased || doubtsOf(best) < doubtsOf(made);
}

/** The line of which the credit was made; one that was taken for other money has none here, and nothing of it is read again. */
export function lineOfCredit({ lines, credit, best }: Money): ReportedLine {
  return lines.find((line) => line.credit?.isFirst === true && line.credit.reference === credit?.reference) ?? best;
}

/** Of a debit, what its parts come to is all that matters: its sum is a payment file of ours, or explained, and maybe by them. */
function alertOfPart(part: Money, within: Money): string | undefined {
  const { lines, best } = part;
  if (best.isDebit && (lines.every(({ entry }) => entry.total === within.amount) || paymentWithin(part) !== undefined)) return undefined;
  const state = best.isDebit ? 'counts already' : stateText(within);
  return `the sum of its entry, ${within.credit?.reference}, ${state} before its transactions were reported: they change nothing`;
}

function stateText({ lines }: Money): string {
  const became = lines.find(({ credit }) => credit?.isFirst === true)?.credit?.became;
  const ends: Partial<Record<string, string>> = {
    matched: 'became an order',
    returned: 'was returned',
    reversed: 'was taken back by the bank',
  };
  return ends[became ?? ''] ?? 'was settled';
}

function alertOf(money: Money): string | undefined {
  const { credit, best } = money;
  const [issued] = money.surplus;
  if (issued !== undefined)
    return best.isDebit
      ? `the bank booked once what counts twice: ${issued.reference} is the money of ${credit?.reference}`
      : `THE BANK BOOKED ONCE WHAT WAS ISSUED TWICE: ${issued.reference} is the money of ${credit?.reference}, and both became orders or were returned`;
  if (credit?.state === 'spent' && isOwnPayment(best.reason) && !lineOfCredit(money).isReturn)
    return `recorded before as an ordinary credit, and now ${best.unmatched}`;
  return undefined;
}

/** A later report may say of which entry a credit is. */
function link({ lines, credit }: Money, changes: CreditChanges): void {
  if (credit === undefined || lines.some((line) => line.credit?.reference === credit.reference && line.credit.entryReference !== null))
    return;
  const { entryReference = null, entry } = lines.find((line) => line.entryReference !== null) ?? {};
  if (entryReference !== null) changes.link.push({ reference: credit.reference, entryReference, entryAmount: entry?.total ?? null });
}

/** What is made of money: a sum whose transactions come to more has no amount, because the operator must ask the bank. */
function madeOf(money: Money): MadeMoney {
  const { best, amount, hold, left, isExceeded } = money;
  const { reference, currency, reason, unmatched } = best;
  if (isExceeded) {
    const amountText = amount === null ? {} : { amountText: formatAmount(amount) };
    return { reference, amount: null, railReason: 'details_differ', unmatched: exceededText(money), ...amountText };
  }
  if (left !== undefined && left !== null) {
    const why = `its entry comes to ${formatAmount(amount ?? left)} ${currency?.toUpperCase()}, and transactions of it are known; this is the rest`;
    return { reference: restReference(reference), amount: left, railReason: 'details_differ', unmatched: why };
  }
  if (hold === undefined) return { reference, amount };
  const known = hold.of?.credit?.reference ?? hold.of?.best.reference;
  const why = {
    suspected_repeat: `it may be the money of ${known}: ${hold.why}`,
    reference_conflict: `the bank's reference ${reference} was used before, for ${textOf(hold.of?.best)}`,
    details_differ: hold.why,
  }[hold.reason];
  // A reason of the reader is graver, and stays.
  return { reference, amount, railReason: reason ?? hold.reason, unmatched: unmatched === null ? why : `${unmatched}; ${why}` };
}

function exceededText({ amount }: Money): string {
  return `its entry comes to ${amount === null ? 'an unknown amount' : formatAmount(amount)}, and transactions of it are known that come to more`;
}

function textOf(line: ReportedLine | undefined): string {
  if (line === undefined) return 'other money';
  const { amount, currency, iban } = line;
  const parts = [amount === null ? 'an unknown amount' : formatAmount(amount), currency?.toUpperCase(), iban && `to ${iban}`];
  return parts.filter(Boolean).join(' ');
}

/** The statements under which money is booked at once, with commas between them: those of the only document that lists it. */
export function listedBy({
  money: {
    statements: [first, ...others],
  },
}: MoneyPlan): string {
  return first === undefined || others.some(({ document }) => document !== first.document) ? '' : first.document.statements.join(',');
}

/** Gives what is recorded references that are free. */
export async function nameMoney(tx: LedgerTransaction, table: 'credits' | 'bank_debits', plans: readonly MoneyPlan[]): Promise<void> {
  const wanted = plans.map(({ money: { best }, made: { reference } }) => ({ reference, bookedOn: best.bookedOn }));
  const references = await unusedReferences(tx, table, wanted);
  for (const [index, { made }] of plans.entries()) made.reference = references[index] as string;
}

/** The reference of money, by the plans: that under which it is recorded, or that which it has. */
export function referencesOf({ fresh, clear }: Plans): (money: Money) => string | undefined {
  const recorded = new Map([...fresh, ...clear].map(({ money, made }) => [money, made] as const));
  return (money) => recorded.get(money)?.reference ?? money.credit?.reference;
}
