import type { RecallLine, RecallReport } from '../../statements/recalls/import-recalls.ts';
import { listFacts } from './list-facts.ts';

/** The result of importing recalls, for people. */
export function renderRecallReport({ file, message, counts, alerts, omitted }: RecallReport): string {
  const facts = listFacts([
    [counts.recalls, counts.recalls === 1 ? 'payment recalled' : 'payments recalled'],
    [counts.known, 'known before'],
  ]);
  return [
    `${file}: ${message} applied: ${facts}.`,
    ...alerts.map((line) => `  ! ${renderLine(line)}`),
    ...(omitted > 0 ? [`    and ${omitted} more: \`mintrail bank recalls\` lists them all`] : []),
  ].join('\n');
}

function renderLine({ line, endToEndId, amount, currency, reason }: RecallLine): string {
  const money = amount === undefined ? '' : ` ${amount} ${currency?.toUpperCase() ?? ''},`;
  return `line ${line},${money} ${endToEndId ?? 'without an EndToEndId'}: ${reason}`;
}
