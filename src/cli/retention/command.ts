import type { Command } from 'commander';

/** `mintrail retention`. */
export function addRetentionCommand(program: Command): void {
  program
    .command('retention')
    .description('list the partitions of what grows: since when, how large, and which the common worker drops or archives next')
    .option('--json', 'print JSON')
    .action(async ({ json = false }: { json?: boolean }) => (await import('./show.ts')).showRetention(json));
}
