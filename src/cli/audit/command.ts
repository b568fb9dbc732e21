import type { Command } from 'commander';
import { parseSince, wholeNumber } from '../option-values.ts';
import type { AuditOptions } from './list.ts';

/** `mintrail audit`. */
export function addAuditCommand(program: Command): void {
  program
    .command('audit')
    .description('list changes by users, applications and operators, the latest first')
    .option('--actor <name>', 'only changes by this application or user (its id) or operator (the name)')
    .option('--subject <id>', 'only changes of this: an id, an address or a reference')
    .option('--action <name>', 'only this action, such as address.link, or all whose first word this is, such as app')
    .option(
      '--since <time>',
      'only from this time on: a date, a time in RFC 3339, or a span back from now such as 90m, 24h or 7d',
      parseSince,
    )
    .option('--limit <number>', 'show at most this many', wholeNumber(1, 10_000), 50)
    .option('--json', 'print JSON')
    .action(async (options: AuditOptions) => (await import('./list.ts')).listChanges(options));
}
