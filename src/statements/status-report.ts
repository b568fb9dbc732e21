import type { ReportedStatus } from '../bank/iso20022/pain/pain-002.ts';
import type { StatusOutcome } from '../ledger/bank/payment-statuses.ts';

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

/** What the import of a pain.002 file changed. Plain JSON, which is kept with the file. */
export interface StatusReport {
  file: string;
  state: 'applied' | 'already_imported';
  /** SHA-256 of the content. */
  hash: string;
  message: 'pain.002';
  /** Statuses by their outcome; the status of a whole file counts once for each payment. */
  counts: Record<StatusCount, number>;
  alerts: StatusLine[];
  /** Alerts there was no room for. */
  omitted: number;
}

type StatusCount = 'accepted' | 'refused' | 'open' | 'known' | 'alerts';

/** A report stays readable and small, however large its file is. */
const maxAlerts = 1_000;

/** Collects what a status report did, in bounded memory. */
export function createStatusReport(file: string) {
  const counts: StatusReport['counts'] = { accepted: 0, refused: 0, open: 0, known: 0, alerts: 0 };
  const alerts: StatusLine[] = [];
  let omitted = 0;

  function alert(reported: ReportedStatus, problem: string, more: Partial<StatusLine> = {}): void {
    counts.alerts += 1;
    if (alerts.length >= maxAlerts) {
      omitted += 1;
      return;
    }
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
    finish: (hash: string): StatusReport => ({ file, state: 'applied', hash, message: 'pain.002', counts, alerts, omitted }),
  };
}
