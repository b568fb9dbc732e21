import { sql } from 'kysely';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestApi, type Partner } from '../support/test-api.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const api = forWholeFile(createTestApi);
let partner: Partner;
const count = 10_050;

beforeAll(async () => {
  partner = await api.partner('whitelabel');
  await sql`insert into profiles (id, kind, name, state, application, created_at)
    select gen_random_uuid(), 'personal', 'Customer ' || n, 'incomplete', ${partner.clientId}, now() + n * interval '1 ms'
    from generate_series(1, ${count}) n`.execute(api.ledger);
});

const nextPage = (headers: Headers) => /^<http:\/\/localhost:3000(\/[^>]*)>; rel="next"$/.exec(headers.get('Link') ?? '')?.[1];
const request = async () => api.app.request('/profiles', { headers: partner.headers });
const createdAt = async (name: string): Promise<string> =>
  (await api.ledger.selectFrom('profiles').where('name', '=', name).select('createdAt').executeTakeFirstOrThrow()).createdAt.toISOString();
const names = (profiles: { name: string }[]) => profiles.map(({ name }) => name);

describe('a list without paging', () => {
  it('has 10,000 rows, how many there are, and a link to the others', async () => {
    const { json, headers } = await partner.get('/profiles?kind=personal&total=exact');
    expect(json.total).toBe(count + 1);
    expect(json.totalIsEstimate).toBeUndefined();
    expect(json.profiles).toHaveLength(10_000);
    expect(new Set(json.profiles.map(({ id }: { id: string }) => id)).size).toBe(10_000);
    const next = nextPage(headers) ?? '';
    expect(next).toBe(`/profiles?kind=personal&total=exact&after=${json.profiles.at(-1).id}`);
    const others = await partner.get(next);
    expect(names(others.json.profiles)).toEqual(Array.from({ length: 51 }, (_, index) => `Customer ${count - 50 + index}`));
    expect(others.headers.get('Link')).toBeNull();
  });

  it('says that its total is an estimate when more match than are counted', async () => {
    await sql`analyze profiles`.execute(api.ledger);
    for (const query of ['', '?limit=2']) {
      const { json } = await partner.get(`/profiles${query}`);
      expect(json.totalIsEstimate).toBe(true);
      expect(Math.abs(json.total - count)).toBeLessThan(count / 10);
      expect(json.total).toBeGreaterThan(1_000);
    }
    const { json } = await partner.get('/profiles?limit=2&createdBefore=2000-01-01T00:00:00Z');
    expect(json).toEqual({ profiles: [], total: 0 });
    expect((await partner.get('/profiles?total=all')).json.errors).toHaveProperty('total');
  });

  it('has an exact total when it holds everything, however many that is', async () => {
    const some = `createdBefore=${encodeURIComponent(await createdAt('Customer 1501'))}`;
    const { json } = await partner.get(`/profiles?kind=personal&${some}`);
    expect(json.totalIsEstimate).toBeUndefined();
    expect([json.total, json.profiles.length]).toEqual([1_501, 1_501]);
    expect((await partner.get(`/profiles?kind=personal&limit=2&${some}`)).json.totalIsEstimate).toBe(true);
  });

  it('is linked to page by page, too', async () => {
    const first = await partner.get('/profiles?limit=2');
    expect(nextPage(first.headers)).toBe(`/profiles?limit=2&after=${first.json.profiles[1].id}`);
    const last = await partner.get('/profiles?limit=500&createdBefore=2000-01-01T00:00:00Z');
    expect(last.headers.get('Link')).toBeNull();
  });

  it('is written at the pace of its reader: meanwhile only a chunk of it is read', async () => {
    const statements = vi.spyOn(api.pool, 'connect');
    const answer = await api.app.request('/profiles', { headers: partner.headers });
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    const before = statements.mock.calls.length;
    await new Promise((resolve) => setImmediate(resolve));
    expect(statements.mock.calls.length).toBe(before);
    expect(before).toBeLessThan(8);
    await reader.cancel();
    statements.mockRestore();
  });

  it('that cannot be read to its end is broken off, and does not seem whole', async () => {
    const answer = await api.app.request('/profiles', { headers: partner.headers });
    const connect = vi.spyOn(api.pool, 'connect').mockRejectedValue(new Error('connection refused'));
    await expect(answer.text()).rejects.toThrow('connection refused');
    connect.mockRestore();
  });

  it('is answered however many are asked for at once, four at a time', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, async () => (await request()).json() as Promise<{ profiles: object[] }>));
    for (const { profiles } of answers) expect(profiles).toHaveLength(10_000);
    const open = await Promise.all(Array.from({ length: 4 }, request));
    const waiting = Array.from({ length: 41 }, request);
    // The others wait for one of the four to be read.
    const turnedAway = await Promise.race(waiting);
    expect(turnedAway.status).toBe(429);
    expect(turnedAway.headers.get('Retry-After')).toBe('1');
    for (const answer of open) await answer.body?.cancel();
    const statuses = await Promise.all(
      waiting.map(async (answer) => {
        const { status, body } = await answer;
        await body?.cancel();
        return status;
      }),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(40);
  });

  it('has no body for HEAD, and holds up nothing', async () => {
    for (let times = 0; times < 6; times += 1)
      expect((await api.app.request('/profiles', { method: 'HEAD', headers: partner.headers })).status).toBe(200);
    expect((await partner.get('/profiles')).status).toBe(200);
  });
});

describe('GET /auth/context', () => {
  it('has the first 500 profiles, how many there are, and a link to the others', async () => {
    const { json, headers } = await partner.get('/auth/context');
    expect(json.profiles).toHaveLength(500);
    expect(Math.abs(Number(headers.get('X-Total-Count')) - count)).toBeLessThan(count / 10);
    expect(nextPage(headers)).toBe(`/profiles?after=${json.profiles.at(-1).id}`);
  });
});
