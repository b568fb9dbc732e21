// `npm run attack`: hostile requests at length, to a sandbox and to a service in production mode; `ATTACKS='regex'` selects rows.
import path from 'node:path';
import { ensureDependencies, project } from '../../scripts/dependencies.mjs';
import { runUnderNode } from '../../src/cli/node-runtime.mjs';

await ensureDependencies();
process.env.ATTACKS ??= '.';
const vitest = path.join(project, 'node_modules/vitest/vitest.mjs');
process.exitCode = await runUnderNode([vitest, 'run', '--root', project, 'test/attack']);
