import { sql } from 'kysely';
import { privateKeyToAccount, generatePrivateKey } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { assignIbans } from '../../support/assign-ibans.ts';
import { decideSignature } from '../../../src/ledger/orders/signature-requests.ts';
import { createTestApi, createWallet, type Partner } from '../support/test-api.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const api = forWholeFile(createTestApi);

/** A list of the API: how it is filled, and what its rows are called. */
interface List {
  path: string;
  rows: string;
  cursor: string;
  time: string;
  kind?: 'whitelabel';
  latestFirst?: true;
  add: (caller: Partner) => Promise<void>;
}

const address = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const counterpart = JSON.stringify({ identifier: { standard: 'iban' }, details: {} });

async function addOrder({ profile }: Partner): Promise<void> {
  await sql`insert into orders (id, kind, profile, address, chain, currency, amount, counterpart, memo)
    values (gen_random_uuid(), 'issue', ${profile}, ${address}, 'chiado', 'eur', 1, ${counterpart}::jsonb, '')`.execute(api.ledger);
}

async function addSignature({ profile }: Partner): Promise<void> {
  const draft = JSON.stringify({ amount: '1' });
  await sql`insert into signature_requests (kind, profile, chain, address, digest, signature, draft)
    values ('linkAddress', ${profile}, 'chiado', ${address}, '0x', '0x', ${draft}::jsonb)`.execute(api.ledger);
}

async function addAddress(caller: Partner): Promise<void> {
  await caller.link(privateKeyToAccount(generatePrivateKey()));
}

const lists: List[] = [
  { path: '/orders', rows: 'orders', cursor: 'id', time: 'placed', latestFirst: true, add: addOrder },
  { path: '/signatures', rows: 'pending', cursor: 'id', time: 'created', add: addSignature },
  { path: '/addresses', rows: 'addresses', cursor: 'address', time: 'linked', add: addAddress },
  {
    path: '/profiles',
    rows: 'profiles',
    cursor: 'id',
    time: 'created',
    kind: 'whitelabel',
    add: async (caller) => void (await caller.post('/profiles', { kind: 'personal' })),
  },
];

/** Reads a list page by page; `meanwhile` runs between two pages. */
async function readAll({ path, rows, cursor }: List, caller: Partner, limit: number, meanwhile: () => Promise<void>): Promise<string[]> {
  const read: string[] = [];
  for (let after = ''; ; after = `&after=${read.at(-1)}`) {
    const { json } = await caller.get(`${path}?limit=${limit}${after}`);
    const page = json[rows].map((row: Record<string, string>) => row[cursor]);
    expect(page.length).toBeLessThanOrEqual(limit);
    read.push(...page);
    if (page.length < limit) return read;
    await meanwhile();
  }
}

