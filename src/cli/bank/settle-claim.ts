import type { Command } from 'commander';
import { recover, writeOff } from '../../operations/bank/debits.ts';
import type { Verb } from '../../operations/verb.ts';
import { carryOutVerb, type VerbOptions } from '../verbs/carry-out-verb.ts';

/** Options of `mintrail bank claims settle`. */
export interface ClaimOptions extends VerbOptions {
  by?: string;
  writeOff?: true;
  reason?: string;
}

/** `mintrail bank claims settle`: the verb of the option. Throws what it throws, and CommanderError unless one of the two ways is named. */
export async function settleClaim(claim: string, options: ClaimOptions, command: Command): Promise<void> {
  const { by, writeOff: isWrittenOff, reason } = options;
  if ((by === undefined) === (isWrittenOff === undefined))
    return command.error('error: name either --by CREDIT, or --write-off with --reason TEXT', { exitCode: 2 });
  if (by !== undefined && reason !== undefined)
    return command.error('error: --reason belongs to --write-off: the credit of --by is the reason', { exitCode: 2 });
  if (by !== undefined)
    return carryOutVerb(recover as unknown as Verb, { claim, credit: by }, options, {
      text: ({ rest }: { rest: string }) => `${by} makes the claim ${claim} good; ${rest === '0.00' ? 'nothing is' : `${rest} are`} open.`,
    });
  await carryOutVerb(writeOff as unknown as Verb, { claim, reason }, options, {
    text: ({ rest }: { rest: string }) => `${rest} of the claim ${claim} are written off.`,
  });
}
