import { type Command, InvalidArgumentError } from 'commander';
import { type AuditEntry, listAudit } from '../../ledger/access/audit-log.ts';
import { renderJson, renderTable } from '../table.ts';
import { since } from '../time-option.ts';
import { withLedger } from '../with-ledger.ts';

interface AuditOptions {
  actor?: string;
  subject?: string;
  action?: string;
  since?: Date;
  limit: number;
  json?: true;
}

/** `mintrail audit`: who changed what, and when. */
export function addAuditCommand(program: Command): void {
  program
    .command('audit')
    .description('list changes by persons, applications and operators, the latest first')
    .option('--actor <name>', 'only by this application or user (its id), or operator (the name)')
    .option('--subject <id>', 'only of this: an id, an address, a reference')
    .option('--action <name>', 'only this action, such as address.link, or all that begin so, such as app')
    .option('--since <time>', 'only from then on: a date, a time in RFC 3339, or a span back from now such as 90m, 24h or 7d', since)
    .option('--limit <number>', 'at most so many', limit, 50)
    .option('--json', 'answer in JSON')
    .action(async ({ json, ...filter }: AuditOptions) => {
      const found = await withLedger((ledger) => listAudit(ledger, filter));
      if (json) console.log(renderJson(found));
      else console.log(found.length === 0 ? 'No changes.' : render(found));
    });
}

function render(entries: AuditEntry[]): string {
  return renderTable(
    ['at', 'actor', 'action', 'subject', 'detail', 'correlation id'],
    entries.map((entry) => [
      `${entry.at.toISOString().slice(0, 19)}Z`,
      `${entry.actorKind} ${entry.actor}`,
      entry.action,
      `${entry.subjectKind} ${entry.subject}`,
      Object.entries(entry.detail)
        .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
        .join(' '),
      entry.correlationId ?? '',
    ]),
  );
}

function limit(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0 && number <= 10_000) return number;
  throw new InvalidArgumentError('A number from 1 to 10000.');
}
