import type { Command } from 'commander';
import { wholeNumber } from '../option-values.ts';

interface JsonOption {
  json?: boolean;
}

/** `mintrail bank`: the bank's files, and unmatched credits. */
export function addBankCommands(program: Command): void {
  const bank = program.command('bank').description("import the bank's files, and match or return unmatched credits");

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
}

/** Loaded on demand: the queues take long to load, and every command would wait for them. */
const unmatched = () => import('./unmatched.ts');
