import type { Command } from 'commander';
import type { StatusOptions } from './show.ts';

/** `mintrail status`. */
export function addStatusCommand(program: Command): void {
  program
    .command('status')
    .description(
      'show whether the service works: processes, lanes, open orders. Exit code 1 when something stops money or has waited too long for a person',
    )
    .option('--warnings', 'exit code 1 also for what ends soon')
    .option('--json', 'print JSON')
    .action(async (options: StatusOptions) => (await import('./show.ts')).showStatus(options));
}
