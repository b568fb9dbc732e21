import type { Command } from 'commander';

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
    .argument('<currency>', 'currency whose issue is stopped')
    .action(async (currency: string) => (await import('./reconcile.ts')).acknowledge(currency));
}
