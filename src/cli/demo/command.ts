import type { Command } from 'commander';
import path from 'node:path';
import { settingsSchema } from '../../platform/settings.ts';

/** `mintrail demo`, which is `npm run demo`. */
export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('show what Mintrail does, step by step, on the running sandbox or one that it starts')
    .action(async () => {
      const { PORT, MINTRAIL_DATA_DIR } = settingsSchema.pick({ PORT: true, MINTRAIL_DATA_DIR: true }).parse(process.env);
      const { demo } = await import('./demo.ts');
      await demo({ dataDir: path.resolve(MINTRAIL_DATA_DIR), port: PORT });
    });
}
