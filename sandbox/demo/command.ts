import type { Command } from 'commander';
import path from 'node:path';
import { parseAddress } from '../../src/cli/chain-values.ts';
import { loadSomeSettings } from '../../src/platform/settings.ts';

/** `mintrail demo`, which is `npm run demo`. */
export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('show what Mintrail does, step by step, on the running sandbox or on one that it starts')
    .option('--safe <address>', 'on a fork: the Safe of the live network that pays. Its owners are impersonated there', parseAddress)
    .action(async ({ safe }: { safe?: `0x${string}` }) => {
      const { port, dataDir } = loadSomeSettings(['port', 'dataDir']);
      const { demo } = await import('./demo.ts');
      await demo({ dataDir: path.resolve(dataDir), port, safe });
    });
}
