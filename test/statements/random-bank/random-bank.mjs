import path from 'node:path';
import { commandOptions } from '../../../scripts/command-options.mjs';
import { ensureDependencies, project } from '../../../scripts/dependencies.mjs';
import { runUnderNode } from '../../../src/cli/node-runtime.mjs';

const values = commandOptions(
  `npm run bank -- --seeds 2000 [--first 5001]  imports the files of that many random banks (500, from 1 on)
npm run bank -- --seed 17                    replays one and prints its files`,
  ['seeds', 'first', 'seed'],
);
const variables = { BANK_SEEDS: values.seeds ?? '500', BANK_FIRST: values.first ?? '1', ...(values.seed && { BANK_SEED: values.seed }) };

const randomBank = 'test/statements/random-bank/random-bank.db.test.ts';

await ensureDependencies();
Object.assign(process.env, variables);
const others = [
  'random-bank/restored.db.test.ts',
  'random-bank/week.db.test.ts',
  'properties.db.test.ts',
  'money/decide-money.unit.test.ts',
].map((name) => `test/statements/${name}`);
const files = values.seed ? [randomBank] : [randomBank, ...others];
const vitest = path.join(project, 'node_modules/vitest/vitest.mjs');
process.exitCode = await runUnderNode([vitest, 'run', '--root', project, ...files]);