describe.each(lists)('the pages of GET $path', (list) => {
  const whole = async (caller: Partner, query = ''): Promise<string[]> =>
    (await caller.get(`${list.path}${query}`)).json[list.rows].map((row: Record<string, string>) => row[list.cursor]);

  it('neither lose nor repeat a row, in whatever size and whatever is added meanwhile', async () => {
    const caller = await api.partner(list.kind);
    for (let count = 0; count < 5; count += 1) await list.add(caller);
    for (const [limit, added] of [
      [1, 2],
      [2, 1],
      [3, 0],
      [7, 2],
    ] as const) {
      const before = await whole(caller);
      let left = 2;
      const read = await readAll(list, caller, limit, async () => {
        for (let count = 0; count < added && left > 0; count += 1, left -= 1) await list.add(caller);
      });
      expect(new Set(read).size).toBe(read.length);
      expect(read.filter((row) => before.includes(row))).toEqual(before);
    }
  });

  it('keep rows of one moment apart', async () => {
    const caller = await api.partner(list.kind);
    for (let count = 0; count < 4; count += 1) await list.add(caller);
    for (const [table, column] of [
      ['orders', 'placedAt'],
      ['signatureRequests', 'createdAt'],
      ['addressLinks', 'linkedAt'],
      ['profiles', 'createdAt'],
    ] as const)
      await sql`update ${sql.table(table)} set ${sql.ref(column)} = '2026-01-01T00:00:00.123456Z'`.execute(api.ledger);
    const all = await whole(caller);
    expect(all.length).toBeGreaterThanOrEqual(4);
    expect(await readAll(list, caller, 1, async () => {})).toEqual(all);
  });

  it('tell how many there are in all, and are whole without a limit', async () => {
    const caller = await api.partner(list.kind);
    for (let count = 0; count < 3; count += 1) await list.add(caller);
    const { json } = await caller.get(list.path);
    expect(json.total).toBe(json[list.rows].length);
    const page = (await caller.get(`${list.path}?limit=2`)).json;
    expect(page[list.rows]).toHaveLength(2);
    expect(page.total).toBe(json.total);
  });

  it('end at dates: a range that ends where another begins shares no row with it', async () => {
    const caller = await api.partner(list.kind);
    await list.add(caller);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const moment = new Date().toISOString();
    await list.add(caller);
    const [older, newer] = [await whole(caller, `?${list.time}Before=${moment}`), await whole(caller, `?${list.time}After=${moment}`)];
    expect(newer).toHaveLength(1);
    const all = await whole(caller);
    expect(list.latestFirst ? [...newer, ...older] : [...older, ...newer]).toEqual(all);
    const filtered = (await caller.get(`${list.path}?limit=1&${list.time}Before=${moment}`)).json;
    expect(filtered.total).toBe(older.length);
  });

  it('are refused for a cursor that names nothing of the caller, and for what is no number and no time', async () => {
    const caller = await api.partner(list.kind);
    const stranger = await api.partner(list.kind);
    await list.add(stranger);
    const [foreign] = await whole(stranger);
    const refused: Record<string, string> = {
      [`after=${foreign}`]: 'after',
      'after=nothing': 'after',
      'limit=0': 'limit',
      'limit=501': 'limit',
      'limit=x': 'limit',
      'limit=0x10': 'limit',
      'limit=1e1': 'limit',
      'limit=%201': 'limit',
      'limit=1.0': 'limit',
      [`${list.time}After=yesterday`]: `${list.time}After`,
      [`${list.time}Before=2026-02-30T00:00:00Z`]: `${list.time}Before`,
    };
    for (const [query, field] of Object.entries(refused)) {
      const { status, json } = await caller.get(`${list.path}?${query}`);
      expect(status, query).toBe(400);
      expect(Object.keys(json.errors), query).toEqual([field]);
    }
  });
});

describe('the pages of GET /signatures', () => {
  it('go on after a signature that was decided meanwhile', async () => {
    const caller = await api.partner();
    for (let count = 0; count < 3; count += 1) await addSignature(caller);
    const { pending } = (await caller.get('/signatures')).json;
    await decideSignature(api.ledger, pending[0].id, { state: 'invalid', reason: 'it is not' });
    const next = (await caller.get(`/signatures?limit=1&after=${pending[0].id}`)).json;
    expect(next.pending.map(({ id }: { id: string }) => id)).toEqual([pending[1].id]);
  });
});

describe('the pages of GET /ibans', () => {
  it('begin after an IBAN of the profile, and dates leave out what is not of them', async () => {
    const caller = await api.partner();
    const wallet = await caller.link(createWallet());
    await caller.post('/ibans', { address: wallet.address, chain: 'chiado' });
    await assignIbans(api.ledger);
    const { ibans } = (await caller.get('/ibans')).json;
    const [{ iban }] = ibans;
    expect((await caller.get('/ibans?limit=1')).json).toEqual({ ibans, total: 1 });
    expect((await caller.get(`/ibans?after=${iban}`)).json).toEqual({ ibans: [], total: 1 });
    expect((await caller.get('/ibans?createdBefore=2026-01-01T00:00:00Z')).json).toEqual({ ibans: [], total: 0 });
    expect((await caller.get('/ibans?after=DE89370400440532013000')).json.errors).toEqual({ after: 'is not an IBAN of this profile' });
  });
});
