import { type BookedAfterAll, undoNotBooked } from '../../ledger/bank/claims/undo-reversal.ts';
import type { RecordedCredit } from '../../ledger/bank/credits.ts';
import { findFiles, type KnownFile, moneyOfFiles, paymentsOfExplained } from '../../ledger/bank/debits/payment-file-debits.ts';
import { redoUnbooked } from '../../ledger/bank/returns/not-booked-debits.ts';
import type { RecordOptions } from '../../ledger/bank/match-credits.ts';
import {
  findDocuments,
  findReports,
  type MoneyKey,
  mostDaysBetween,
  nextMoneyKeys,
  relatedMoney,
  type StoredReport,
} from '../../ledger/bank/related-reports.ts';
import type { ReportDocument, ReportedLine } from '../../ledger/bank/reported-line.ts';
import { idOfEndToEndId } from '../../ledger/end-to-end-id.ts';
import type { LedgerTransaction } from '../../ledger/ledger.ts';
import { applyDebits, type ReportedReversal } from '../apply-debits.ts';
import type { createStatementReport } from '../statement-report.ts';
import { applyCredits } from './apply-credits.ts';
import { assignMoney, firstOf } from './assign-money.ts';
import { bookChargesOf } from './book-charges.ts';
import { daysBetween } from './compare-lines.ts';
import { decideMoney } from './decide-money.ts';
import { linesOf } from './lines-of-reports.ts';
import type { Money } from './money.ts';
import { planMoney, type Plans, referencesOf } from './plan-money.ts';

interface Import {
  options: RecordOptions;
  report: ReturnType<typeof createStatementReport>;
}

/** Reports that are decided at once: enough that round trips cost little, few enough that they are some megabytes. */
const atOnce = 2_000;

/**
 * Decides which money the documents of a file report, each with so many reports, and records it. Reads what is known of the same amounts near their days, and writes what that has changed. Its
 * memory does not grow with the file, unless very many of its lines are over one amount. Returns the debits that take credits back.
 */
export async function applyMoney(
  tx: LedgerTransaction,
  documents: ReadonlyMap<string, number>,
  imported: Import,
): Promise<ReportedReversal[]> {
  const reversals: ReportedReversal[] = [];
  const early = new Set<string>();
  // Whether a payment that comes back was booked twice is known when all that left is.
  for (const side of ['debits', 'credits'] as const)
    for (const group of groupsOf(documents)) {
      const known = new Map<string, ReportDocument>();
      let after: MoneyKey | undefined;
      for (;;) {
        const keys = await nextMoneyKeys(tx, group, { side, after, limit: atOnce });
        if (keys.length === 0) break;
        reversals.push(...(await applyKeys(tx, { side, keys, documents: group, all: documents, known, early }, imported)));
        after = keys.at(-1);
      }
    }
  return reversals;
}

