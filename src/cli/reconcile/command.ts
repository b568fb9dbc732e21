import { Argument, type Command } from 'commander';
import { currencies, type Currency } from '../../platform/money.ts';

/** `mintrail reconcile`. */
export function addReconcileCommand(program: Command): void {
  const reconcile = program
    .command('reconcile')
    .description('compare the tokens in circulation with the money held. Exit code 1 when they differ')
    .option('--json', 'print JSON')
    .action(async ({ json = false }: { json?: boolean }) => (await import('./reconcile.ts')).reconcile(json));

  reconcile
    .command('acknowledge')
    .description('issue a currency again after its difference was investigated')
    .addArgument(new Argument('<currency>', 'currency whose issue is stopped').choices(currencies))
    .action(async (currency: Currency) => (await import('./reconcile.ts')).acknowledge(currency));
}
