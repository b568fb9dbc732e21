import { listFacts } from './list-facts.ts';
import type { StatusLine, StatusReport } from '../../statements/import-status-report.ts';

/** The result of importing a payment status report, for people. */
export function renderStatusReport({ file, message, counts, alerts, omitted }: StatusReport): string {
  const { accepted, refused, open, known } = counts;
  const facts = listFacts([
    [accepted, accepted === 1 ? 'payment accepted' : 'payments accepted'],
    [refused, 'refused'],
    [open, 'still in flight'],
    [known, 'known before'],
  ]);
  return [
    `${file}: ${message} applied: ${facts}.`,
    ...alerts.map((line) => `  ! ${renderLine(line)}`),
    ...(omitted > 0 ? [`    and ${omitted} more of these`] : []),
  ].join('\n');
}

function renderLine({ line, endToEndId, messageId, status, reason }: StatusLine): string {
  const what = endToEndId === undefined ? `file ${messageId ?? 'without a message id'}` : `payment ${endToEndId}`;
  return `line ${line}, ${what}, ${status || 'no status'}: ${reason}`;
}
