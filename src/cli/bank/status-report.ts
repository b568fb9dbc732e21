import type { StatusLine, StatusReport } from '../../statements/payout-status-report.ts';

/** What a payment status report did, for a person. */
export function renderStatusReport({ file, message, counts, alerts, omitted }: StatusReport): string {
  const { accepted, refused, open, known } = counts;
  const facts = [`${accepted} payments carried out`, `${refused} refused`, `${open} still under way`, `${known} known before`];
  return [
    `${file}: ${message} applied: ${facts.join(', ')}.`,
    ...alerts.map((line) => `  ! ${renderLine(line)}`),
    ...(omitted > 0 ? [`    and ${omitted} more like these`] : []),
  ].join('\n');
}

function renderLine({ line, endToEndId, messageId, status, reason }: StatusLine): string {
  const what = endToEndId === undefined ? `file ${messageId ?? 'without a message id'}` : `payment ${endToEndId}`;
  return `line ${line}, ${what}, ${status || 'no status'}: ${reason}`;
}
