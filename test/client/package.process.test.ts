import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { createServedApi, type ServedApi } from './served-api.ts';

const run = promisify(execFile);
const project = path.resolve(import.meta.dirname, '../..');
const modules = path.join(project, 'node_modules');

/** What whoever calls the API from a browser may write: it needs no types of Node. */
const browserFile = `
import { createClient, MintrailApiError, verifyWebhook, type Order } from 'mintrail/client';
const mintrail = createClient({ baseUrl: '/api', accessToken: async () => localStorage.getItem('token') ?? '' });
export const orders: Order[] = (await mintrail.get('/orders')).orders;
export const file = await mintrail.upload(document.querySelector('input')!.files![0]!);
export const isRefusal = (error: unknown): error is MintrailApiError => error instanceof MintrailApiError && error.status === 400;
export const event = await verifyWebhook('whsec_', new Headers(), '');
// @ts-expect-error -- the types are there, not any
mintrail.get('/nothing');
`;

/** The Nodes of this machine that are asked for: the major version of each, and where it is. */
const nodes = [process.execPath, ...(process.env['PATH'] ?? '').split(path.delimiter).map((folder) => path.join(folder, 'node'))]
  .filter((file) => existsSync(file))
  .map((file) => ({ file, major: execFileSync(file, ['-p', 'process.versions.node.split(".")[0]']).toString().trim() }));

let folder: string;
let api: ServedApi;

beforeAll(async () => {
  api = await createServedApi();
  folder = mkdtempSync(path.join(tmpdir(), 'mintrail-package-'));
  await run('npm', ['run', 'package', '--', '--pack-destination', folder], { cwd: project });
  const [tarball = ''] = readdirSync(folder);
  const installed = path.join(folder, 'node_modules', 'mintrail');
  mkdirSync(installed, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1'], { cwd: folder });
  for (const name of ['eventsource-parser', 'viem', '@types'])
    symlinkSync(path.join(modules, name), path.join(folder, 'node_modules', name));
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(path.join(folder, 'readme.ts'), readmeExample());
  writeFileSync(path.join(folder, 'browser.ts'), browserFile);
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true, force: true });
});

function readmeExample(): string {
  const readme = readFileSync(path.join(project, 'README.md'), 'utf8');
  return /<!-- client -->\n```ts\n([^]*?)```\n<!-- \/client -->/.exec(readme)?.[1] ?? '';
}

const compilers = { 'TypeScript 5': 'typescript-5/bin/tsc', 'TypeScript 7': 'typescript/bin/tsc' };
const resolutions = {
  bundler: { module: 'preserve', moduleResolution: 'bundler' },
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext' },
};

/** What the compiler finds; nothing when all is well. */
async function compile(compiler: keyof typeof compilers, resolution: keyof typeof resolutions, file: string, options: object) {
  const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, target: 'es2022' };
  const compilerOptions = { ...strict, ...resolutions[resolution], ...options };
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }));
  return run(process.execPath, [path.join(modules, compilers[compiler]), '-p', folder]).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
}

describe('the package', () => {
  it('holds the built client, and nothing of the service', () => {
    const files = readdirSync(path.join(folder, 'node_modules/mintrail'), { recursive: true, encoding: 'utf8' });
    expect(files).toEqual(expect.arrayContaining(['dist/client/index.js', 'dist/client/index.d.ts', 'README.md', 'LICENSE']));
    expect(files.filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))).toEqual([]);
  });

  it('says that the service is elsewhere when its command is called', async () => {
    const command = path.join(folder, 'node_modules/mintrail/src/cli/mintrail.mjs');
    await expect(run(process.execPath, [command])).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('runs from a clone') });
  });

  it.each([
    ['TypeScript 5', 'bundler'],
    ['TypeScript 7', 'nodenext'],
  ] as const)('is typed for browsers under %s and the resolution %s', async (compiler, resolution) => {
    const browser = { noEmit: true, types: [], lib: ['es2022', 'dom', 'dom.iterable'] };
    expect(await compile(compiler, resolution, 'browser.ts', browser)).toBe('');
  });

  it('compiles the example of the README under the resolution bundler', async () => {
    expect(await compile('TypeScript 7', 'bundler', 'readme.ts', { noEmit: true, skipLibCheck: true, types: ['node'] })).toBe('');
  });

  it('compiles the example of the README under the resolution nodenext, and runs it on Node 20 and 24 against the API', async () => {
    expect(await compile('TypeScript 7', 'nodenext', 'readme.ts', { skipLibCheck: true, types: ['node'] })).toBe('');
    for (const major of ['20', '24']) {
      const node = nodes.find((one) => one.major === major);
      if (!node) {
        console.warn(`There is no Node ${major} here: the client was not tried on it`);
        continue;
      }
      const key = generatePrivateKey();
      api.fund(privateKeyToAccount(key).address, 100n);
      const { clientId: ID, clientSecret: SECRET } = api.partner;
      const { stdout } = await run(node.file, ['readme.js'], { cwd: folder, env: { API: api.url, ID, SECRET, KEY: key } });
      expect(stdout).toMatch(/^(10\.50 placed\n)+$/);
    }
  });
});
