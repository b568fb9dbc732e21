import type { Command } from 'commander';
import path from 'node:path';
import { loadSomeSettings } from '../../platform/settings.ts';

/** `mintrail demo`, which is `npm run demo`. */
export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('show what Mintrail does, step by step, on the running sandbox or on one that it starts')
    .action(async () => {
      const { port, dataDir } = loadSomeSettings(['port', 'dataDir']);
      const { demo } = await import('./demo.ts');
      await demo({ dataDir: path.resolve(dataDir), port });
    });
}
