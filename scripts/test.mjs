// `npm test`: installs the dependencies if they are missing, then checks types, lint, format, unused code and generated files while all tests run.
// `npm run test:quick`: the same, with only those tests that need no server. Further arguments go to vitest. Every step runs, what the checks printed
// follows the tests, and the summary says which failed.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { compileEnvironment, findNode } from '../src/cli/node-runtime.mjs';
import { ensureDependencies, project } from './dependencies.mjs';

const [first, ...rest] = process.argv.slice(2);
const vitestArguments = first === '--quick' ? ['--project', 'unit', ...rest] : process.argv.slice(2);
const bin = path.join(project, 'node_modules', '.bin');
const checks = [
  // With a thread for each core it would take both from the tests, for the same processor time. Garbage is collected when there is three times as much of it
  // as what is in use, which saves a seventh of that time, for a tenth of memory more.
  { name: 'types and lint', command: 'oxlint', args: ['--type-check'], variables: { GOMAXPROCS: '1', GOGC: '300' } },
  { name: 'format', command: 'oxfmt', args: ['--check'] },
  { name: 'unused code', command: 'knip', args: [] },
  { name: 'docs', command: 'node', args: ['scripts/settings-pages.ts', '--check'] },
  { name: 'errors page', command: 'node', args: ['scripts/errors-page.ts', '--check'] },
  { name: 'runbooks page', command: 'node', args: ['scripts/runbooks-page.ts', '--check'] },
  { name: 'verbs page', command: 'node', args: ['scripts/verbs-page.ts', '--check'] },
  { name: 'scaling page', command: 'node', args: ['scripts/scaling-page.ts', '--check'] },
  { name: 'metrics page', command: 'node', args: ['scripts/metrics-page.ts', '--check'] },
  { name: 'charts of the benchmark', command: 'node', args: ['scripts/bench-page.ts', '--check'] },
  { name: 'rules and boards', command: 'node', args: ['scripts/deploy-files.ts', '--check'] },
  { name: 'schema', command: 'node', args: ['scripts/schema.ts', '--check'] },
  { name: 'client', command: 'node', args: ['scripts/client-types.ts', '--check'] },
  { name: 'counts of the house', command: 'node', args: ['scripts/house-counts.ts', '--check'] },
];
const tests = { name: 'tests', command: 'vitest', args: ['run', ...vitestArguments] };

let interrupted = false;

try {
  await ensureDependencies();
  process.exitCode = await runSteps();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

async function runSteps() {
  const PATH = [path.dirname(findNode()), bin, process.env.PATH].join(path.delimiter);
  const env = { ...compileEnvironment, ...process.env, PATH };
  const [checked, tested] = await Promise.all([runChecks(env), run(tests, env, 'inherit')]);
  for (const { name, code, output } of checked) if (code !== 0) console.log(`\n== ${name}\n${output}`);
  console.log('\n== summary');
  for (const { name, code, seconds } of [...checked, tested]) console.log(`${code === 0 ? 'ok    ' : 'FAILED'}  ${name} (${seconds} s)`);
  return [...checked, tested].every(({ code }) => code === 0) && !interrupted ? 0 : 1;
}

async function runChecks(env) {
  const results = [];
  for (const check of checks) if (!interrupted) results.push(await run(check, env, 'pipe'));
  return results;
}

function run({ name, command, args, variables }, env, output) {
  const startedAt = Date.now();
  return new Promise((resolve) => {
    const child = spawn(path.join(bin, command), args, { cwd: project, stdio: ['ignore', output, output], env: { ...env, ...variables } });
    const printed = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => printed.push(chunk));
    const stop = (signal) => {
      interrupted = true;
      child.kill(signal);
    };
    const end = (code) => {
      process.off('SIGINT', stop).off('SIGTERM', stop);
      resolve({ name, code, output: Buffer.concat(printed).toString(), seconds: ((Date.now() - startedAt) / 1000).toFixed(1) });
    };
    process.on('SIGINT', stop).on('SIGTERM', stop);
    child.on('error', (error) => {
      printed.push(Buffer.from(error.message));
      end(1);
    });
    child.on('close', (code) => end(code ?? 1));
  });
}
