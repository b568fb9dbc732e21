// `node scripts/run.mjs FILE [ARGUMENTS]`: installs the dependencies if necessary, then runs the file with the right Node.
import path from 'node:path';
import { memoryFlags, runUnderNode } from '../src/cli/node-runtime.mjs';
import { ensureDependencies, project } from './dependencies.mjs';

const [file, ...args] = process.argv.slice(2);
try {
  if (!file) throw new Error('Usage: node scripts/run.mjs FILE [ARGUMENTS]');
  await ensureDependencies();
  // Only the program itself: benchmarks and simulations hold millions of objects.
  const flags = file === 'sandbox/main.ts' ? memoryFlags(args) : [];
  process.exitCode = await runUnderNode([...flags, path.join(project, file), ...args]);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
