import { type Command, InvalidArgumentError } from 'commander';

interface JsonOption {
  json?: boolean;
}

/** `mintrail bank`: what an operator does with the bank's files, and with money that became no order. */
export function addBankCommands(program: Command): void {
  const bank = program.command('bank').description("import the bank's files, and deal with money that became no order");

  bank
    .command('import')
    .description('import camt.053, camt.054 and pain.002 files, each whole or not at all. Exit code 1 when one was refused')
    .argument('<file...>', 'files; - reads one from standard input')
    .option('--json', 'answer in JSON')
    .action(async (files: string[], { json = false }: JsonOption) => (await import('./import.ts')).importBankFiles(files, json));

  bank
    .command('unmatched')
    .description('list the credits that became no order, the oldest first')
    .option('--limit <number>', 'at most so many', limit, 1_000)
    .option('--json', 'answer in JSON')
    .action(async (options: JsonOption & { limit: number }) => (await unmatched()).listUnmatched(options.limit, options.json ?? false));

  bank
    .command('match')
    .description('try an unmatched credit again, for instance after its IBAN was assigned: it becomes an order, once')
    .argument('<reference>', 'as `mintrail bank unmatched` lists it')
    .option('--json', 'answer in JSON')
    .action(async (reference: string, { json = false }: JsonOption) => (await unmatched()).matchAgain(reference, json));

  bank
    .command('return')
    .description('send an unmatched credit back to its payer, once. Where the bank named none, it is only marked')
    .argument('<reference>', 'as `mintrail bank unmatched` lists it')
    .option('--json', 'answer in JSON')
    .action(async (reference: string, { json = false }: JsonOption) => (await unmatched()).returnMoney(reference, json));
}

/** Loaded when needed: the queues take a while, and every command would wait for them. */
const unmatched = () => import('./unmatched.ts');

function limit(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0 && number <= 100_000) return number;
  throw new InvalidArgumentError('A number from 1 to 100000.');
}
