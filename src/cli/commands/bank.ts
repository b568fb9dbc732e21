import type { Command } from 'commander';

/** `mintrail bank`: what an operator does with the bank's files. */
export function addBankCommands(program: Command): void {
  program.command('bank').description("the bank's files");
}
