import { type ReportedStatus, readStatusReport } from '../bank/iso20022/pain/pain-002.ts';
import type { LedgerTransaction } from '../ledger/ledger.ts';
import { bookWaitingFiles } from '../ledger/bank/debits/waiting-files.ts';
import { applyStatuses, endToEndIdsOfFile, type PaymentStatus, type StatusOutcome } from '../ledger/bank/payment-statuses.ts';
import { withoutUndefined } from '../bank/without-undefined.ts';
import { createLines, type FileReport, type FinishImport, type ImportedPart } from './file-report.ts';

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
    await applyAll(tx, report, chunk);
    file.onEntries(entries);
    chunk = [];
  }
  await applyAll(tx, report, chunk);
  for (const reported of ofFiles) {
    // Of a group or payment information block; our files have one of each.
    const payments = await endToEndIdsOfFile(tx, reported.originalMessageId);
    if (payments === undefined) report.alert(reported, 'it is none of our files');
    const others = payments?.filter((id) => !reportedIds.has(id)) ?? [];
    const ofPayments = others.map((originalEndToEndId) => Object.assign({}, reported, { originalEndToEndId }));
    await applyAll(tx, report, ofPayments);
  }
  file.onEntries(entries);
  return async () => {
    await bookWaitingFiles(tx);
    return report.finish();
  };
}

/** Why a rejection leaves the payment with the bank, for the operator. */
const doubts: Partial<Record<ReportedStatus['meaning'], string>> = {
  duplicate: 'the bank rejects it as a repetition of what it has already: what becomes of the first is still to come',
  unclear:
    'the bank rejects it, and does not say for certain that it will not be paid: ask the bank, then `mintrail payments reject` it, or leave it',
};

/** Applies the statuses of payments. */
async function applyAll(
  tx: LedgerTransaction,
  report: ReturnType<typeof createStatusReport>,
  reported: readonly ReportedStatus[],
): Promise<void> {
  const decisive = reported.filter((status) => {
    if (!haveOtherIds(status)) return true;
    report.alert(status, `its instruction id, ${status.originalInstructionId}, is not that of the payment`);
    return false;
  });
  for (const [index, outcome] of (await applyStatuses(tx, decisive.map(statusOf))).entries()) {
    const status = decisive[index] as ReportedStatus;
    report.add(status, outcome);
    const doubt = doubts[status.meaning];
    const isNews = outcome.outcome === 'open' || (outcome.outcome === 'known' && status.meaning === 'duplicate');
    if (doubt !== undefined && isNews) report.alert(status, doubt, outcome.paymentId);
  }
}

/** Whether a status names two payments. */
function haveOtherIds({ originalEndToEndId: one, originalInstructionId: other }: ReportedStatus): boolean {
  return one !== undefined && other !== undefined && one.toLowerCase() !== other.toLowerCase();
}

/** A payment file has the same id in both fields; some banks repeat only one of them. */
function endToEndIdOf({ originalEndToEndId, originalInstructionId }: ReportedStatus): string | undefined {
  return originalEndToEndId ?? originalInstructionId;
}

function statusOf(reported: ReportedStatus): PaymentStatus {
  const { meaning, code, reason = `the bank gave no reason (${code})` } = reported;
  return { endToEndId: endToEndIdOf(reported), verdict: meaning === 'duplicate' ? 'unclear' : meaning, code, reason };
}

/** Collects what a status report did, in bounded memory. */
function createStatusReport() {
  const counts: StatusReport['counts'] = { accepted: 0, refused: 0, open: 0, known: 0, alerts: 0 };
  const alerts = createLines<StatusLine>();

  function alert(reported: ReportedStatus, problem: string, paymentId?: string): void {
    counts.alerts += 1;
    const { line, code: status, reason, originalMessageId: messageId } = reported;
    const text = reason === undefined ? problem : `${problem} (${reason})`;
    alerts.add(withoutUndefined({ line, endToEndId: endToEndIdOf(reported), messageId, paymentId, status, reason: text }));
  }

  return {
    alert,
    add(reported: ReportedStatus, { outcome, problem = '', paymentId }: StatusOutcome): void {
      if (outcome === 'unknown' || outcome === 'conflict') alert(reported, problem, paymentId);
      else counts[outcome] += 1;
    },
    finish: () => ({ message: 'pain.002' as const, counts, alerts: alerts.lines, omitted: alerts.omitted() }),
  };
}
