import type { Command } from 'commander';
import { wholeNumber } from '../option-values.ts';

interface JsonOption {
  json?: boolean;
}

/** `mintrail recover`. */
export function addRecoverCommand(program: Command): void {
  const recover = program
    .command('recover')
    .description(
      'show what a ledger that was restored from a back-up has lost and what of it can be rebuilt; with --apply, rebuild it. Exit code 1 while something is unexplained',
    )
    .option('--apply', 'do it, all of it or nothing; it may be repeated')
    .option('--json', 'print JSON')
    .action(async ({ apply = false, json = false }: JsonOption & { apply?: boolean }) =>
      (await import('./recover.ts')).recoverLedger({ apply, json }),
    );

  recover
    .command('begin')
    .description('right after a restore, before the workers start: no payment leaves until the recovery has ended')
    .option(
      '--skip-ibans <number>',
      'leave out so many IBANs, which may have been given to others since the back-up',
      wholeNumber(0, 1_000_000),
      0,
    )
    .option('--json', 'print JSON')
    .action(async ({ skipIbans, json = false }: JsonOption & { skipIbans: number }) =>
      (await import('./recover.ts')).begin(skipIbans, json),
    );

  recover
    .command('accept')
    .description(
      "take an issue for its order's although it went to another account or chain, which the holder has chosen since the back-up; or for another order's, whose credit the bank has reported under another reference",
    )
    .argument('<id>', 'id of the outcome in `mintrail recover`')
    .option('--order <id>', 'the order whose tokens it issued, when the issue names no order of this ledger')
    .option('--json', 'print JSON')
    .action(async (id: string, options: JsonOption & { order?: string }) => (await import('./recover.ts')).accept(id, options));

  recover
    .command('set-aside')
    .description(
      'say of outcomes or lost payments that they are none of this ledger; what outcomes moved stays a difference of the reserve',
    )
    .argument('<id...>', 'ids of the outcomes and payments in `mintrail recover`')
    .requiredOption('--reason <text>', 'why, such as a stolen key')
    .option('--json', 'print JSON')
    .action(async (ids: string[], options: JsonOption & { reason: string }) => (await import('./recover.ts')).setAside(ids, options));
}
