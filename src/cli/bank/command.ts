import type { Command } from 'commander';
import { wholeNumber } from '../option-values.ts';
import type { ExplainOptions } from './debits.ts';
import { parseExplanation } from './explanation.ts';

interface JsonOption {
  json?: boolean;
}

/** `mintrail bank`: the bank's files, and unmatched credits. */
export function addBankCommands(program: Command): void {
  const bank = program.command('bank').description("import the bank's files, match or return unmatched credits, and explain debits");

  bank
    .command('import')
    .description(
      'import camt.053, camt.054, camt.052 and pain.002 files, each in full or not at all. Exit code 1 when a file is not applied',
    )
    .argument('<file...>', 'files; - reads one from standard input')
    .option('--json', 'print JSON')
    .action(async (files: string[], { json = false }: JsonOption) => (await import('./import.ts')).importBankFiles(files, json));

  bank
    .command('unmatched')
    .description('list the credits that could not be matched to a holder, the oldest first')
    .option('--limit <number>', 'show at most this many', wholeNumber(1, 100_000), 1_000)
    .option('--json', 'print JSON')
    .action(async (options: JsonOption & { limit: number }) => (await unmatched()).listUnmatched(options.limit, options.json ?? false));

  bank
    .command('match')
    .description('try to match an unmatched credit again, for instance after its IBAN was assigned; it becomes an order at most once')
    .argument('<reference>', 'reference of the credit in `mintrail bank unmatched`')
    .option('--json', 'print JSON')
    .action(async (reference: string, { json = false }: JsonOption) => (await unmatched()).matchAgain(reference, json));

  bank
    .command('return')
    .description('send an unmatched credit back to its payer, once; where the bank named no payer, only mark it as returned')
    .argument('<reference>', 'reference of the credit in `mintrail bank unmatched`')
    .option('--json', 'print JSON')
    .action(async (reference: string, { json = false }: JsonOption) => (await unmatched()).returnMoney(reference, json));

  addDebitCommands(bank);
}

/** `mintrail bank debits` and `explain`. */
function addDebitCommands(bank: Command): void {
  bank
    .command('debits')
    .description('list the debits that are none of our payments and wait to be explained, the oldest first')
    .option('--limit <number>', 'show at most this many', wholeNumber(1, 100_000), 1_000)
    .option('--json', 'print JSON')
    .action(async (options: JsonOption & { limit: number }) => (await debits()).listDebits(options.limit, options.json ?? false));

  bank
    .command('explain')
    .description('say what a debit was, once; a payment of ours is settled by it')
    .argument('<reference>', 'reference of the debit in `mintrail bank debits`')
    .requiredOption('--as <what>', 'fee, interest or own (your own money), payment:ID or return-of:CREDIT', parseExplanation)
    .requiredOption('--reason <text>', 'how you know, for the audit log')
    .option('--json', 'print JSON')
    .action(async (reference: string, options: ExplainOptions) => (await debits()).explain(reference, options));
}

const debits = () => import('./debits.ts');

/** Loaded on demand: the queues take long to load, and every command would wait for them. */
const unmatched = () => import('./unmatched.ts');
