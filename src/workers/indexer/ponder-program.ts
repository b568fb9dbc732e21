// Ponder, as a program: `ponder-program.ts start|serve --root FOLDER --schema NAME …`, with the options of Ponder's own command line. That one would load its
// other commands too, and settings from a file `.env.local`.
import { parseArgs } from 'node:util';
import { useBundledDependencies } from '../../platform/process/bundled-dependencies.mjs';
import './event-loop-sampling.ts';
import { replaceModules } from './ponder-modules.ts';

const text = { type: 'string' } as const;
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { root: text, schema: text, 'views-schema': text, port: text, hostname: text },
});
const { root, schema, 'views-schema': viewsSchema, port, hostname } = values;
const options = { config: 'ponder.config.ts', logFormat: 'json', root, schema, viewsSchema, port: Number(port), hostname } as const;

replaceModules();
useBundledDependencies();
await import('./owned-connections.ts');
if (positionals[0] === 'serve') {
  const { serve } = await import('ponder/serve');
  await serve({ cliOptions: { command: 'serve', ...options } });
} else {
  const { start } = await import('ponder/start');
  await start({ cliOptions: { command: 'start', ...options } });
}
