import { type AuditFilter, listAudit } from '../../ledger/access/audit-log.ts';
import { formatTime, renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { withLedger } from '../with-ledger.ts';

/** Options of `mintrail audit`. */
export interface AuditOptions extends AuditFilter {
  json?: true;
}

/** `mintrail audit`. */
export async function listChanges({ json, ...filter }: AuditOptions): Promise<void> {
  const entries = await withLedger((ledger) => listAudit(ledger, filter));
  if (json) return print(renderJson(entries));
  if (entries.length === 0) return print('No changes.');
  const rows = entries.map((entry) => [
    formatTime(entry.at),
    [entry.actorKind, entry.actor, inBrackets(entry.actorName)].join(' ').trim(),
    entry.action,
    [entry.subjectKind, entry.subject, inBrackets(entry.subjectName)].join(' ').trim(),
    renderDetail(entry.detail),
    entry.correlationId ?? '',
  ]);
  print(renderTable(['time', 'actor', 'action', 'subject', 'detail', 'correlation id'], rows));
}

function inBrackets(name: string | null): string {
  return name === null ? '' : `(${name})`;
}

function renderDetail(detail: Record<string, unknown>): string {
  return Object.entries(detail)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
}
