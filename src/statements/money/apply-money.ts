import { assignReports, factsOfReports, type ReportedMoney } from '../../ledger/bank/bank-reports.ts';
import {
  balancesOfDays,
  findReports,
  type MoneyKey,
  mostDaysBetween,
  nextMoneyKeys,
  relatedMoney,
  type StoredReport,
} from '../../ledger/bank/related-reports.ts';
import { type AwaitedCredit, recordAwaited } from '../../ledger/bank/awaited-credits.ts';
import { filesWithSums, moneyOfFiles } from '../../ledger/bank/debits/payment-file-debits.ts';
import { chargesReference } from '../../ledger/bank/derived-references.ts';
import { withKeptPlans } from '../../ledger/bank/bank-files.ts';
import { clarifyCredits, recordCredits, type RecordedCredit } from '../../ledger/bank/credits.ts';
import type { NewCredit, RecordOptions } from '../../ledger/bank/match-credits.ts';
import { type BookedAfterAll, undoNotBooked } from '../../ledger/bank/claims/not-booked.ts';
import { linkCredits, replaceCredits, unusedReferences } from '../../ledger/bank/reported-credits.ts';
import { markRepeated } from '../../ledger/bank/repeated-credits.ts';
import { matchReturnedPayments } from '../../ledger/bank/returns/returned-payments.ts';
import { bookUnderStatements, listBookings } from '../../ledger/bank/statements/bank-statements.ts';
import { idOfEndToEndId } from '../../ledger/end-to-end-id.ts';
import type { LedgerTransaction } from '../../ledger/ledger.ts';
import { applyDebits, type ReportedReversal } from '../apply-debits.ts';
import type { createStatementReport } from '../statement-report.ts';
import { daysBetween } from './compare-lines.ts';
import { decideMoney } from './decide-money.ts';
import type { Money } from './money.ts';
import { linesOf, type StoredLine } from './lines-of-reports.ts';
import { type ReportedLine, statementKind } from './reported-line.ts';
import { isDebit, listedBy, type MadeMoney, type MoneyPlan, planMoney, repeatsOf } from './plan-money.ts';

/** A document of the file that is imported, and how much it reports. */
export interface ImportedDocument {
  id: string;
  reports: number;
}

interface Import {
  options: RecordOptions;
  report: ReturnType<typeof createStatementReport>;
}

/** Reports that are decided at once: enough that round trips cost little, few enough that they are some megabytes. */
const atOnce = 500;

/**
 * Decides which money the documents of a file report, and records it. Reads what is known of the same amounts near their days, and writes what that has changed. Its
 * memory does not grow with the file, unless very many of its lines are over one amount. Returns the debits that take credits back.
 */
export async function applyMoney(
  tx: LedgerTransaction,
  documents: readonly ImportedDocument[],
  imported: Import,
): Promise<ReportedReversal[]> {
  const reversals: ReportedReversal[] = [];
  const early = new Set<string>();
  const all = new Set(documents.map(({ id }) => id));
  // Whether a payment that comes back was booked twice is known when all that left is.
  for (const side of ['debits', 'credits'] as const)
    for (const group of groupsOf(documents)) {
      let after: MoneyKey | undefined;
      for (;;) {
        const keys = await nextMoneyKeys(tx, group, { side, after, limit: atOnce });
        if (keys.length === 0) break;
        reversals.push(...(await applyKeys(tx, { side, keys, documents: group, all, early }, imported)));
        after = keys.at(-1);
      }
    }
  return reversals;
}

/** Small documents together. */
function groupsOf(documents: readonly ImportedDocument[]): string[][] {
  const groups: string[][] = [];
  let size = atOnce;
  for (const { id, reports } of documents) {
    if (reports === 0) continue;
    if (size + reports > atOnce) groups.push([]);
    size = size + reports > atOnce ? reports : size + reports;
    groups.at(-1)?.push(id);
  }
  return groups;
}

interface Part {
  side: 'debits' | 'credits';
  keys: readonly MoneyKey[];
  documents: readonly string[];
  /** All documents of the file. */
  all: ReadonlySet<string>;
  /** Reports of the file that were decided with others, before their turn. */
  early: Set<string>;
}

