import { describe, expect, it } from 'vitest';
import { loadServiceSettings, type ProcessScope } from '../../../src/cli/services/service-settings.ts';

const bank = {
  BANK_ACCOUNT: 'IS140159260076545510730339',
  BANK_ACCOUNT_NAME: 'Mintrail ehf.',
  BANK_BIC: 'ABCDIS22',
  BANK_IBAN_COUNTRY: 'IS',
  BANK_IBAN_PREFIX: '0133',
  BANK_OUTBOX: '/bank/outbox',
};
const deployment: Record<string, string> = {
  ...bank,
  DATABASE_URL: 'postgres://127.0.0.1:1/none',
  BASE_URL: 'https://money.example',
  SECRETS_KEY: 'file:/run/secrets/secrets-key',
  GNOSIS_TOKENS: `eur:0x${'1'.repeat(40)}`,
  GNOSIS_RPC_URLS: 'https://rpc.example',
  GNOSIS_SIGNERS: 'keystore:/run/secrets/gnosis/keystore.json',
  GNOSIS_KEYSTORE_PASSWORD: 'file:/run/secrets/gnosis/password',
};

/** The variables that a process says are missing or wrong. */
function problemsOf(scope: ProcessScope, env: Record<string, string>): Record<string, string> {
  try {
    loadServiceSettings(scope, env);
    return {};
  } catch (error) {
    return (error as { fields: Record<string, string> }).fields;
  }
}

const without = (...names: string[]) => Object.fromEntries(Object.entries(deployment).filter(([name]) => !names.includes(name)));

