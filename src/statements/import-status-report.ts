import { type ReportedStatus, readStatusReport } from '../bank/iso20022/pain/pain-002.ts';
import type { LedgerTransaction } from '../ledger/ledger.ts';
import { applyStatuses, endToEndIdsOfFile, type PaymentStatus, type StatusOutcome } from '../ledger/bank/payment-statuses.ts';
import { withoutUndefined } from '../bank/without-undefined.ts';
import { type FileReport, type FinishImport, type ImportedPart, maxAlerts } from './file-report.ts';

/** A status that an operator should look into. */
export interface StatusLine {
  /** Line of the file. */
  line: number;
  /** As the bank gave it. */
  endToEndId?: string;
  messageId?: string;
  paymentId?: string;
  status: string;
  reason: string;
}

/** What the import of a pain.002 file changed. */
export interface StatusReport extends FileReport<StatusLine> {
  message: 'pain.002';
  /** Statuses by their outcome; the status of a whole file counts once for each payment. */
  counts: Record<'accepted' | 'refused' | 'open' | 'known' | 'alerts', number>;
}

/** Statuses in one SQL statement: few round trips, short texts. */
const chunkSize = 500;

/** Applies a pain.002 file. Rejected payouts give their tokens back. */
export async function readStatusFile(tx: LedgerTransaction, file: ImportedPart): Promise<FinishImport<StatusReport>> {
  const report = createStatusReport();
  const applying = { tx, report };
  // The status of a whole file is that of its payments that have no status of their own in the report.
  const reportedIds = new Set<string>();
  const ofFiles: ReportedStatus[] = [];
  let chunk: ReportedStatus[] = [];
  let entries = 0;
  for await (const reported of readStatusReport(file.chunks)) {
    if (reported.level === 'file') {
      ofFiles.push(reported);
      continue;
    }
    entries += 1;
    reportedIds.add(endToEndIdOf(reported)?.toLowerCase() ?? '');
    chunk.push(reported);
    if (chunk.length < chunkSize) continue;
    await applyPayments(applying, chunk);
    file.onEntries(entries);
    chunk = [];
  }
  await applyPayments(applying, chunk);
  for (const reported of ofFiles) await applyToFile(applying, reported, reportedIds);
  file.onEntries(entries);
  return async () => report.finish();
}

interface Applying {
  tx: LedgerTransaction;
  report: ReturnType<typeof createStatusReport>;
}

async function applyPayments({ tx, report }: Applying, reported: readonly ReportedStatus[]): Promise<void> {
  const decisive = reported.filter((status) => !isUndecidable(report, status));
  const outcomes = await applyStatuses(
    tx,
    decisive.map((status) => statusOf(status, endToEndIdOf(status))),
  );
  for (const [index, outcome] of outcomes.entries()) addOutcome(report, decisive[index] as ReportedStatus, outcome);
}

/** Why a rejection leaves the payment with the bank, for the operator. */
const doubts: Partial<Record<ReportedStatus['meaning'], string>> = {
  duplicate: 'the bank rejects it as a repetition of what it has already: what becomes of the first is still to come',
  unclear:
    'the bank rejects it, and does not say for certain that it will not be paid: ask the bank, then `mintrail payments reject` it, or leave it',
};

function addOutcome(report: Applying['report'], reported: ReportedStatus, outcome: StatusOutcome): void {
  report.add(reported, outcome);
  const doubt = doubts[reported.meaning];
  const isNews = outcome.outcome === 'open' || (outcome.outcome === 'known' && reported.meaning === 'duplicate');
  if (doubt !== undefined && isNews) report.alert(reported, doubt, outcome.paymentId);
}

/** Applies the status of a group or payment information block; our files have one of each. */
async function applyToFile({ tx, report }: Applying, reported: ReportedStatus, reportedIds: ReadonlySet<string>): Promise<void> {
  if (isUndecidable(report, reported)) return;
  const payments = await endToEndIdsOfFile(tx, reported.originalMessageId);
  if (payments === undefined) return report.alert(reported, 'it is none of our files');
  const statuses = payments.filter((id) => !reportedIds.has(id)).map((id) => statusOf(reported, id));
  for (const outcome of await applyStatuses(tx, statuses)) {
    const { endToEndId } = outcome.status;
    addOutcome(report, { ...reported, ...(endToEndId !== undefined && { originalEndToEndId: endToEndId }) }, outcome);
  }
}

/** Whether nothing can be decided on a status. Adds an alert for the operator if so. */
function isUndecidable(report: Applying['report'], reported: ReportedStatus): boolean {
  const { originalEndToEndId, originalInstructionId } = reported;
  const differ = originalEndToEndId !== undefined && originalInstructionId !== undefined;
  if (!differ || originalEndToEndId.toLowerCase() === originalInstructionId.toLowerCase()) return false;
  report.alert(reported, `its instruction id, ${originalInstructionId}, is not that of the payment`);
  return true;
}

/** A payment file has the same id in both fields; some banks repeat only one of them. */
function endToEndIdOf({ originalEndToEndId, originalInstructionId }: ReportedStatus): string | undefined {
  return originalEndToEndId ?? originalInstructionId;
}

function statusOf({ meaning, code, reason }: ReportedStatus, endToEndId: string | undefined): PaymentStatus {
  return {
    endToEndId,
    verdict: meaning === 'duplicate' ? 'unclear' : meaning,
    code,
    reason: reason ?? `the bank gave no reason (${code})`,
  };
}

/** Collects what a status report did, in bounded memory. */
function createStatusReport() {
  const counts: StatusReport['counts'] = { accepted: 0, refused: 0, open: 0, known: 0, alerts: 0 };
  const alerts: StatusLine[] = [];

  function alert(reported: ReportedStatus, problem: string, paymentId?: string): void {
    counts.alerts += 1;
    if (alerts.length >= maxAlerts) return;
    const { line, code, reason, originalMessageId, originalEndToEndId = reported.originalInstructionId } = reported;
    const text = reason === undefined ? problem : `${problem} (${reason})`;
    const of = { endToEndId: originalEndToEndId, messageId: originalMessageId, paymentId };
    alerts.push(withoutUndefined({ line, ...of, status: code, reason: text }));
  }

  return {
    alert,
    add(reported: ReportedStatus, { outcome, problem = '', paymentId }: StatusOutcome): void {
      if (outcome === 'unknown' || outcome === 'conflict') alert(reported, problem, paymentId);
      else counts[outcome] += 1;
    },
    finish: () => ({ message: 'pain.002' as const, counts, alerts, omitted: counts.alerts - alerts.length }),
  };
}
