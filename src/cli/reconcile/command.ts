import type { Command } from 'commander';
import { acknowledge } from '../../operations/reserve/acknowledge-breach.ts';
import { addVerb } from '../verbs/add-verb.ts';

/** `mintrail reconcile`. */
export function addReconcileCommand(program: Command): void {
  const reconcile = program
    .command('reconcile')
    .description(
      'show the reserve, and compare the book with everything it is not derived from. Exit code 1 when something differs, 75 when the index of a network cannot be compared yet',
    )
    .option('--json', 'print JSON')
    .action(async ({ json = false }: { json?: boolean }) => (await import('./reconcile.ts')).reconcile(json));

  addVerb(reconcile, acknowledge, {
    text: ({ acknowledged: { currency }, open }) =>
      open.length === 0
        ? `${currency} is issued again.`
        : `The breach is acknowledged. ${currency} is still not issued: ${open.length} more are open, as \`mintrail reconcile\` shows.`,
  });
}
