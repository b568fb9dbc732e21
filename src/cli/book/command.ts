import { type Command, Option } from 'commander';
import { currencies } from '../../platform/money.ts';
import { parseDay, wholeNumber } from '../option-values.ts';
import type { AccountOptions } from './account.ts';
import type { DayOptions } from './day.ts';
import type { ExportOptions } from './export.ts';

/** `mintrail book`. */
export function addBookCommands(program: Command): void {
  const book = program.command('book').description('read the book: balances, postings, the closing of a day, an export');

  book
    .command('balances', { isDefault: true })
    .description('show what each account holds, now or at the end of a day')
    .option('--on <day>', 'at the end of this day, such as 2026-01-31', parseDay)
    .option('--json', 'print JSON')
    .action(async (options: { on?: string; json?: true }) => (await import('./balances.ts')).showBalances(options));

  book
    .command('account')
    .description('list the postings of an account, the latest first')
    .argument('<name>', 'account, such as liabilities:suspense; `mintrail book balances` shows the names')
    .addOption(new Option('--currency <currency>', 'only postings in this currency').choices(currencies))
    .option('--limit <number>', 'show at most this many', wholeNumber(1, 1_000), 20)
    .option('--json', 'print JSON')
    .action(async (name: string, options: AccountOptions) => (await import('./account.ts')).showAccount(name, options));

  book
    .command('entry')
    .description('show an entry, or the entries that something caused')
    .argument('<id>', "id of the entry, of a leg or of a payment, or the bank's reference of a credit")
    .option('--json', 'print JSON')
    .action(async (id: string, { json = false }: { json?: boolean }) => (await import('./entry.ts')).showEntry(id, json));

  book
    .command('day')
    .description('show the closing of a day: tokens, liabilities, bank, differences, and the movements of each account')
    .argument('<day>', 'day of booking, such as 2026-01-31', parseDay)
    .addOption(new Option('--csv', 'print the movements as CSV').conflicts('json'))
    .option('--json', 'print JSON')
    .action(async (day: string, options: DayOptions) => (await import('./day.ts')).showDay(day, options));

  book
    .command('verify')
    .description('add up all postings and compare the sums with the balances. Exit code 1 when they differ')
    .option('--json', 'print JSON')
    .action(async ({ json = false }: { json?: boolean }) => (await import('./verify.ts')).verify(json));

  book
    .command('export')
    .description('write the whole journal for another program')
    .addOption(new Option('--format <format>', 'format of the export').choices(['hledger']).default('hledger'))
    .option('--output <file>', 'write to this file instead of stdout')
    .action(async (options: ExportOptions) => (await import('./export.ts')).exportBook(options));
}