/** Small documents together. */
function groupsOf(documents: ReadonlyMap<string, number>): string[][] {
  const groups: string[][] = [];
  let size = atOnce;
  for (const [id, reports] of documents) {
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
  all: ReadonlyMap<string, number>;
  /** Documents that were read for reports before. */
  known: Map<string, ReportDocument>;
  /** Reports of the file that were decided with others, before their turn. */
  early: Set<string>;
}

async function applyKeys(
  tx: LedgerTransaction,
  { side, keys, documents, all, known, early }: Part,
  { options, report }: Import,
): Promise<ReportedReversal[]> {
  const isOfDebits = side === 'debits';
  const related = await relatedMoney(tx, documents, [...keys, ...(isOfDebits ? await moneyOfFiles(tx, documents, keys) : [])]);
  const reports = (await findReports(tx, documents, related)).filter(({ isDebit }) => isDebit === isOfDebits);
  const unknown = new Set(reports.flatMap(({ document }) => (known.has(document) ? [] : document)));
  for (const document of await findDocuments(tx, [...unknown])) known.set(document.id, document);
  const lines = linesOf(reports, {
    documents: known,
    files: isOfDebits ? await filesOf(tx, reports) : new Map<string, KnownFile>(),
    explained: await paymentsOfExplained(tx, isOfDebits ? ownIds(reports.map(({ endToEndId }) => endToEndId)) : []),
  });
  const read = new Set(related.keys.map(keyText));
  const isRead = (line: ReportedLine) => read.has(keyOf(line));
  const money = [...Map.groupBy(lines, ({ account }) => account).values()].flatMap((ofAccount) => decideMoney(ofAccount, isRead));
  const isNew = (line: ReportedLine) => all.has(line.document.id);
  const planned = planMoney(money, {
    isRead: (one) => one.lines.every(isRead),
    isNear: (line) => isNear(line, related),
    isNew,
  });
  const { plans } = planned;
  const outcomes = isOfDebits ? new Map<Money, RecordedCredit>() : await applyCredits(tx, planned, options);
  const reversals = isOfDebits ? await applyDebits(tx, planned, { source: options.source, report, isNew }) : [];
  const awaited = await assignMoney(tx, planned);
  if (!isOfDebits) await bookChargesOf(tx, planned, { source: options.source, report, isNew });
  const stated = awaited.flatMap(({ reference, isAwaited }) => (isAwaited ? [] : [reference]));
  for (const booked of await undoNotBooked(tx, stated)) {
    const [line] = plans.find(({ money: { credit } }) => credit?.reference === booked.credit)?.money.statements ?? [];
    report.addAlert(line?.place, { ...booked, reference: booked.credit }, bookedText(booked));
  }
  for (const { debit, ...booked } of await redoUnbooked(tx, isOfDebits ? statedNow(planned, isNew) : [])) {
    const [line] = plans.find(({ money: { credit } }) => credit?.reference === debit)?.money.statements ?? [];
    report.addAlert(
      line?.place,
      { ...booked, reference: debit },
      `THE BANK HAS BOOKED THE DEBIT ${debit}, which was taken for not booked: what ${booked.credit} gave back is taken back`,
    );
  }
  const own = new Set(keys.map(keyText));
  for (const plan of plans) {
    const reported = plan.money.lines.filter((line) => isNew(line) && !early.has(line.id));
    const first = firstOf(plan);
    const made = reported.find((line) => line === first) ?? reported[0];
    for (const line of reported) {
      if (!own.has(keyOf(line)) || !documents.includes(line.document.id)) early.add(line.id);
      if (!line.isDebit) report.addLine(line, line === made ? outcomes.get(plan.money) : undefined, plan);
      else if (line === made && plan.alert !== undefined) report.addAlert(line.place, line, plan.alert);
    }
  }
  return reversals;
}

/** The debits that statements of the file list. */
function statedNow(planned: Plans, isNew: (line: ReportedLine) => boolean): string[] {
  const referenceOf = referencesOf(planned);
  return planned.plans.flatMap(({ money }) => (money.statements.some(isNew) ? (referenceOf(money.within ?? money) ?? []) : []));
}

/** The payment files that debits may be reported of, by their ids and those of their payments. */
function filesOf(tx: LedgerTransaction, reports: readonly StoredReport[]): Promise<Map<string, KnownFile>> {
  return findFiles(tx, ownIds(reports.map(({ endToEndId }) => endToEndId)), ownIds(reports.flatMap(({ files }) => files)));
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

function keyOf({ account, currency, amount, isDebit }: ReportedLine): string {
  return keyText({ account, currency, amount: amount !== null && isDebit ? -BigInt(amount) : amount });
}

function keyText({ account, currency, amount }: MoneyKey): string {
  return JSON.stringify([account, currency, amount?.toString()]);
}

/** Whether all days were read in which the transactions of a sum may lie. */
function isNear({ bookedOn }: ReportedLine, { first, last }: Awaited<ReturnType<typeof relatedMoney>>): boolean {
  if (bookedOn === null || first === null || last === null || bookedOn < first || bookedOn > last) return false;
  return [first, last].every((end) => daysBetween({ bookedOn }, { bookedOn: end }) >= mostDaysBetween);
}
