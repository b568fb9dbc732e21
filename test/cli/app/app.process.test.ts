import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { mintrail, testOperator } from '../../support/processes/mintrail.ts';
import { testLedger } from '../../support/test-ledger.ts';

const database = testLedger();

const run = (...args: string[]) => mintrail(args, { DATABASE_URL: database.url, FOUR_EYES: 'no' });
/** Runs a command of a verb. */
const does = (...args: string[]) => run(...args, '--yes');
const json = async (...args: string[]) => JSON.parse((await does(...args, '--json')).stdout) as Record<string, string>;

describe('mintrail app', () => {
  let clientId: string;

  it('says that there are none', async () => {
    expect(await run('app')).toEqual({ code: 0, stdout: 'No applications.\n', stderr: '' });
  });

  it('creates one, and shows its secret', async () => {
    const { code, stdout } = await does('app', 'create', '--kind', 'whitelabel', '--name', 'Shop', '--owner', 'shop@example.org');
    expect(code).toBe(0);
    expect(stdout).toMatch(/client secret {2}[\w-]{43}\n/);
    clientId = /client id +(\S+)/.exec(stdout)?.[1] ?? '';
    expect(stdout).toContain(`waits for approval: mintrail app approve ${clientId}`);
  });

  it('approves it, rotates its secret, lists it and disables it', async () => {
    expect((await does('app', 'approve', clientId)).stdout).toBe(`${clientId} is approved: its credentials are valid.\n`);
    expect(await json('app', 'rotate-secret', clientId)).toEqual({
      clientId,
      clientSecret: expect.stringMatching(/^[\w-]{43}$/) as string,
      endedEarlySecretUntil: null,
    });
    expect((await does('app', 'rotate-secret', clientId)).stdout).toMatch(
      /The old secret stays valid for 24 hours\. The secret before it has ended now; it would have been valid until 20\S+Z\. Store/,
    );
    expect((await does('app', 'rotate-secret', clientId, '--stolen-since', '2026-11-21T09:30:00Z')).stdout).toContain(
      'The old secret and all tokens have ended, and what the application has linked since 2026-11-21T09:30:00Z, or by tokens that were valid then, signs nobody in. The secret before it has ended now',
    );
    expect((await run('app', 'list')).stdout).toMatch(/whitelabel\s+Shop\s+shop@example\.org\s+active/);
    expect(await json('app', 'disable', clientId.toUpperCase())).toMatchObject({ state: 'disabled', changed: true });
    expect((await run('app', 'list')).stdout).toMatch(/disabled/);
  });

  it('changes and lists the origins of its pages', async () => {
    const create = [
      'app',
      'create',
      '--kind',
      'authorization_code',
      '--name',
      'Web',
      '--redirect-uri',
      'https://web.example/back',
      '--owner',
      'owner@example.com',
    ];
    const { stdout } = await does(...create);
    expect(stdout).toContain('wallets        cannot sign users in: that needs --privacy-policy and --terms\n');
    expect(stdout).toContain('client secret  none');
    expect(stdout).not.toContain('Store the secret');
    expect((await does(...create, '--confidential')).stdout).toMatch(/client secret {2}[\w-]{43}\n/);
    const urls = ['--privacy-policy', 'https://web.example/privacy', '--terms', 'https://web.example/terms'];
    expect((await does(...create, ...urls)).stdout).not.toContain('wallets');
    const web = await json(...create, '--origin', 'https://web.example');
    const { clientId: id = '' } = web;
    expect(web).not.toHaveProperty('clientSecret');
    expect((await does('app', 'rotate-secret', id)).stderr).toContain('is public: it proves itself by PKCE and never by a secret');
    expect((await does('app', 'origins', id, '--add', 'https://app.example', '--remove', 'https://web.example')).stdout).toBe(
      'https://app.example\n',
    );
    expect((await run('app', 'list')).stdout).toMatch(/https:\/\/web\.example\/back +https:\/\/app\.example\n/);
    expect((await does('app', 'origins', id, '--add', 'https://app.example/')).stderr).toContain(
      'The origins of the application cannot be changed',
    );
    expect((await does('app', 'origins', id, '--remove', 'https://web.example')).stderr).toContain('is not registered');
  });

  it('creates one that may only read', async () => {
    const { clientId: reporting } = await json(
      'app',
      'create',
      '--kind',
      'private',
      '--name',
      'Reports',
      '--owner',
      'shop@example.org',
      '--read-only',
    );
    expect((await run('app', 'list')).stdout).toMatch(
      new RegExp(String.raw`${reporting}.*private +Reports +shop@example\.org +waiting +read\n`),
    );
  });

  it('names what is wrong', async () => {
    const created = await does('app', 'create', '--kind', 'authorization_code', '--name', 'Web', '--redirect-uri', 'http://web.example');
    expect(created).toMatchObject({ code: 1, stdout: '' });
    expect(created.stderr).toContain('redirect-uri must begin with https:// in production: http://web.example');
    const hidden = await does('app', 'create', '--kind', 'private', '--name', 'Sh\u001b[2Jop', '--owner', 'a\u202eb@example.org');
    expect(hidden.stderr).toContain('name must not contain control characters, nor ones that change the direction of text');
    expect(hidden.stderr).toContain('owner must not contain control characters, nor ones that change the direction of text');
    expect(await does('app', 'disable', 'nothing')).toMatchObject({ code: 2, stderr: expect.stringContaining('is not an id') as string });
    expect((await does('app', 'disable', randomUUID())).stderr).toContain('There is no application');
    expect((await does('app', 'origins', clientId)).stderr).toContain('must add or remove an origin');
    expect((await does('app', 'create', '--kind', 'bank', '--name', 'x')).code).toBe(2);
    expect(await run('app', 'disable', clientId)).toMatchObject({ code: 3, stdout: '' });
  });

  it('is in the audit log, with the operator, and without secrets', async () => {
    const entries = JSON.parse((await run('audit', '--subject', clientId, '--json')).stdout) as Record<string, unknown>[];
    expect(entries.map(({ action }) => action)).toEqual([
      'app.disable',
      'app.rotate-secret',
      'app.rotate-secret',
      'app.rotate-secret',
      'app.approve',
      'app.create',
    ]);
    const correlationId = expect.stringMatching(/^[0-9a-f-]{36}$/) as string;
    for (const entry of entries) expect(entry).toMatchObject({ actorKind: 'operator', actor: testOperator, correlationId });
    expect(entries[5]?.['detail']).toEqual({
      kind: 'whitelabel',
      name: 'Shop',
      redirect_uris: [],
      permissions: ['read', 'write'],
      origins: [],
    });
  });
});

