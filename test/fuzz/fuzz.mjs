import path from 'node:path';
import { commandOptions } from '../../scripts/command-options.mjs';
import { ensureDependencies, project } from '../../scripts/dependencies.mjs';
import { runUnderNode } from '../../src/cli/node-runtime.mjs';

const values = commandOptions(
  `npm run fuzz -- [--requests N] [--seed S] [--environment sandbox|production]

Sends seeded requests to a service of its own, 30,000 to one in the sandbox and 12,000 to one in production, unless the options say otherwise.
With the sandbox the properties of bodies and orders run at length.`,
  ['requests', 'seed', 'environment'],
);
const campaigns = [
  { environment: 'sandbox', requests: values.requests ?? '30000' },
  { environment: 'production', requests: values.requests ?? '12000' },
].filter(({ environment }) => values.environment === undefined || values.environment === environment);

await ensureDependencies();
for (const { environment, requests } of campaigns) {
  Object.assign(process.env, { FUZZ_REQUESTS: requests, FUZZ_SEED: values.seed ?? '1', FUZZ_ENVIRONMENT: environment });
  const vitest = path.join(project, 'node_modules/vitest/vitest.mjs');
  const files = ['test/fuzz', ...(environment === 'sandbox' ? ['test/api/http/document-fuzz', 'test/api/orders/mutated-orders'] : [])];
  const code = await runUnderNode([vitest, 'run', '--root', project, ...files]);
  if (code !== 0) process.exitCode = code;
}
