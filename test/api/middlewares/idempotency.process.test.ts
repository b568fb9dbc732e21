import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { Client } from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { sweepKeys } from '../../../src/ledger/access/idempotency-keys.ts';
import { freePort } from '../../../src/platform/process/free-port.ts';
import { testSecretsKey } from '../../support/test-sealer.ts';
import { until } from '../../support/until.ts';
import { burn, document } from '../access/access-matrix-tenants.ts';
import { createTestApi, createWallet, linkBody, type Partner } from '../support/test-api.ts';
import { payeeIban, type Redeemer, redeemer } from '../orders/redeeming.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const api = forWholeFile(createTestApi);
let caller: Redeemer;

beforeAll(async () => void (caller = await redeemer(api)));

type Sender = Pick<Partner, 'headers'>;

function post(url: string, body: unknown, key: string, by: Sender = caller) {
  return api.send('POST', url, {
    headers: { ...by.headers, 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body: JSON.stringify(body),
  });
}

async function upload(name: string, key: string, by: Sender = caller) {
  const form = new FormData();
  form.append('file', document().get('file'), name);
  const response = await api.app.request('/files', { method: 'POST', headers: { ...by.headers, 'Idempotency-Key': key }, body: form });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const credit = (given: object = {}) => ({
  iban: 'DE89370400440532013000',
  amount: '1',
  currency: 'eur',
  payer: { name: 'Max', iban: payeeIban },
  ...given,
});

const count = async (table: 'orders' | 'credits' | 'profiles' | 'files' | 'payments' | 'idempotencyKeys') =>
  Number(
    (
      await api.ledger
        .selectFrom(table)
        .select((select) => select.fn.countAll().as('rows'))
        .executeTakeFirstOrThrow()
    ).rows,
  );

/** What clients that know of random ids alone accept. */
const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('a POST with an Idempotency-Key', () => {
  it('is answered again as it was, and happens once', async () => {
    const [key, body, before] = [randomUUID(), await caller.order(), await count('orders')];
    const first = await post('/orders', body, key);
    const second = await post('/orders', body, `"${key}"`);
    expect([first.status, first.json.id]).toEqual([200, expect.stringMatching(uuidV4)]);
    expect(first.headers.get('Idempotency-Replayed')).toBeNull();
    expect(second).toMatchObject({ status: 200, text: first.text });
    expect(second.headers.get('Idempotency-Replayed')).toBe('true');
    expect(second.headers.get('Content-Type')).toBe(first.headers.get('Content-Type'));
    expect(await count('orders')).toBe(before + 1);
  });

  it('is the same request with null where the first left a field out, and with its fields in another order', async () => {
    const [key, body] = [randomUUID(), await caller.order()];
    const first = await post('/orders', body, key);
    const other = Object.fromEntries(Object.entries({ ...body, referenceNumber: null, supportingDocumentId: null }).toReversed());
    expect(await post('/orders', other, key)).toMatchObject({ status: 200, text: first.text });
    // Deeper than a stack, in a field that nobody knows.
    const deep = `{"iban":"${payeeIban}","unknown":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    const sendDeep = () =>
      api.send('POST', '/ibans', {
        headers: { ...caller.headers, 'Content-Type': 'application/json', 'Idempotency-Key': `${key}2` },
        body: deep,
      });
    expect((await sendDeep()).status).toBe(400);
    expect((await sendDeep()).headers.get('Idempotency-Replayed')).toBe('true');
  });

  it('is refused with 422 when the key was for another request, and changes nothing', async () => {
    const [key, before] = [randomUUID(), await count('credits')];
    await post('/sandbox/credits', credit(), key);
    const other = await post('/sandbox/credits', credit({ amount: '2' }), key);
    expect(other).toMatchObject({ status: 422, json: { code: 422, status: 'Unprocessable Content' } });
    expect(Object.keys(other.json.errors)).toEqual(['Idempotency-Key']);
    expect(await count('credits')).toBe(before + 1);
  });

  it('keeps a refusal, so that a late copy is not carried out after its sender was told no', async () => {
    const poor = await redeemer(api, 0n);
    const [key, body] = [randomUUID(), await poor.order()];
    const refused = await post('/orders', body, key, poor);
    expect(refused.status).toBe(400);
    api.fund(poor.wallet.address, 1_000n);
    expect(await post('/orders', body, key, poor)).toMatchObject({ status: 400, text: refused.text });
    expect((await post('/orders', body, randomUUID(), poor)).status).toBe(200);
  });

  it('is run again after an answer that decides nothing', async () => {
    const customer = await redeemer(api);
    const state = (to: 'approved' | 'pending') =>
      api.ledger.updateTable('profiles').set({ state: to }).where('id', '=', customer.profile).execute();
    const [key, body] = [randomUUID(), await customer.order()];
    await state('pending');
    expect((await post('/orders', body, key, customer)).status).toBe(403);
    await state('approved');
    expect((await post('/orders', body, key, customer)).status).toBe(200);
  });

  it('is another one for another application and another endpoint', async () => {
    const [key, stranger] = [randomUUID(), await api.partner('whitelabel')];
    const [mine, theirs] = [await post('/sandbox/credits', credit(), key), await post('/sandbox/credits', credit(), key, stranger)];
    expect(theirs.json.credit.reference).not.toBe(mine.json.credit.reference);
    const profile = await post('/profiles', { kind: 'personal' }, key, stranger);
    expect([profile.status, profile.json.id]).toEqual([201, expect.stringMatching(uuidV4)]);
  });

  it.each(['', ' ', 'x'.repeat(256), 'Ümlaut'])('is refused with the key %j', async (key) => {
    const headers = { ...caller.headers, 'Content-Type': 'application/json' };
    const given = key === 'Ümlaut' ? 'caf\u00e9' : key;
    const { status, json } = await api.send('POST', '/sandbox/credits', {
      headers: { ...headers, 'Idempotency-Key': given },
      body: JSON.stringify(credit()),
    });
    expect(status).toBe(400);
    expect(Object.keys(json.errors)).toEqual(['Idempotency-Key']);
  });

  it('tells a file by its name and content, not by how the form is written', async () => {
    const [key, before] = [randomUUID(), await count('files')];
    const first = await upload('a.pdf', key);
    expect(first.status).toBe(200);
    expect(await upload('a.pdf', key)).toMatchObject({ status: 200, text: first.text });
    expect((await upload('b.pdf', key)).status).toBe(422);
    expect(await count('files')).toBe(before + 1);
  });

  it('answers 304 without a body again', async () => {
    const customer = await redeemer(api);
    const target = { address: customer.wallet.address, chain: 'chiado' };
    await post('/ibans', target, randomUUID(), customer);
    const key = randomUUID();
    const answers = [await post('/ibans', target, key, customer), await post('/ibans', target, key, customer)];
    for (const answer of answers) expect(answer).toMatchObject({ status: 304, text: '' });
  });

  it('needs no key, and without one leaves no trace', async () => {
    const before = await count('idempotencyKeys');
    expect((await caller.post('/sandbox/credits', credit())).status).toBe(201);
    expect(await count('idempotencyKeys')).toBe(before);
  });

  it('is documented wherever something is made', async () => {
    const { paths } = (await api.send('GET', '/openapi.json')).json;
    const posts = Object.entries<Record<string, { security?: unknown; parameters?: { name: string; in: string }[] }>>(paths).flatMap(
      ([url, { post: operation }]) => (operation ? [{ url, operation }] : []),
    );
    const documented = posts.filter(({ operation }) =>
      operation.parameters?.some((one) => one.name === 'Idempotency-Key' && one.in === 'header'),
    );
    expect(documented.map(({ url }) => url).sort()).toEqual(
      posts
        .filter(({ url }) => !url.startsWith('/auth'))
        .map(({ url }) => url)
        .sort(),
    );
  });
});

describe('fifty requests with one key at once', () => {
  it.each([
    ['/orders', 'orders', () => caller.order()],
    ['/sandbox/credits', 'credits', async () => credit()],
  ] as const)('make one effect by POST %s, and are all given its answer or asked to wait', async (url, table, bodyOf) => {
    const [key, body, before] = [randomUUID(), await bodyOf(), await count(table)];
    const answers = await Promise.all(Array.from({ length: 50 }, () => post(url, body, key)));
    const busy = answers.filter(({ status }) => status === 409);
    const done = answers.filter(({ status }) => status !== 409);
    expect(done.length).toBeGreaterThan(0);
    expect(new Set(done.map(({ text }) => text)).size).toBe(1);
    for (const { headers } of busy) expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(await count(table)).toBe(before + 1);
    expect(await post(url, body, key)).toMatchObject({ text: done[0]?.text });
  });
});

/** While `work` runs, the database breaks off whatever keeps an answer, as when it fails over at that moment. */
async function withoutAnswers<T>(work: () => Promise<T>): Promise<T> {
  await sql`
    create function break_off() returns trigger language plpgsql as $$ begin raise exception 'shut down' using errcode = '57P01'; end $$
  `.execute(api.ledger);
  await sql`create trigger break_off before update on idempotency_keys for each row when (new.status is not null) execute function break_off()`.execute(
    api.ledger,
  );
  try {
    return await work();
  } finally {
    await sql`drop function break_off cascade`.execute(api.ledger);
  }
}

const inReview = async ({ post: send }: Partner) => {
  const { id } = (await send('/profiles', { kind: 'personal' })).json;
  await api.ledger.updateTable('profiles').set({ state: 'pending' }).where('id', '=', id).execute();
  return id;
};

describe('a request that is broken off between its effect and its answer', () => {
  interface Case {
    url: (by: Partner) => Promise<string>;
    body: (by: Redeemer) => Promise<object>;
    status: number;
    kind?: 'whitelabel';
    table?: 'orders' | 'credits' | 'profiles';
  }
  const cases: Record<string, Case> = {
    'an order': { url: async () => '/orders', body: (by) => by.order(), status: 200, table: 'orders' },
    'an order under an id of the client': {
      url: async () => '/orders',
      body: (by) => by.order({ id: randomUUID() }),
      status: 200,
      table: 'orders',
    },
    'a credit': { url: async () => '/sandbox/credits', body: async () => credit(), status: 201, table: 'credits' },
    'a profile': {
      url: async () => '/profiles',
      body: async () => ({ kind: 'personal' }),
      status: 201,
      kind: 'whitelabel',
      table: 'profiles',
    },
    'a profile under an id of the client': {
      url: async () => '/profiles',
      body: async () => ({ kind: 'corporate', id: randomUUID() }),
      status: 201,
      kind: 'whitelabel',
      table: 'profiles',
    },
    'an address': { url: async () => '/addresses', body: () => linkBody(createWallet()), status: 201 },
    'an IBAN': {
      url: async () => '/ibans',
      body: async ({ wallet }) => ({ address: wallet.address, chain: 'chiado' }),
      status: 202,
    },
    'a decision on a profile': {
      url: async (by) => `/sandbox/profiles/${await inReview(by)}/approve`,
      body: async () => ({}),
      status: 200,
      kind: 'whitelabel',
    },
  };

  it.each(Object.entries(cases))('is answered by what it made: %s', async (_, { url: urlOf, body: bodyOf, status, kind, table }) => {
    const by = kind === undefined ? await redeemer(api) : { ...caller, ...(await api.partner(kind)) };
    const [key, url, body] = [randomUUID(), await urlOf(by), await bodyOf(by)];
    const before = table && (await count(table));
    expect((await withoutAnswers(() => post(url, body, key, by))).status).toBe(503);
    if (table) expect(await count(table)).toBe((before ?? 0) + 1);
    const answer = await post(url, body, key, by);
    expect(answer.status, answer.text).toBe(status);
    if (table) expect(await count(table)).toBe((before ?? 0) + 1);
    expect(await post(url, body, key, by)).toMatchObject({ status, text: answer.text });
  });

  it('is answered by what it made: a file', async () => {
    const [key, before] = [randomUUID(), await count('files')];
    expect((await withoutAnswers(() => upload('a.pdf', key))).status).toBe(503);
    const answer = await upload('a.pdf', key);
    expect(answer.status).toBe(200);
    expect(await count('files')).toBe(before + 1);
    await expect(api.deps.files.read(JSON.parse(answer.text).id)).resolves.toBeDefined();
  });

  it('is answered by what it made: a refused payout', async () => {
    const { id } = (await caller.post('/orders', await caller.order())).json;
    await burn(api, id);
    const [key, url] = [randomUUID(), `/sandbox/payouts/${id}/reject`];
    expect((await withoutAnswers(() => post(url, {}, key))).status).toBe(503);
    expect(await post(url, {}, key)).toMatchObject({ status: 200, json: { order: id } });
    expect((await post(url, {}, randomUUID())).status).toBe(409);
  });
});

describe('an API process that is killed before it has kept its answer', () => {
  it('has made the credit once, and the next process answers with it', async () => {
    const [url, port] = [api.deps.settings.databaseUrl, await freePort()];
    const gate = new Client({ connectionString: url });
    await gate.connect();
    // The answer waits for a lock that this test holds, until the process is killed.
    await gate.query(`
      set search_path = ledger;
      select pg_advisory_lock(4242);
      create function wait_at_gate() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(4242); return new; end $$;
      create trigger wait_at_gate before update on idempotency_keys for each row when (new.status is not null) execute function wait_at_gate()`);
    const program = new URL('../../../src/cli/mintrail.mjs', import.meta.url).pathname;
    const env = {
      PATH: process.env['PATH'],
      DATABASE_URL: url,
      PORT: String(port),
      MINTRAIL_ENVIRONMENT: 'sandbox',
      SECRETS_KEY: testSecretsKey,
    };
    const data = mkdtempSync(path.join(tmpdir(), 'mintrail-killed-'));
    const child = spawn(process.execPath, [program, 'api'], { env: { ...env, MINTRAIL_DATA_DIR: data }, stdio: 'ignore' });
    const address = `http://127.0.0.1:${port}`;
    await until('the process answers', async () => ((await fetch(`${address}/health/live`).catch(() => undefined))?.ok ? true : undefined));

    const [key, before, body] = [randomUUID(), await count('credits'), JSON.stringify(credit())];
    const headers = { ...caller.headers, 'Content-Type': 'application/json', 'Idempotency-Key': key };
    const broken = fetch(`${address}/sandbox/credits`, { method: 'POST', headers, body }).then(
      () => 'answered',
      () => 'broken',
    );
    const waiting = `select 1 from pg_stat_activity where wait_event = 'advisory' and query ilike '%idempotency_keys%'`;
    await until('the answer waits at the gate', async () => ((await gate.query(waiting)).rowCount ? true : undefined));
    child.kill('SIGKILL');
    expect(await broken).toBe('broken');
    await gate.query(`select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'advisory'`);
    await gate.query('drop function wait_at_gate cascade; select pg_advisory_unlock(4242)');

    expect(await count('credits')).toBe(before + 1);
    const soon = await post('/sandbox/credits', credit(), key);
    expect(soon.status).toBe(409);
    expect(Number(soon.headers.get('Retry-After'))).toBeLessThanOrEqual(15);
    await gate.query('update idempotency_keys set claimed_until = now() where status is null');
    await gate.end();
    expect(await post('/sandbox/credits', credit(), key)).toMatchObject({ status: 201, json: { credit: { created: true } } });
    expect(await count('credits')).toBe(before + 1);
  });
});

describe('the sweep', () => {
  it('forgets keys after a day, and no others', async () => {
    const [old, young] = [randomUUID(), randomUUID()];
    const first = await post('/sandbox/credits', credit(), old);
    await sql`update idempotency_keys set created_at = now() - interval '25 hours', claimed_until = now()`.execute(api.ledger);
    await post('/sandbox/credits', credit(), young);
    expect(await sweepKeys(api.ledger, 1)).toBeGreaterThan(0);
    expect(await count('idempotencyKeys')).toBe(1);
    const again = await post('/sandbox/credits', credit(), old);
    expect(again.json.credit.reference).not.toBe(first.json.credit.reference);
  });
});