describe('mintrail audit', () => {
  it('narrows the list by actor, action and time', async () => {
    expect((await run('audit', '--actor', testOperator, '--action', 'app', '--since', '1h')).stdout).toMatch(/app\.create/);
    expect((await run('audit', '--actor', 'nobody')).stdout).toBe('No changes.\n');
    expect((await run('audit', '--action', 'ap')).stdout).toBe('No changes.\n');
    expect((await run('audit', '--since', '2999-01-01')).stdout).toBe('No changes.\n');
    const [latest] = JSON.parse((await run('audit', '--limit', '1', '--json')).stdout) as { id: string }[];
    const [before] = JSON.parse((await run('audit', '--limit', '1', '--after', latest?.id ?? '', '--json')).stdout) as { id: string }[];
    expect(before?.id).toSatisfy((id: string) => id < (latest?.id ?? ''));
    expect((await run('audit', '--limit', '1')).stdout).toContain('\nOnly the first 1 are shown; --limit shows more.\n');
    expect((await run('audit', '--since', 'yesterday')).code).toBe(2);
  });

  it.each(["update audit_log set actor = 'x'", 'delete from audit_log', 'truncate audit_log'])('is append-only: %s', async (statement) => {
    const client = new Client({ connectionString: database.url, options: '-c search_path=ledger' });
    await client.connect();
    await expect(client.query(statement)).rejects.toMatchObject({ code: '42501', message: 'audit_log is append-only' });
    await client.end();
  });
});
