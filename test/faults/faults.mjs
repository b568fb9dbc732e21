// `npm run faults`: the rows of docs/faults.md at length, each for 5, 30 and 120 seconds, and its campaigns; `FAULTS='regex'` selects rows, `FAULT_SECONDS='5,30'` lengths.
import path from 'node:path';
import { ensureDependencies, project } from '../../scripts/dependencies.mjs';
import { runUnderNode } from '../../src/cli/node-runtime.mjs';

await ensureDependencies();
process.env.FAULTS ??= '.';
const vitest = path.join(project, 'node_modules/vitest/vitest.mjs');
process.exitCode = await runUnderNode([vitest, 'run', '--root', project, 'test/faults']);
