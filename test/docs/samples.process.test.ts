import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { listGuides, renderGuide } from '../../src/api/docs/guides.ts';
import { issueCode } from '../../src/ledger/access/authorization-codes.ts';
import { assignIbans } from '../support/assign-ibans.ts';
import { inTransaction } from '../../src/ledger/ledger.ts';
import type { Partner } from '../api/support/test-api.ts';
import { createWallet } from '../api/support/test-api.ts';
import { pdf } from '../support/documents.ts';
import { createServedApi, type ServedApi } from '../client/served-api.ts';
import { project, projectFiles, read } from './pages.ts';
import { testFolder } from '../support/test-folder.ts';

const run = promisify(execFile);
const redirectUri = 'https://shop.example/callback';

let api: ServedApi;
const folder = testFolder();
let passport: string;
const ending = new AbortController();
let assigning: Promise<void>;
let clients: Record<'private' | 'whitelabel' | 'authorization_code', Partner>;

beforeAll(async () => {
  api = await createServedApi();
  passport = path.join(folder, 'passport.pdf');
  writeFileSync(passport, pdf);
  clients = {
    private: await api.newPartner(),
    whitelabel: await api.newPartner('whitelabel'),
    authorization_code: await api.newPartner('authorization_code'),
  };
  const { clientId } = clients.authorization_code;
  await api.ledger
    .updateTable('applications')
    .set({ redirectUris: [redirectUri], permissions: ['read', 'write'] })
    .where('id', '=', clientId)
    .execute();
  // In the place of the worker that assigns IBANs.
  const assign = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      await assignIbans(api.ledger);
      await delay(100, undefined, { signal: ending.signal }).catch(() => {});
    }
  };
  assigning = assign();
});
afterAll(async () => {
  ending.abort();
  // The assignment under way still needs the database.
  await assigning;
  await api.close();
});

/** Runs a sample in TypeScript with an environment, and returns what it prints. */
async function runTypeScript(name: string, kind: keyof typeof clients, env: Record<string, string> = {}): Promise<string> {
  const { clientId: ID, secret: SECRET } = clients[kind];
  for (const [variable, value] of Object.entries({ API: api.url, ID, SECRET, ...env })) vi.stubEnv(variable, value);
  const lines: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((...values: unknown[]) => void lines.push(values.map(String).join(' ')));
  try {
    await import(path.join(project, 'docs/samples', name));
  } finally {
    log.mockRestore();
    vi.unstubAllEnvs();
  }
  return lines.join('\n');
}

async function runShell(name: string, kind: keyof typeof clients, env: Record<string, string> = {}): Promise<string> {
  const { clientId: ID, secret: SECRET } = clients[kind];
  const variables = { ...process.env, API: api.url, ID, SECRET, ...env };
  const { stdout } = await run('bash', [path.join(project, 'docs/samples', name)], { env: variables });
  return stdout;
}

/** In the place of the browser of a user, who signs in and consents. */
async function visit(url: URL): Promise<URL> {
  const { user } = clients.private;
  const code = await inTransaction(api.ledger, (tx) =>
    issueCode(tx, {
      user,
      application: url.searchParams.get('client_id') ?? '',
      permissions: ['read', 'write'],
      proof: { method: 'password', subject: 'jane@example.com' },
      redirectUri,
      codeChallenge: url.searchParams.get('code_challenge') ?? '',
    }),
  );
  return new URL(`${redirectUri}?code=${code}&state=${url.searchParams.get('state') ?? ''}`);
}

const newFundedKey = (): string => {
  const key = generatePrivateKey();
  api.fund(privateKeyToAccount(key).address, 1_000n);
  return key;
};

/** A program that signs its argument, as `cast wallet sign` does. */
const signer = (key: string): string => `
  import { privateKeyToAccount } from ${JSON.stringify(import.meta.resolve('viem/accounts'))};
  console.log(await privateKeyToAccount('${key}').signMessage({ message: process.argv[2] }));`;