describe('in production', () => {
  it.each<[string, ProcessScope, string[]]>([
    ['the API', { api: true }, ['DATABASE_URL', 'BASE_URL', 'SECRETS_KEY']],
    ['the common worker', { common: true }, ['DATABASE_URL', 'BASE_URL', 'SECRETS_KEY', ...Object.keys(bank)]],
    ['the worker of a network', { workerChains: ['gnosis'] }, ['DATABASE_URL', 'GNOSIS_TOKENS', 'GNOSIS_RPC_URLS', 'GNOSIS_SIGNERS']],
    ['the indexer of a network', { indexerChains: ['gnosis'] }, ['DATABASE_URL', 'GNOSIS_TOKENS', 'GNOSIS_RPC_URLS']],
  ])('%s starts with what it needs and not without', (_, scope, needed) => {
    expect(Object.keys(problemsOf(scope, {})).toSorted()).toEqual(needed.toSorted());
    expect(problemsOf(scope, deployment)).toEqual({});
    const others = Object.keys(deployment).filter((name) => !needed.includes(name) && name !== 'GNOSIS_KEYSTORE_PASSWORD');
    expect(problemsOf(scope, without(...others))).toEqual({});
    for (const name of needed)
      expect(problemsOf(scope, without(name)), name).toMatchObject({ [name]: expect.stringMatching(/^is not set: /) });
  });

  it('counts an empty variable as one that is not set, as compose passes it', () => {
    expect(problemsOf({ common: true }, { ...deployment, BANK_BIC: '' })).toEqual({
      BANK_BIC: 'is not set: BIC of the bank that holds the accounts',
    });
  });

  it.each(['tcp://10.0.0.1:3010', 'udp://[fd00::1]:53'])(
    'counts %s in a port as not set: a platform tells of a service of its own',
    (link) => {
      const links = { CONSOLE_PORT: link, METRICS_PORT: link, INDEXER_PORT: link };
      expect(loadServiceSettings({ console: true }, { ...deployment, ...links })).toEqual(
        loadServiceSettings({ console: true }, deployment),
      );
      expect(problemsOf({ api: true }, { ...deployment, BASE_URL: link })).toHaveProperty('BASE_URL');
    },
  );

  it('needs the password of a keystore, and none for a key that is kept elsewhere', () => {
    const scope: ProcessScope = { workerChains: ['gnosis'] };
    const env = without('GNOSIS_KEYSTORE_PASSWORD');
    expect(Object.keys(problemsOf(scope, env))).toEqual(['GNOSIS_KEYSTORE_PASSWORD']);
    expect(problemsOf(scope, { ...env, GNOSIS_SIGNERS: 'awskms:alias/operator' })).toEqual({});
  });

  it.each([
    ['a public address without TLS', { BASE_URL: 'http://money.example' }, { BASE_URL: expect.stringContaining('https://') as string }],
    ['a simulated bank', { BANK_RAIL: 'sandbox' }, { BANK_RAIL: expect.stringContaining('nobody would be paid') as string }],
    [
      'an amount for documents that leaves a currency out',
      { DOCUMENT_AMOUNTS: 'isk:2000000.00' },
      { DOCUMENT_AMOUNTS: expect.stringContaining('does not name usd, gbp and isk') as string },
    ],
    ['a BIC that is none', { BANK_BIC: 'Bank' }, { BANK_BIC: 'is not a BIC of 8 or 11 characters' }],
    [
      'a public address with a path',
      { BASE_URL: 'https://money.example/api' },
      { BASE_URL: expect.stringContaining('https://HOST') as string },
    ],
    ['a public address with a query', { BASE_URL: 'https://money.example?a=b' }, { BASE_URL: expect.stringContaining('query') as string }],
    ['a key that seals of another form', { SECRETS_KEY: 'xx' }, { SECRETS_KEY: expect.stringContaining('base64 of 32 bytes') as string }],
    ['a mail server without a sender', { SMTP_URL: 'smtp://mail.example:587' }, { MAIL_FROM: 'is required with SMTP_URL' }],
    [
      'an account whose check digits are wrong',
      { BANK_ACCOUNT: 'eur:IS140159260076545510730338' },
      { BANK_ACCOUNT: expect.stringContaining('IS140159260076545510730338 is not a valid IBAN') as string },
    ],
    [
      'a range without numbers',
      { BANK_IBAN_PREFIX: '01332600765455107303' },
      { BANK_IBAN_PREFIX: expect.stringContaining('leaves') as string },
    ],
    [
      'the same endpoint twice',
      { GNOSIS_RPC_URLS: 'https://rpc.example, https://rpc.example/' },
      { GNOSIS_RPC_URLS: expect.stringContaining('twice') as string },
    ],
    [
      'a raw key, which is not shown,',
      { GNOSIS_SIGNERS: `awskms:KEY,0x${'7'.repeat(64)}` },
      { GNOSIS_SIGNERS: expect.not.stringContaining('7777') as string },
    ],
    [
      'a key without 0x, which is not shown,',
      { GNOSIS_SIGNERS: '7'.repeat(64) },
      { GNOSIS_SIGNERS: expect.not.stringContaining('7777') as string },
    ],
  ])('%s is refused', (_, env, problems) => {
    expect(problemsOf({ api: true, common: true, workerChains: ['gnosis'] }, { ...deployment, ...env })).toEqual(problems);
  });

  it('names all that is wrong at once, also where one value depends on another', () => {
    const wrong = {
      BASE_URL: 'http://x',
      SECRETS_KEY: 'xx',
      SMTP_URL: 'smtp://mail.example:587',
      BANK_ACCOUNT: 'DE75512108001245126198',
      BANK_BIC: 'Bank',
      BANK_IBAN_PREFIX: '01332600765455107303',
      GNOSIS_SIGNERS: `0x${'7'.repeat(64)}`,
    };
    const { SMTP_URL: _, ...variables } = wrong;
    const problems = problemsOf({ common: true, workerChains: ['gnosis'] }, { ...deployment, ...wrong });
    expect(Object.keys(problems).toSorted()).toEqual([...Object.keys(variables), 'MAIL_FROM'].toSorted());
  });

  it('makes up no bank for a process that needs none', () => {
    const { bankBic, bankIbanCountry, bankIbanPrefix } = loadServiceSettings({ api: true }, without(...Object.keys(bank)));
    expect({ bankBic, bankIbanCountry, bankIbanPrefix }).toEqual({});
  });
});

it('makes up a bank in a sandbox, which needs a database alone', () => {
  const env = { DATABASE_URL: 'postgres://127.0.0.1:1/none', MINTRAIL_ENVIRONMENT: 'sandbox', BANK_BIC: '' };
  expect(loadServiceSettings({ api: true, common: true }, env)).toMatchObject({
    bankBic: 'MNTRIS22',
    bankIbanCountry: 'IS',
    bankIbanPrefix: '0159',
  });
});

it('an address of the database that cannot be read, such as one with # in its password, is named without it', () => {
  for (const DATABASE_URL of ['postgresql://mintrail:pa#ss@127.0.0.1:5432/mintrail', 'postgresql://mintrail:pa']) {
    const load = () => loadServiceSettings({}, { MINTRAIL_ENVIRONMENT: 'sandbox', DATABASE_URL });
    expect(load).toThrow(/DATABASE_URL.*%23/s);
    expect(load).not.toThrow(/:pa/);
  }
  const socket = 'postgresql://mintrail:secret@/mintrail?host=/run/postgresql';
  expect(loadServiceSettings({}, { MINTRAIL_ENVIRONMENT: 'sandbox', DATABASE_URL: socket }).databaseUrl).toBe(socket);
});
