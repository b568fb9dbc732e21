import type { ReportedStatus } from '../bank/iso20022/pain/pain-002.ts';
import type { StatusOutcome } from '../ledger/bank/payment-statuses.ts';
import { type FileReport, maxAlerts } from './file-report.ts';

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

/** Collects what a status report did, in bounded memory. */
export function createStatusReport() {
  const counts: StatusReport['counts'] = { accepted: 0, refused: 0, open: 0, known: 0, alerts: 0 };
  const alerts: StatusLine[] = [];

  function alert(reported: ReportedStatus, problem: string, more: Partial<StatusLine> = {}): void {
    counts.alerts += 1;
    if (alerts.length >= maxAlerts) return;
    const { line, code, reason, originalMessageId, originalEndToEndId = reported.originalInstructionId } = reported;
    alerts.push({
      line,
      ...(originalEndToEndId !== undefined && { endToEndId: originalEndToEndId }),
      ...(originalMessageId !== undefined && { messageId: originalMessageId }),
      ...more,
      status: code,
      reason: reason === undefined ? problem : `${problem} (${reason})`,
    });
  }

  return {
    alert,
    add(reported: ReportedStatus, { outcome, problem = '', paymentId }: StatusOutcome): void {
      if (outcome === 'unknown' || outcome === 'conflict') alert(reported, problem, paymentId === undefined ? {} : { paymentId });
      else counts[outcome] += 1;
    },
    finish: () => ({ message: 'pain.002' as const, counts, alerts, omitted: counts.alerts - alerts.length }),
  };
}
