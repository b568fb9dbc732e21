import type { Command } from 'commander';
import { acceptOutcomeVerb, applyRecovery, beginRecoveryVerb, setAsideVerb } from '../../operations/recovery/recovery.ts';
import { addVerb, addVerbOptions } from '../verbs/add-verb.ts';
import type { RecoverCommandOptions } from './recover.ts';

/** `mintrail recover`. */
export function addRecoverCommand(program: Command): void {
  const recover = program
    .command('recover')
    .description(
      'show what a ledger that was restored from a back-up has lost and what of it can be rebuilt; with --apply, rebuild it. Exit code 1 while something is unexplained',
    )
    .option('--apply', 'do it, all of it or nothing; it may be repeated');
  addVerbOptions(recover, applyRecovery).action(async (options: RecoverCommandOptions) =>
    (await import('./recover.ts')).recoverLedger(options),
  );

  addVerb(recover, beginRecoveryVerb, { text: () => 'No payment leaves until `mintrail recover --apply` has ended the recovery.' });
  addVerb(recover, acceptOutcomeVerb, { text: ({ outcome }) => `${outcome} is its order's. Run \`mintrail recover --apply\`.` });
  addVerb(recover, setAsideVerb, {
    text: ({ ids, outcomes, payments }) => `${outcomes + payments} of ${ids.length} outcomes are set aside.`,
  });
}