async function applyKeys(
  tx: LedgerTransaction,
  { side, keys, documents, all, early }: Part,
  { options, report }: Import,
): Promise<ReportedReversal[]> {
  const ofFiles = side === 'debits' ? await moneyOfFiles(tx, documents, keys) : [];
  const related = await relatedMoney(tx, documents, [...keys, ...ofFiles]);
  const reports = await findReports(tx, documents, related);
  const statements = reports.flatMap(({ kind, document }) => (kind === statementKind ? document : []));
  const ofSide = reports.filter((each) => each.isDebit === (side === 'debits'));
  const files = side === 'debits' ? await filesOf(tx, ofSide) : new Map<string, string>();
  const lines = linesOf(ofSide, { ofDays: await balancesOfDays(tx, [...new Set(statements)]), files });
  const isRead = new Set(related.keys.map(keyText));
  const money = [...Map.groupBy(lines, (line) => line.report.account).values()].flatMap((ofAccount) => decideMoney(ofAccount));
  const isNew = (line: StoredLine) => all.has(line.report.document);
  const planned = planMoney(money, {
    isRead: ({ best }) => isRead.has(keyText(keyOf((best as StoredLine).report))),
    isNear: (line) => isNear(line, related),
    isNew,
  });
  const { plans, changes } = planned;
  let outcomes = new Map<Money, RecordedCredit>();
  let applied: Awaited<ReturnType<typeof applyDebits>> = { references: new Map(), reversals: [] };
  if (side === 'debits') applied = await applyDebits(tx, planned, { source: options.source, report, isNew });
  else {
    await replaceCredits(tx, changes.replace);
    await linkCredits(tx, changes.link);
    outcomes = await recordPlans(tx, plans, options);
  }
  const referenceOf = (one: Money) => outcomes.get(one)?.reference ?? applied.references.get(one) ?? one.credit?.reference;
  if (side === 'credits') await markRepeated(tx, repeatsOf(changes, referenceOf));
  await assignReports(
    tx,
    plans.flatMap((plan) => assigned(plan, referenceOf)),
  );
  await listMoney(tx, plans, referenceOf);
  const awaited = changedAwaited(lines, plans);
  await recordAwaited(tx, awaited);
  const listed = awaited.flatMap(({ reference, isAwaited }) => (isAwaited ? [] : [reference]));
  for (const booked of await undoNotBooked(tx, listed)) {
    const line = plans.find(({ money: { credit } }) => credit?.reference === booked.credit)?.money.statements[0] as StoredLine | undefined;
    report.addAlert(line?.report, { ...booked, reference: booked.credit }, bookedText(booked));
  }
  const own = new Set(keys.map(keyText));
  for (const plan of plans) {
    const reported = (plan.money.lines as StoredLine[]).filter(({ id, report: { document } }) => all.has(document) && !early.has(id));
    const first = firstOf(plan);
    const made = reported.find((line) => line === first) ?? reported[0];
    for (const line of reported) {
      if (!own.has(keyText(keyOf(line.report))) || !documents.includes(line.report.document)) early.add(line.id);
      if (!line.report.isDebit) report.addLine(line, line === made ? outcomes.get(plan.money) : undefined, plan);
      else if (line === made && plan.alert !== undefined) report.addAlert(line.report, line.report, plan.alert);
    }
  }
  return applied.reversals;
}

/** The payment files that debits may be reported of, by the ids of their payments. */
function filesOf(tx: LedgerTransaction, reports: readonly StoredReport[]): Promise<Map<string, string>> {
  return filesWithSums(tx, ownIds(reports.map(({ endToEndId }) => endToEndId)), ownIds(reports.flatMap(({ files }) => files)));
}

function ownIds(texts: readonly (string | null)[]): string[] {
  return [...new Set(texts.flatMap((text) => idOfEndToEndId(text ?? undefined) ?? []))];
}

function bookedText({ credit, debit, effect }: BookedAfterAll): string {
  const what = {
    unmatched: `it waits again, for \`mintrail bank match ${credit}\``,
    claim_ended: 'its claim has ended',
    claim_settled: `its claim ${debit} was settled before: decide whose the money is, by \`mintrail bank match ${credit} --again\``,
  }[effect];
  return `THE BANK HAS BOOKED THE CREDIT ${credit}, which was taken back as not booked: ${what}`;
}

function keyOf({ account, currency, amount, isDebit: hasLeft }: StoredReport): MoneyKey {
  return { account, currency, amount: amount !== null && hasLeft ? -BigInt(amount) : amount };
}

/** Whether all days were read in which the transactions of a sum may lie. */
function isNear({ bookedOn }: ReportedLine, { first, last }: Awaited<ReturnType<typeof relatedMoney>>): boolean {
  if (bookedOn === null || first === null || last === null || bookedOn < first || bookedOn > last) return false;
  return [first, last].every((end) => daysBetween({ bookedOn }, { bookedOn: end }) >= mostDaysBetween);
}

function keyText({ account, currency, amount }: MoneyKey): string {
  return JSON.stringify([account, currency, amount?.toString()]);
}

