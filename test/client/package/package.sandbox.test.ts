import { execFile } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { build, type Rolldown } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callSamples } from '../../../src/api/docs/call-samples.ts';
import type { ApiDocument } from '../../../src/api/docs/openapi.ts';
import { listChapters } from '../../../src/api/docs/reference.ts';
import { readDocument } from '../../../scripts/openapi-document.ts';
import type { SandboxFile } from '../../../src/cli/running-sandbox.ts';
import { freePort } from '../../../src/platform/process/free-port.ts';
import { sharedSandbox } from '../../scenarios/shared-sandbox.ts';
import { hasChromium, launchChromium } from '../../support/chromium/chromium.ts';
import { pdf } from '../../support/documents.ts';
import { patienceMs } from '../../support/patience.ts';
import { createServedApi, type ServedApi } from '../served-api.ts';
import type { everyMethod, Given } from './every-method.ts';
import { type InstalledPackage, installPackage } from './installed-package.ts';
import { supportedNodes } from './nodes.ts';

const run = promisify(execFile);

/** `npm run test:package`; `npm test` has the sample of a page, built and used in Chromium, in `test/examples/spa.process.test.ts`. */
const isWhole = process.env['NODES'] === 'all';

/** What whoever calls the API from a browser may write: it needs no types of Node. */
const browserFile = `
import { createClient, MintrailApiError, verifyWebhook, type Order } from 'mintrail-client';
const mintrail = createClient({ baseUrl: '/api', accessToken: async () => localStorage.getItem('token') ?? '' });
export const orders: Order[] = (await mintrail.get('/orders')).orders;
export const file = await mintrail.upload(document.querySelector('input')!.files![0]!);
export const isRefusal = (error: unknown): error is MintrailApiError => error instanceof MintrailApiError && error.status === 400;
export const event = await verifyWebhook('whsec_', new Headers(), '');
// @ts-expect-error -- the types are there, not any
mintrail.get('/nothing');
`;

/** The program of a Node, and of a page. */
const programs = {
  'program.ts': `import { everyMethod } from './every-method.js';
console.log(JSON.stringify(await everyMethod(JSON.parse(process.argv[2] ?? ''))));`,
  'page.ts': `import { everyMethod } from './every-method.js';
Object.assign(globalThis, { everyMethod });`,
  'index.html': '<!doctype html><title>Client</title><script type="module" src="page.ts"></script>',
};

/** What comes of using everything, wherever it runs. */
const expected: Awaited<ReturnType<typeof everyMethod>> = {
  patch: [400, true],
  upload: true,
  orderEvents: true,
  request: 200,
  pages: ['issue', 'redeem'],
  verifyWebhook: 'subscription.created',
  forged: true,
  unreached: true,
};

const inNode = { skipLibCheck: true, types: ['node'] };

/** What the samples of the reference take for known. */
const known = `import { createClient, type Client } from 'mintrail-client';
declare const mintrail: Client, bytes: Uint8Array<ArrayBuffer>, name: string, baseUrl: string, clientId: string, clientSecret: string;`;

/** Every sample of the reference, each in a function of its own. */
async function referenceSamples(): Promise<string> {
  const routes = listChapters((await readDocument()) as ApiDocument).flatMap((chapter) => chapter.routes);
  const samples = routes.flatMap((route) => callSamples(route, '').client ?? []);
  return [known, ...samples.map((sample, index) => `export async function sample${index}() {\n${sample}\n}`)].join('\n');
}

let installed: InstalledPackage;
let nodes: Map<string, string>;
let api: ServedApi;

beforeAll(async () => {
  [installed, api] = await Promise.all([installPackage(), createServedApi()]);
  const { folder } = installed;
  nodes = await supportedNodes(folder);
  const readme = readFileSync('client/README.md', 'utf8');
  const example = /<!-- client -->\n```ts\n([^]*?)```\n<!-- \/client -->/.exec(readme)?.[1] ?? '';
  const written = { ...programs, 'readme.ts': example, 'samples.ts': await referenceSamples(), 'browser.ts': browserFile };
  for (const [name, content] of Object.entries(written)) writeFileSync(path.join(folder, name), content);
  copyFileSync(path.join(import.meta.dirname, 'every-method.ts'), path.join(folder, 'every-method.ts'));
});
afterAll(async () => {
  await api?.close();
  installed?.remove();
});

