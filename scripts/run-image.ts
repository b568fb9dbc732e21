// Runs the image whose root file system is in a folder: --version, migrate and the API, on a read-only root as user 1000, against a database of its own.
// Usage: node scripts/run-image.ts FOLDER; `scripts/check-image` calls it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startEmbeddedPostgres } from '../sandbox/postgres/embedded-postgres.ts';
import { indexedNetworkEnvironment } from '../src/indexed/indexed-network.ts';
import { freePort } from '../src/platform/process/free-port.ts';
import { generateSecretsKey } from '../src/platform/sealing.ts';
import { loadNetwork } from '../src/platform/settings.ts';

/** In mounts of its own: the root read-only, what is declared as volume or tmpfs writable, as compose makes it. */
const inImage = `set -e
root=$1; shift
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -t tmpfs -o mode=755,uid=1000,gid=1000 tmpfs "$root/var/lib/mintrail"
mount --rbind /proc "$root/proc"
mount --rbind /dev "$root/dev"
exec chroot --userspec=1000:1000 "$root" /usr/bin/env -C /app /usr/local/bin/node "$@"`;

const program = '/app/src/cli/mintrail.mjs';
const startTimeoutMs = 60_000;

const [root = ''] = process.argv.slice(2);
const dataDir = mkdtempSync(path.join(tmpdir(), 'mintrail-image-'));
const postgres = await startEmbeddedPostgres({ dataDir, durable: false });
try {
  await check();
} finally {
  await postgres.close();
  rmSync(dataDir, { recursive: true, force: true });
}

async function check(): Promise<void> {
  const port = await freePort();
  const env = {
    DATABASE_URL: postgres.url('postgres'),
    BASE_URL: 'https://money.example',
    SECRETS_KEY: generateSecretsKey(),
    HOST: '127.0.0.1',
    PORT: String(port),
  };
  await run([program, '--version'], {});
  await run([program, 'migrate'], env);
  // The native parts.
  const parts = ['@node-rs/argon2', 'sharp', 'secp256k1'];
  await run(['--input-type=module', '--eval', `for (const name of ${JSON.stringify(parts)}) await import(name)`], {});
  // What Ponder is made of, from the packages and from the bundle.
  const network = loadNetwork('gnosis', { GNOSIS_RPC_URLS: 'http://127.0.0.1:1' });
  const ponderEnv = indexedNetworkEnvironment(network, 'http://127.0.0.1:1');
  const replace = `(await import('/app/src/workers/indexer/ponder-modules.ts')).replaceModules();`;
  const bundled = `(await import('/app/src/platform/process/bundled-dependencies.mjs')).useBundledDependencies();`;
  const load = `for (const part of ['start', 'serve', 'graphql']) await import('ponder/' + part);`;
  for (const use of ['', bundled]) await run(['--input-type=module', '--eval', replace + use + load], ponderEnv);
  const api = start([program, 'api'], env);
  const ended = once(api, 'exit');
  try {
    const deadline = performance.now() + startTimeoutMs;
    while (!(await answers(`http://127.0.0.1:${port}/health/live`))) {
      if (api.exitCode !== null || performance.now() > deadline) throw new Error('The API in the image does not answer');
      await pause(100);
    }
    for (const page of ['/docs', '/docs/pages.js', '/openapi.json'])
      if (!(await answers(`http://127.0.0.1:${port}${page}`))) throw new Error(`The API in the image does not answer ${page}`);
  } finally {
    api.kill('SIGTERM');
    await ended;
  }
  process.stdout.write('The image runs --version, migrate and the API on a read-only root file system\n');
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

function start(args: readonly string[], env: Record<string, string>) {
  const image = {
    PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    NODE_ENV: 'production',
    NODE_DISABLE_COMPILE_CACHE: '1',
    MINTRAIL_DATA_DIR: '/var/lib/mintrail',
  };
  return spawn('unshare', ['--mount', '--kill-child', 'sh', '-c', inImage, 'sh', root, ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...image, ...env },
  });
}

async function run(args: readonly string[], env: Record<string, string>): Promise<void> {
  const [code] = (await once(start(args, env), 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code} in the image`);
}
