import { Argument, type Command, Option } from 'commander';
import { comparisonNames } from '../../ledger/reserve/comparison.ts';
import { currencies } from '../../platform/money.ts';
import type { AcknowledgeOptions } from './acknowledge.ts';
import { parseItem } from './item.ts';

/** `mintrail reconcile`. */
export function addReconcileCommand(program: Command): void {
  const reconcile = program
    .command('reconcile')
    .description(
      'show the reserve, and compare the book with everything it is not derived from. Exit code 1 when something differs, 75 when the index of a network cannot be compared yet',
    )
    .option('--json', 'print JSON')
    .action(async ({ json = false }: { json?: boolean }) => (await import('./reconcile.ts')).reconcile(json));

  reconcile
    .command('acknowledge')
    .description('issue a currency again after its difference was investigated')
    .addArgument(new Argument('<currency>', 'currency whose issue is stopped').choices(currencies))
    .addOption(new Option('--comparison <name>', 'comparison that has the breach').choices(comparisonNames).makeOptionMandatory())
    .option('--account <name>', 'account of the book, where several have a breach')
    .option('--book', 'book the difference as your own loss or gain (comparison `index`)')
    .requiredOption('--reason <text>', 'what the investigation showed')
    .addOption(
      new Option(
        '--item <item>',
        'amount and text of a part of the difference, such as "-7.00 forged in 0x12…"; repeatable; they add up to it',
      )
        .argParser((text: string, items: ReturnType<typeof parseItem>[]) => [...items, parseItem(text)])
        .default([], 'none'),
    )
    .option('--json', 'print JSON')
    .action(async (currency: string, options: AcknowledgeOptions) => (await import('./acknowledge.ts')).acknowledge(currency, options));
}
