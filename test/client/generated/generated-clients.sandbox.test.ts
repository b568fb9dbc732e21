import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ZodType } from 'zod';
import type { SandboxFile } from '../../../src/cli/running-sandbox.ts';
import { sharedSandbox } from '../../scenarios/shared-sandbox.ts';
import { pdf } from '../../support/documents.ts';
import { mintrailProcess } from '../../support/processes/mintrail.ts';
import { until } from '../../support/until.ts';

const run = promisify(execFile);

/** They are fetched by `npm run test:clients` alone and are no dependencies. */
const packages = ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', '@hey-api/openapi-ts@0.99.0', 'zod@4.6.7', 'typescript@5.9.3'];
const heyApi = {
  input: 'openapi.json',
  output: 'hey-api',
  plugins: ['@hey-api/client-fetch', 'zod', { name: '@hey-api/sdk', validator: { response: 'zod' } }],
};
const compilation = [
  '--noEmit',
  '--strict',
  '--skipLibCheck',
  '--target',
  'es2022',
  '--module',
  'preserve',
  '--moduleResolution',
  'bundler',
];

/** Runs before a program: its `fetch` writes down what was asked and answered. */
const recording = `
import { appendFileSync } from 'node:fs';
const original = globalThis.fetch;
globalThis.fetch = async (input, init) => {
  const response = await original(input, init);
  const { method, url } = input instanceof Request ? input : { method: 'GET', url: String(input), ...init };
  if (response.ok && response.headers.get('Content-Type')?.startsWith('application/json'))
    appendFileSync(process.env.RECORD, JSON.stringify({ method, url, body: await response.clone().json() }) + '\\n');
  return response;
};
`;

interface Document {
  paths: Record<string, Record<string, { operationId: string }>>;
}

interface Walk {
  orders: string[];
  balance: string;
  refused: number;
}

/** `walk.ts`, which is compiled against the generated clients. */
interface Walks {
  walkByOpenapiFetch: (customer: object) => Promise<Walk>;
  walkByHeyApi: (customer: object) => Promise<Walk>;
}

describe.skipIf(process.env['CLIENTS'] !== 'on')('clients that are generated from the document of a running sandbox', () => {
  let folder: string;
  let dataDir: string;
  let file: SandboxFile;
  let document: Document;

  beforeAll(async () => {
    ({ dataDir, file } = await sharedSandbox());
    folder = mkdtempSync(path.join(tmpdir(), 'mintrail-clients-'));
    const text = await (await fetch(`${file.apiUrl}/openapi.json`)).text();
    document = JSON.parse(text) as Document;
    writeFileSync(path.join(folder, 'openapi.json'), text);
    writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(path.join(folder, 'hey-api.config.mjs'), `export default ${JSON.stringify(heyApi)};`);
    copyFileSync(path.join(import.meta.dirname, 'walk.ts.txt'), path.join(folder, 'walk.ts'));
    await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], { cwd: folder });
    await run('npx', ['openapi-typescript', 'openapi.json', '-o', 'types.ts'], { cwd: folder });
    await run('npx', ['openapi-ts', '-f', 'hey-api.config.mjs'], { cwd: folder });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const credentials = () => {
    const { clientId, clientSecret } = file.applications.private;
    return { client_id: clientId, client_secret: clientSecret };
  };

  const newcomer = () => {
    const account = privateKeyToAccount(generatePrivateKey());
    const sign = async (message: string) => account.signMessage({ message });
    return {
      apiUrl: file.apiUrl,
      credentials: credentials(),
      address: account.address,
      passport: new File([pdf], 'passport.pdf'),
      sign,
      until,
    };
  };

  it('compile with what an integrator writes', async () => {
    const { stdout } = await run('npx', ['tsc', ...compilation, 'walk.ts'], { cwd: folder }).catch((error: { stdout: string }) => error);
    expect(stdout).toBe('');
  });

  // First, because the demo is shown on an account that nobody has moved.
  it('find every answer of the demo as the document has it, by the zod validators of hey-api', async () => {
    const answers = await recordDemo();
    const schemas = (await import(path.join(folder, 'hey-api', 'zod.gen.ts'))) as Record<string, ZodType>;
    const operations = Object.entries(document.paths).flatMap(([template, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => ({
        method: method.toUpperCase(),
        path: new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
        schema: schemas[`z${operationId[0]?.toUpperCase()}${operationId.slice(1)}Response`],
        operationId,
      })),
    );
    const validated = answers.flatMap(({ method, url, body }) => {
      const { pathname } = new URL(url);
      const known = operations.find((operation) => operation.method === method && operation.path.test(pathname));
      if (!url.startsWith(file.apiUrl) || known?.schema === undefined) return [];
      const { error } = known.schema.safeParse(body);
      return [{ operation: known.operationId, problem: error?.message }];
    });
    expect(validated.filter(({ problem }) => problem !== undefined)).toEqual([]);
    expect(new Set(validated.map(({ operation }) => operation)).size).toBeGreaterThan(12);
  });

  /** Runs the demo in a process that keeps every JSON that it is answered with success. */
  async function recordDemo(): Promise<{ method: string; url: string; body: unknown }[]> {
    const [hook, record] = [path.join(folder, 'record.mjs'), path.join(folder, 'record.jsonl')];
    writeFileSync(hook, recording);
    writeFileSync(record, '');
    const env = { MINTRAIL_DATA_DIR: dataDir, NODE_OPTIONS: `--import ${hook}`, RECORD: record };
    const { code, stdout, stderr } = await mintrailProcess(['demo'], env);
    expect(code, `${stdout}\n${stderr}`).toBe(0);
    const lines = readFileSync(record, 'utf8').trim().split('\n');
    return lines.map((line) => JSON.parse(line) as { method: string; url: string; body: unknown });
  }

  it.each(['walkByOpenapiFetch', 'walkByHeyApi'] as const)('receive and send: %s', async (walk) => {
    const walks = (await import(path.join(folder, 'walk.ts'))) as Walks;
    expect(await walks[walk](newcomer())).toEqual({ orders: ['redeem', 'issue'], balance: '19.50', refused: 400 });
  });

  it('read by OpenAPI::Client of Perl (libopenapi-client-perl of Debian)', async (test) => {
    const isThere = await run('perl', ['-MOpenAPI::Client', '-e1']).then(
      () => true,
      () => false,
    );
    if (!isThere) test.skip('apt-get install libopenapi-client-perl');
    const person = newcomer();
    const walks = (await import(path.join(folder, 'walk.ts'))) as Walks;
    await walks.walkByHeyApi(person);
    // It would fetch the schema of documents itself, which Debian has of 3.0 alone.
    const schemaUrl = 'https://spec.openapis.org/oas/3.1/schema/2021-05-20';
    const cache = path.join(folder, 'cache');
    mkdirSync(cache);
    writeFileSync(path.join(cache, createHash('md5').update(schemaUrl).digest('hex')), JSON.stringify({ $id: schemaUrl, type: 'object' }));
    const { client_id: id, client_secret: secret } = person.credentials;
    const args = [path.join(import.meta.dirname, 'walk.pl'), path.join(folder, 'openapi.json'), file.apiUrl, id, secret, person.address];
    const { stdout } = await run('perl', args, { env: { ...process.env, JSON_VALIDATOR_CACHE_PATH: cache } });
    expect(JSON.parse(stdout)).toEqual({
      user: expect.any(String),
      balances: [
        { currency: 'eur', amount: '19.50' },
        { currency: 'usd', amount: '0.00' },
      ],
      orders: 2,
      refused: 400,
    });
  });
});