/** Each sample with what it must print. */
const samples: Record<string, () => Promise<[printed: string, expected: RegExp]>> = {
  'treasury.ts': async () => [
    await runTypeScript('treasury.ts', 'private', { KEY: newFundedKey() }),
    /^placed\n.* 10\.50 placed\n.* 25\.00 placed\ndone$/,
  ],
  'partner.ts': async () => [await runTypeScript('partner.ts', 'whitelabel', { PASSPORT: passport }), /^done (?:pending|approved) 0$/],
  'safe.ts': async () => {
    const SAFE = createWallet().address;
    api.accounts.deploy(SAFE, () => 'valid');
    await clients.private.post('/addresses', { address: SAFE, chain: 'chiado', signature: '0x5afe' });
    api.fund(SAFE, 1_000n);
    return [
      await runTypeScript('safe.ts', 'private', { SAFE }),
      /sign on chain: Send EUR 100\.00 .*\nwaits for the owners: linkAddress .*\nwaits for the owners: order 100\.00 /,
    ];
  },
  'webhooks.ts': async () => [await runTypeScript('webhooks.ts', 'private'), /received \S+ subscription\.created\ndone active$/],
  'errors.ts': async () => [await runTypeScript('errors.ts', 'private'), /^403 not_allowed /],
  'oauth.ts': async () => {
    vi.stubGlobal('visit', visit);
    const printed = await runTypeScript('oauth.ts', 'authorization_code', { REDIRECT_URI: redirectUri });
    vi.unstubAllGlobals();
    return [printed, /^done Jane Doe 1$/];
  },
  'treasury.sh': async () => {
    const wallet = { key: generatePrivateKey(), address: '' };
    wallet.address = privateKeyToAccount(wallet.key).address;
    api.fund(wallet.address, 1_000n);
    const keystore = path.join(folder, 'wallet.mjs');
    writeFileSync(keystore, signer(wallet.key));
    const variables = { ADDRESS: wallet.address, SIGN: `node ${keystore}` };
    return [await runShell('treasury.sh', 'private', variables), /"state":"matched".*"kind":"redeem".*"state":"placed".*"balances":/s];
  },
  'partner.sh': async () => [await runShell('partner.sh', 'whitelabel', { PASSPORT: passport }), /"fileId":.*"verifications":/s],
};

describe('the samples of the guides', () => {
  it('are all run here', () => {
    expect(projectFiles('docs/samples').map((file) => path.basename(file))).toEqual(Object.keys(samples).toSorted());
  });

  it.each(Object.keys(samples))('send no fixed idempotency key, whose first answer, an error too, would be replayed: %s', (name) => {
    const keys = [...read(`docs/samples/${name}`).matchAll(/idempotency-?key: *(.*)/gi)].map(([, key]) => key);
    for (const key of keys) expect(key).toMatch(/^crypto\.randomUUID\(\)/);
  });

  it.each(Object.keys(samples))('do what they say: %s', async (name) => {
    const [printed, expected] = (await samples[name]?.()) ?? ['', /^$/];
    expect(printed).toMatch(expected);
  });
});

describe('the guides', () => {
  it('are all shown, with the samples that they name', () => {
    const guides = listGuides();
    expect(guides.map(({ name }) => `docs/guides/${name}.md`).toSorted()).toEqual(projectFiles('docs/guides'));
    for (const { name } of guides) expect(renderGuide(name, api.url)).not.toContain('../samples/');
  });

  it.each(listGuides().filter(({ name }) => read(`docs/guides/${name}.md`).includes('../samples/')))(
    'say which variables the samples need: $name',
    ({ name }) => {
      const files = new Set([...read(`docs/guides/${name}.md`).matchAll(/\.\.\/samples\/([\w.-]+)/g)].map(([, file]) => file));
      expect(renderGuide(name, api.url).match(/(?:\/\/|#) .*It needs API, /g)).toHaveLength(files.size);
    },
  );

  it('name the address of the service that shows them', () => {
    const guide = renderGuide('treasury', 'https://api.example.com/money');
    expect(guide).toContain('export API=https://api.example.com/money ');
    expect(guide).toContain('Service: api.example.com/money\n');
  });

  it('teach the linking message', () => {
    expect(renderGuide('treasury', api.url)).toContain('linkMessageFor(');
    expect(renderGuide('safe', api.url)).toContain('linkMessageFor(');
  });

  it('show every sample', () => {
    const shown = projectFiles('docs/guides').flatMap((guide) =>
      [...read(guide).matchAll(/\.\.\/samples\/([\w.-]+)/g)].map(([, name]) => name),
    );
    expect(new Set(shown)).toEqual(new Set(Object.keys(samples)));
  });
});
