// Finds a Node that runs this program, and runs the program under it. Plain JavaScript for Node 20.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const project = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** Runs TypeScript by itself, and Ponder asks for 22 at least. */
const leastMajor = 24;

/**
 * What every Mintrail process runs with. Left alone, V8 sizes its heap by the machine and lets garbage lie as long as there
 * is room: a chain worker grew to 339 MB in a burst of 5,000 credits. Young
 * objects get 3 x 4 MB instead of 3 x 16; old ones a ceiling far above what lives, near which V8 collects harder. Ponder is not ours to size and gets none of this.
 */
export const memoryFlags = ['--max-semi-space-size=4', '--max-old-space-size=160'];

/**
 * Where Node keeps the code that it has compiled, unless the operator says otherwise: all Mintrail processes load nearly the same
 * modules, and again at every start. It saves each a third of its start.
 */
export const compileCache = path.join(project, 'node_modules', '.cache', 'node');

/** How often a child of npm looks whether npm still lives. */
const watchMs = 500;

/** The Node that comes with the dependencies, else the running one when it is new enough. Throws with the remedy. */
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
    `Node ${process.versions.node} is too old, and no newer one comes along for ${process.platform}-${process.arch}: install Node ${leastMajor} (or, on linux-x64, run npm ci)`,
  );
}

/**
 * Runs a file under that Node, passes signals on and ends as it ends. The child holds a channel to this process and so
 * notices when this one is killed; this one notices when the npm that started it is.
 */
export function runUnderNode(args, env = process.env) {
  const node = findNode();
  // Whatever the program starts by name (`node`, a tool of node_modules/.bin) is found there too.
  const PATH = [path.dirname(node), path.join(project, 'node_modules', '.bin'), env.PATH].join(path.delimiter);
  const child = spawn(node, args, {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { NODE_COMPILE_CACHE: compileCache, ...env, PATH },
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

/** Whether this process runs with the memory flags, or with what the operator put in their place. */
export function hasMemoryFlags() {
  return missingFlags().every((flag) => process.execArgv.includes(flag));
}

/**
 * Goes on as the Node that runs this program, with the memory flags: in the same process where Node can do that (its id,
 * signals and output stay what they are, and no second process waits beside it), else in a child as `runUnderNode`.
 */
export async function becomeNode(args) {
  const node = Number.parseInt(process.versions.node, 10) >= leastMajor ? process.execPath : findNode();
  const options = [...missingFlags(), ...process.execArgv];
  if (process.execve && process.platform !== 'win32')
    process.execve(node, [node, ...options, ...args], { NODE_COMPILE_CACHE: compileCache, ...process.env });
  return runUnderNode([...options, ...args]);
}

/** The memory flags but for those that `NODE_OPTIONS` decides otherwise. */
function missingFlags() {
  return memoryFlags.filter((flag) => !process.env.NODE_OPTIONS?.includes(flag.split('=')[0]));
}

/** Calls back when this process was started through npm, and npm or the shell between is gone. */
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