/** Records new credits, and reads known ones again of which more is said now. Returns what became of each. */
async function recordPlans(
  tx: LedgerTransaction,
  plans: readonly MoneyPlan[],
  options: RecordOptions,
): Promise<Map<Money, RecordedCredit>> {
  const fresh = plans.filter(({ kind }) => kind === 'new');
  const references = await unusedReferences(
    tx,
    'credits',
    fresh.map(({ money, made }) => ({ reference: (made as MadeMoney).reference, bookedOn: money.best.bookedOn })),
  );
  const named = new Map(fresh.map(({ money }, index) => [money, references[index] as string]));
  const mayRepeat = ({ hold }: Money) => {
    const known = hold?.of === undefined ? undefined : (named.get(hold.of) ?? hold.of.credit?.reference);
    return known === undefined ? {} : { mayRepeat: known };
  };
  const outcomes = new Map<Money, RecordedCredit>();
  const record = async (ofKind: readonly MoneyPlan[], recordAll: typeof recordCredits): Promise<void> => {
    for (let start = 0; start < ofKind.length; start += atOnce) {
      const slice = ofKind.slice(start, start + atOnce);
      const facts = await factsOfReports<NewCredit>(
        tx,
        slice.map(({ money }) => money.best.id),
      );
      const credits = slice.map(({ money, made }): NewCredit => {
        const { reference, amount, amountText, ...why } = made as MadeMoney;
        const credit = { ...(facts.get(money.best.id) as NewCredit), ...why, isAwaited: !money.isStated, ...mayRepeat(money) };
        if (amount === null) delete credit.amount;
        else credit.amount = amount;
        if (amountText !== undefined) credit.facts = { ...credit.facts, amountText };
        return Object.assign(credit, { reference: named.get(money) ?? reference });
      });
      const arrived = await withKeptPlans(tx, () => recordAll(tx, credits, options));
      const recorded = await matchReturnedPayments(tx, credits, arrived);
      for (const [index, outcome] of recorded.entries()) outcomes.set((slice[index] as MoneyPlan).money, outcome);
    }
  };
  for (const [statements, listed] of Map.groupBy(fresh, listedBy))
    await bookUnderStatements(tx, statements, () => record(listed, recordCredits));
  await record(
    plans.filter(({ kind }) => kind === 'clear'),
    clarifyCredits,
  );
  return outcomes;
}

/** The line that a credit stays with: that of which it was made, unless it is made or read of another now. */
function firstOf({ money, kind }: MoneyPlan): StoredLine | undefined {
  if (kind === 'part') return undefined;
  const made = money.lines.find(({ credit }) => credit?.isFirst === true && credit.reference === money.credit?.reference);
  return (kind === 'known' ? (made ?? money.best) : money.best) as StoredLine;
}

/** Reports by the credit that they are; one of which a surplus credit was made stays with that, which may be other money yet. */
function assigned(plan: MoneyPlan, referenceOf: (money: Money) => string | undefined): ReportedMoney[] {
  const { money } = plan;
  const credit = plan.kind === 'part' && money.within === undefined ? null : (referenceOf(money.within ?? money) ?? null);
  const own = firstOf(plan);
  const isOfSurplus = ({ credit: made }: ReportedLine) => made?.isFirst === true && money.surplus.includes(made);
  const first = own !== undefined && isOfSurplus(own) ? (money.lines.find((line) => !isOfSurplus(line)) ?? own) : own;
  const surplus = money.lines.filter((line) => line !== first && isOfSurplus(line));
  const rest = money.lines.filter((line) => !surplus.includes(line));
  const isOnDebitSide = isDebit(money);
  const entryOf = (reference: string | null, reports: readonly string[], firstReport: string | undefined): ReportedMoney => ({
    credit: isOnDebitSide ? null : reference,
    debit: isOnDebitSide ? reference : null,
    reports,
    first: firstReport,
  });
  return [
    entryOf(
      credit,
      rest.map(({ id }) => id),
      first?.id,
    ),
    ...surplus.map(({ id, credit: made }) => entryOf(made?.reference ?? null, [id], id)),
  ];
}

/** The known credits that are listed by a statement now, or are awaited after all. */
function changedAwaited(lines: readonly StoredLine[], plans: readonly MoneyPlan[]): AwaitedCredit[] {
  const known = new Map(lines.map(({ report: { credit, isAwaited } }) => [credit, isAwaited]));
  return plans
    .flatMap(({ money: { credit, surplus, isStated } }) => [
      ...(credit === undefined ? [] : [{ reference: credit.reference, isAwaited: !isStated }]),
      ...surplus.map(({ reference }) => ({ reference, isAwaited: true })),
    ])
    .filter(({ reference, isAwaited }) => known.get(reference) === !isAwaited);
}

/** The debits of what the bank keeps of the entries of money: a statement that lists only the sum of an entry lists them in it. */
function chargesOf({ lines }: Money): string[] {
  const entries = (lines as StoredLine[]).flatMap(({ report: { entryReference }, entry: { count } }) =>
    count === 1 ? [] : (entryReference ?? []),
  );
  return [...new Set(entries)].map(chargesReference);
}

/** What is booked of money is in the statements that list it. */
async function listMoney(
  tx: LedgerTransaction,
  plans: readonly MoneyPlan[],
  referenceOf: (money: Money) => string | undefined,
): Promise<void> {
  const byStatements = new Map<string, { statements: string[]; references: string[] }>();
  for (const { money } of plans) {
    const reference = referenceOf(money.within ?? money);
    for (const { report } of money.statements as StoredLine[]) {
      if (reference === undefined || report.statements.length === 0) continue;
      const listed = byStatements.get(report.document) ?? { statements: report.statements, references: [] };
      listed.references.push(reference, ...chargesOf(money));
      byStatements.set(report.document, listed);
    }
  }
  for (const { statements, references } of byStatements.values()) await listBookings(tx, statements, [...new Set(references)]);
}
