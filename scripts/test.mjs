// `npm test`: installs the dependencies if they are missing, checks types, lint, format, unused code and generated files, then runs
// all tests. `npm run test:quick`: the same, with only those tests that need no server. Further arguments go to vitest. Every step runs,
// and the summary says which failed.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { findNode } from '../src/cli/node-runtime.mjs';
import { ensureDependencies, project } from './dependencies.mjs';

const [first, ...rest] = process.argv.slice(2);
const vitestArguments = first === '--quick' ? ['--project', 'units', ...rest] : process.argv.slice(2);
const bin = path.join(project, 'node_modules', '.bin');
const steps = [
  { name: 'types', command: 'tsc', args: ['-p', '.'] },
  { name: 'types of the console', command: 'tsc', args: ['-p', 'console'] },
  { name: 'lint', command: 'oxlint', args: [] },
  { name: 'format', command: 'oxfmt', args: ['--check'] },
  { name: 'unused code', command: 'knip', args: [] },
  { name: 'docs', command: 'node', args: ['scripts/settings-pages.ts', '--check'] },
  { name: 'errors page', command: 'node', args: ['scripts/errors-page.ts', '--check'] },
  { name: 'scaling page', command: 'node', args: ['scripts/scaling-page.ts', '--check'] },
  { name: 'metrics page', command: 'node', args: ['scripts/metrics-page.ts', '--check'] },
  { name: 'rules and boards', command: 'node', args: ['scripts/deploy-files.ts', '--check'] },
  { name: 'client', command: 'node', args: ['scripts/client-types.ts', '--check'] },
  { name: 'tests', command: 'vitest', args: ['run', ...vitestArguments] },
];

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
  const results = [];
  for (const { name, command, args } of steps) {
    console.log(`\n== ${name}: ${command} ${args.join(' ')}`);
    const startedAt = Date.now();
    const code = await run(path.join(bin, command), args, { ...process.env, PATH });
    results.push({ name, code, seconds: ((Date.now() - startedAt) / 1000).toFixed(1) });
    if (interrupted) break;
  }
  console.log('\n== summary');
  for (const { name, code, seconds } of results) console.log(`${code === 0 ? 'ok    ' : 'FAILED'}  ${name} (${seconds} s)`);
  return results.every(({ code }) => code === 0) && !interrupted ? 0 : 1;
}

function run(command, args, env) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: project, stdio: ['ignore', 'inherit', 'inherit'], env });
    const stop = (signal) => {
      interrupted = true;
      child.kill(signal);
    };
    process.on('SIGINT', stop).on('SIGTERM', stop);
    child.on('error', (error) => {
      console.error(error.message);
      resolve(1);
    });
    child.on('exit', (code) => {
      process.off('SIGINT', stop).off('SIGTERM', stop);
      resolve(code ?? 1);
    });
  });
}
