import { confirm, isCancel } from '@clack/prompts';
import { StopError } from '../platform/errors.ts';
import { printableLines } from './print.ts';

/** Asks on the terminal whether to go on. Throws `not_confirmed` for any answer but yes, and where there is no terminal. */
export async function confirmOrStop(question: string): Promise<void> {
  const answer = process.stdin.isTTY ? await confirm({ message: printableLines(question), initialValue: false }) : undefined;
  if (answer === true && !isCancel(answer)) return;
  throw new StopError({ code: 'not_confirmed', message: 'Nothing was done. Confirm on a terminal, or add --yes' });
}

/** Throws `not_confirmed` for `--json` without `--yes`: a program cannot confirm. */
export function requireYesWithJson({ json, yes }: { json: boolean; yes: boolean }): void {
  if (json && !yes) throw new StopError({ code: 'not_confirmed', message: '--json is for programs, which cannot confirm: add --yes' });
}