describe('the installed package', () => {
  it('holds the built client alone', () => {
    const files = readdirSync(path.join(installed.folder, 'node_modules/mintrail-client'), { recursive: true, encoding: 'utf8' });
    expect(files).toEqual(expect.arrayContaining(['dist/index.js', 'dist/index.d.ts', 'README.md', 'LICENSE']));
    expect(files.filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))).toEqual([]);
  });

  it.each([
    ['TypeScript 5', 'bundler'],
    ['TypeScript 7', 'nodenext'],
  ] as const)('is typed for browsers under %s and the resolution %s', async (compiler, resolution) => {
    const browser = { noEmit: true, types: [], lib: ['es2022', 'dom', 'dom.iterable'] };
    expect(await installed.compile(compiler, resolution, 'browser.ts', browser)).toBe('');
  });

  it('compiles the example of its README under the resolution bundler', async () => {
    expect(await installed.compile('TypeScript 7', 'bundler', 'readme.ts', { ...inNode, noEmit: true })).toBe('');
  });

  it('compiles the samples of the reference', async () => {
    expect(await installed.compile('TypeScript 7', 'bundler', 'samples.ts', { ...inNode, noEmit: true })).toBe('');
  });

  it('compiles the example of its README under the resolution nodenext, and runs it on every Node against the API', async () => {
    expect(await installed.compile('TypeScript 7', 'nodenext', 'readme.ts', inNode)).toBe('');
    for (const node of nodes.values()) {
      const key = generatePrivateKey();
      api.fund(privateKeyToAccount(key).address, 100n);
      const { clientId: ID, clientSecret: SECRET } = api.partner;
      const { stdout } = await run(node, ['readme.js'], { cwd: installed.folder, env: { API: api.url, ID, SECRET, KEY: key } });
      expect(stdout).toMatch(/^(10\.50 placed\n)+$/);
    }
  });
});

describe('every method of the installed package, against the sandbox', () => {
  let file: SandboxFile;

  beforeAll(async () => void ({ file } = await sharedSandbox()));

  async function given(baseUrl = file.apiUrl): Promise<Given> {
    const secret = `whsec_${Buffer.from('a secret of thirty-two bytes....').toString('base64')}`;
    const body = JSON.stringify({ type: 'subscription.created' });
    const at = new Date();
    const signature = new Webhook(secret).sign('event', at, body);
    const headers = {
      'webhook-id': 'event',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': signature,
    };
    const { apiUrl, applications } = file;
    const awayUrl = `http://127.0.0.1:${await freePort()}`;
    return {
      baseUrl,
      apiUrl,
      awayUrl,
      applications,
      key: generatePrivateKey(),
      document: pdf.toString('latin1'),
      webhook: { secret, headers, body },
    };
  }

  it('works on every Node', async () => {
    expect(await installed.compile('TypeScript 7', 'nodenext', 'program.ts', inNode)).toBe('');
    for (const node of nodes.values()) {
      const { stdout } = await run(node, ['program.js', JSON.stringify(await given())], { cwd: installed.folder });
      expect(JSON.parse(stdout)).toEqual(expected);
    }
  });

  it.runIf(isWhole && hasChromium)('works in Chromium, built by Vite', async () => {
    const { output } = (await build({
      root: installed.folder,
      configFile: false,
      logLevel: 'silent',
      build: { write: false, target: 'es2022' },
    })) as Rolldown.RolldownOutput;
    const assets = new Map(output.map((one) => [`/${one.fileName}`, one.type === 'chunk' ? one.code : one.source]));
    const server = servePage(assets, file.apiUrl);
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    let browser: Browser | undefined;
    try {
      browser = await launchChromium();
      const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const page = await browser.newPage();
      page.setDefaultTimeout(patienceMs);
      await page.goto(`${origin}/index.html`);
      expect(await page.evaluate(useIt, await given(`${origin}/api`))).toEqual(expected);
    } finally {
      await browser?.close();
      server.closeAllConnections();
      server.close();
    }
  });
});

/** Runs in the page. */
function useIt(options: Given) {
  return (globalThis as unknown as { everyMethod: typeof everyMethod }).everyMethod(options);
}

/** A page with its files, and below `/api` the API: what a page may read at another origin, test/examples/spa.process.test.ts shows. */
function servePage(assets: ReadonlyMap<string, string | Uint8Array>, apiUrl: string): Server {
  return createServer((incoming, response) => {
    const { method = 'GET', url = '/', headers } = incoming;
    if (!url.startsWith('/api/')) {
      response.writeHead(assets.has(url) ? 200 : 404, { 'Content-Type': url.endsWith('.html') ? 'text/html' : 'text/javascript' });
      response.end(assets.get(url));
      return;
    }
    const outgoing = request(apiUrl + url.slice('/api'.length), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
}
