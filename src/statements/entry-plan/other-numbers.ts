import type { NewCredit } from '../../ledger/bank/match-credits.ts';
import type { ReportedCredit } from '../../ledger/bank/reported-credits.ts';
import type { MinorUnits } from '../../platform/money.ts';
import { conflicting } from '../conflicts.ts';
import { areOtherMoney, reportOf } from '../same-money.ts';
import type { EntryPlan } from './changes.ts';
import { countingOf, countsUnder, sumCounting } from './known-credits.ts';
import { planNewCredits } from './new-credits.ts';

/** What is known of an entry of which a report lists transactions. */
interface KnownEntry {
  reference: string;
  /** Its transactions that this report does not list. */
  others: ReportedCredit[];
  sum: ReportedCredit | undefined;
  /** What this report lists. */
  total: MinorUnits | undefined;
  /** Whether the known transactions come to the sum. */
  isFull: boolean;
}

/**
 * Transactions of an entry of which others are known. They are the same under other numbers when this report lists the whole entry, and else
 * further ones, as far as there is room for them in the sum of the entry.
 */
export function planOtherNumbers(plan: EntryPlan, newCredits: NewCredit[], entry: KnownEntry): void {
  const { others, sum, total } = entry;
  const { repeats, rest, unpaired } = pairUp(newCredits, others);
  const isNumbered = areNumbered([...newCredits, ...others], entry.reference);
  const isWhole = listsWhole(entry);
  if (isWhole && (rest.length === 0 || !isNumbered)) {
    plan.record.push(...repeats);
    plan.known.push(...rest.map((credit) => ({ credit })));
    if (sum?.state === 'unmatched') plan.replace.push({ reference: sum.reference, remaining: null });
  } else if (isWhole && unpaired.length === 0 && sum?.state === 'unmatched') {
    plan.record.push(...repeats);
    planNewCredits(plan, rest, { sum, total });
  } else if (entry.isFull && rest.length === 0) plan.record.push(...repeats);
  else if (isWhole || !isNumbered || entry.isFull) {
    const why = 'other transactions of the same entry are known, which do not add up';
    plan.record.push(...newCredits.map((credit) => conflicting(credit, 'details_differ', why)));
  } else planFurther(plan, newCredits, entry);
}

/** Whether a report lists all transactions of an entry: they come to its sum or, while that is not known, to what another report of it lists. */
function listsWhole({ others, sum, total }: KnownEntry): boolean {
  if (total === undefined) return false;
  if (sum !== undefined) return total === sum.entryAmount;
  return total === sumCounting(others) || others.some(({ entryAmount }) => entryAmount === total);
}

/**
 * A report of a part of an entry, of which another part is known. What may be the same under another number is not issued: without a sum it
 * waits for an operator; else the sum's rest waits, as long as messages of several kinds report it.
 */
function planFurther(plan: EntryPlan, newCredits: NewCredit[], { others, sum, total }: KnownEntry): void {
  const alike =
    sum === undefined
      ? others
      : others.filter(({ message }) => message === null || newCredits.every((credit) => credit.message !== message));
  const { repeats, rest } = pairUp(newCredits, alike);
  if (sum === undefined) plan.record.push(...repeats.map(suspected));
  else {
    const alert = `it is a transaction of ${sum.reference} that is known under another number, or one of the rest of that sum: nothing was done`;
    plan.known.push(...repeats.map((credit) => ({ credit, alert })));
  }
  planNewCredits(plan, rest, { sum, total: repeats.length > 0 ? undefined : total });
}

function suspected(credit: NewCredit): NewCredit {
  const reference = credit.repeats?.reference ?? '';
  const why = `it may be ${reference}, a transaction of the same entry with the same amount`;
  return {
    ...credit,
    repeats: { reference, isCertain: false },
    railReason: credit.railReason ?? 'suspected_repeat',
    unmatched: credit.unmatched === undefined ? why : `${credit.unmatched}; ${why}`,
  };
}

/** Pairs transactions under new numbers with known ones of the same amount that may be the same, each with one. */
function pairUp(newCredits: readonly NewCredit[], others: readonly ReportedCredit[]) {
  const unpaired = countingOf(others);
  const repeats: NewCredit[] = [];
  const rest: NewCredit[] = [];
  for (const credit of newCredits) {
    const report = reportOf(credit);
    const index = unpaired.findIndex(
      (known) => known.amount === report.amount && known.currency === report.currency && !areOtherMoney(report, known),
    );
    const [known] = index < 0 ? [] : unpaired.splice(index, 1);
    if (known === undefined) rest.push(credit);
    else repeats.push({ ...credit, repeats: { reference: countsUnder(known), isCertain: true } });
  }
  return { repeats, rest, unpaired };
}

/** Whether all have references of their own, rather than ones made from the entry's. */
function areNumbered(credits: readonly { reference: string }[], entryReference: string): boolean {
  return credits.every(({ reference }) => reference !== entryReference && !reference.startsWith(`${entryReference}#`));
}
