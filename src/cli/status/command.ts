import type { Command } from 'commander';

/** `mintrail status`. */
export function addStatusCommand(program: Command): void {
  program
    .command('status')
    .description('show whether the service works: processes, lanes, open orders. Exit code 1 when there is a problem')
    .option('--json', 'print JSON')
    .action(async ({ json = false }: { json?: boolean }) => (await import('./show.ts')).showStatus(json));
}
