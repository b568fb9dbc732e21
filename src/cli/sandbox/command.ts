import path from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { wholeNumber } from '../option-values.ts';
import { loadSomeSettings } from '../../platform/settings.ts';

/** `mintrail sandbox`, which is `npm start`. */
export function addSandboxCommand(program: Command): void {
  program
    .command('sandbox')
    .description('run the whole service with its own database and three local chains; `npm start` does this')
    .option('--fresh', 'delete the stored data first')
    .option('--block-time <seconds>', 'seconds between blocks of the local chains', parseBlockTime, 1)
    .option('--confirmations <blocks>', 'blocks on top before an outcome counts', wholeNumber(0, 100), 0)
    .action(async ({ fresh = false, blockTime, confirmations }: { fresh?: boolean; blockTime: number; confirmations: number }) => {
      const { port, dataDir } = loadSomeSettings(['port', 'dataDir']);
      const { sandbox } = await import('./sandbox.ts');
      await sandbox({ dataDir: path.resolve(dataDir), port, blockTimeSeconds: blockTime, confirmations, fresh });
    });
}

function parseBlockTime(text: string): number {
  const number = Number(text);
  if (number > 0 && number <= 60) return number;
  throw new InvalidArgumentError('It must be a number of seconds, more than 0 and at most 60.');
}
