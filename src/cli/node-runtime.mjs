// Finds a Node that runs this program, and runs the program under it. Plain JavaScript for Node 20.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import module from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const project = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** This version runs TypeScript natively; Ponder needs 22 at least. */
const leastMajor = 24;

/** The commands that run until they are stopped. Any other ends before its memory matters, and would only be slowed down by flags. */
const lastingCommands = new Set(['api', 'console', 'demo', 'indexer', 'listen', 'sandbox', 'worker']);

/** Megabytes of old objects of a process, and what each network beyond the first adds. */
const oldSpace = { process: 160, furtherNetwork: 64 };

/**
 * V8's memory flags for the Mintrail process with this command line. By default V8 sizes its heap by the machine and collects garbage late: a chain worker grew to
 * 339 MB in a burst of 5,000 credits. Young objects get 3 x 4 MB instead of 3 x 16; the limit for old objects is far above what is in use, and
 * makes V8 collect earlier. Ponder has flags of its own. A command that ends by itself has none: it would collect garbage while it loads its modules, and be
 * started twice, once without the flags.
 */
export function memoryFlags(args) {
  if (!args.some((arg) => lastingCommands.has(arg))) return [];
  const furtherNetworks = Math.max(0, args.filter((arg) => arg.split('=')[0] === '--chain').length - 1);
  return ['--max-semi-space-size=4', `--max-old-space-size=${oldSpace.process + furtherNetworks * oldSpace.furtherNetwork}`];
}

/**
 * Where Node keeps the code that it has compiled, unless the operator says otherwise: all Mintrail processes load nearly the same
 * modules, and again at every start. It saves each a third of its start.
 */
const compileCache = path.join(project, 'node_modules', '.cache', 'node');

/** What a Node is started with to use it. */
export const compileEnvironment = {
  NODE_COMPILE_CACHE: compileCache,
  // By paths from the cache on: a copy of the folder finds what it has in its own.
  NODE_COMPILE_CACHE_PORTABLE: '1',
};

/**
 * Environment of a Mintrail process, behind what the operator sets. glibc gives memory out from one arena instead of one for each of a dozen threads, each of
 * which keeps what it has freed, and gives blocks of 128 KB and more back to the system at once: by default that size grows to 32 MB. Of 326 MB of an indexer in
 * a burst of 30,000 credits, V8's heap was 160.
 */
export const processEnvironment = {
  ...compileEnvironment,
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

/** Uses the compile cache in this process, which was not started with the environment above. Does nothing where the operator has set another one. */
export function useCompileCache() {
  if (process.env.NODE_COMPILE_CACHE !== undefined) return;
  process.env.NODE_COMPILE_CACHE_PORTABLE ??= compileEnvironment.NODE_COMPILE_CACHE_PORTABLE;
  module.enableCompileCache?.(compileCache);
}

/** Interval at which a child of npm checks whether npm still runs. */
const watchMs = 500;

/** The Node of the dependencies, else the running one when it is new enough. Throws an error with the remedy. */
export function findNode() {
  const own = path.join(
    project,
    'node_modules',
    `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`,
    'bin',
    'node',
  );
  if (existsSync(own)) return own;
  if (Number.parseInt(process.versions.node, 10) >= leastMajor) return process.execPath;
  throw new Error(
    `Node ${process.versions.node} is too old, and the dependencies have none for ${process.platform}-${process.arch}: install Node ${leastMajor} (or, on linux-x64, run npm ci)`,
  );
}

/**
 * Runs a file with that Node, forwards signals, and resolves to its exit code. The child has a channel to this process, which closes when this
 * process is killed. This process also notices when the npm that started it is killed.
 */
export function runUnderNode(args, env = process.env) {
  const node = findNode();
  // The program also finds `node` and the tools of node_modules/.bin there.
  const PATH = [path.dirname(node), path.join(project, 'node_modules', '.bin'), env.PATH].join(path.delimiter);
  const child = spawn(node, args, {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...processEnvironment, ...env, PATH },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  const watch = watchNpm(() => child.connected && child.disconnect());
  return new Promise((resolve) => {
    child.on('error', (error) => {
      console.error(`${node} cannot be run: ${error.message}`);
      resolve(1);
    });
    child.on('exit', (code, signal) => {
      clearInterval(watch);
      resolve(code ?? (signal === 'SIGINT' ? 130 : 1));
    });
  });
}

/** Whether this process has the memory flags of its command line, or the operator's own. */
export function hasMemoryFlags() {
  return missingFlags(process.argv.slice(2)).every((flag) => process.execArgv.includes(flag));
}

/**
 * Continues with the right Node and the memory flags: in the same process where Node can replace it (which keeps its pid, signals and output),
 * else in a child as `runUnderNode` does. Resolves to the exit code.
 */
export async function becomeNode(args) {
  const node = Number.parseInt(process.versions.node, 10) >= leastMajor ? process.execPath : findNode();
  const options = [...missingFlags(args), ...process.execArgv];
  if (process.execve && process.platform !== 'win32')
    process.execve(node, [node, ...options, ...args], { ...processEnvironment, ...process.env });
  return runUnderNode([...options, ...args]);
}

/** The memory flags that `NODE_OPTIONS` does not set. */
function missingFlags(args) {
  return memoryFlags(args).filter((flag) => !process.env.NODE_OPTIONS?.includes(flag.split('=')[0]));
}

/** Calls `lost` when this process was started by npm, and npm or the shell between them has ended. */
function watchNpm(lost) {
  if (!process.env.npm_lifecycle_event) return undefined;
  const parent = process.ppid;
  const grandparent = commandOf(parent)?.includes('npm') ? undefined : parentOf(parent);
  const timer = setInterval(() => {
    if (process.ppid === parent && parentOf(parent) === (grandparent ?? parentOf(parent))) return;
    clearInterval(timer);
    lost();
  }, watchMs);
  timer.unref();
  return timer;
}

function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return undefined;
  }
}

function parentOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[1];
  } catch {
    return undefined;
  }
}
