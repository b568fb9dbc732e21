import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createExplainingPool } from '../../bench/history/executed-plans.ts';
import { createHoldingReader, type HoldingsQuery } from '../../src/indexed/holdings.ts';
import { viewsSchema } from '../../src/indexed/schema-names.ts';
import { newestSettledLeg } from '../../src/ledger/lanes/decided-legs.ts';
import { openRedemptions } from '../../src/ledger/orders/pending-redemptions.ts';
import { lowerAddress } from '../../src/platform/addresses.ts';
import { inPipelinedTransaction } from '../../src/platform/postgres/pipelined-transaction.ts';
import { redeemer } from '../api/orders/redeeming.ts';
import { createTestApi, eurToken, type TestApi } from '../api/support/test-api.ts';
import { beginLegs } from '../../src/ledger/orders/legs/begin-legs.ts';

let api: TestApi;
beforeAll(async () => void (api = await createTestApi()));
afterAll(() => api.close());

const schema = viewsSchema('chiado');

/** Reads holdings on chiado in a transaction that goes on afterwards. */
async function read(query: Pick<HoldingsQuery, 'holders' | 'reserved'>, pool = api.placementPool) {
  const { ledger, deps } = api;
  const readHoldings = createHoldingReader(deps.settings, newestSettledLeg);
  return inPipelinedTransaction({ pool, database: ledger }, async ({ send, commit }) => {
    const holdings = readHoldings(send, { ...query, chain: 'chiado', openRedemptions });
    const result = await holdings.catch((error: { code: string }) => error.code);
    await commit();
    return result;
  });
}

it('knows no holdings while the indexer has no tables, and the transaction goes on', async () => {
  const holders = [{ address: lowerAddress(`0x${'1'.repeat(40)}`), currency: 'eur' as const }];
  expect(await read({ holders, reserved: 'all' })).toBe('indexer_not_ready');
});

it('sums up the open orders of an address, or those that are not burnt, by their messages, under whichever order id', async () => {
  await api.pool.query(`create schema "${schema}"`);
  await api.pool.query(`create table "${schema}".balance (account text, token text, amount numeric)`);
  await api.pool.query(
    `create table "${schema}".outcome (kind text, tx_hash text, block_number numeric, token text, order_id text, account text, amount numeric,
      sequence numeric, message_hash text, refused text)`,
  );
  const caller = await redeemer(api);
  const address = lowerAddress(caller.wallet.address);
  await api.pool.query(`insert into "${schema}".balance values ($1, $2, 5000 * 1e18::numeric)`, [address, eurToken]);
  const place = async (amount: string) => (await caller.post('/orders', await caller.order({ amount }))).json.id as string;
  const index = async (
    order: string,
    { orderId = order, kind = 'redeem', account = address as string, refused = null as string | null },
  ) => {
    const { rows } = await api.pool.query<{ digest: string }>('select digest from orders where id = $1', [order]);
    await api.pool.query(`insert into "${schema}".outcome (order_id, kind, account, message_hash, refused) values ($1, $2, $3, $4, $5)`, [
      orderId,
      kind,
      account,
      rows[0]?.digest,
      refused,
    ]);
  };
  const [burnt, burntByOther, refused, ofOther] = [await place('1'), await place('20'), await place('300'), await place('4000')];
  // As when a lane has sent them, and their transaction has failed by what it knows.
  await api.pool.query('update open_legs set token = $1 where account = $2', [eurToken, address]);
  const unclaimed = await place('7');
  await index(burnt, {});
  await index(burntByOther, { orderId: randomUUID() });
  await index(refused, { refused: 'the signature is invalid' });
  await index(ofOther, { account: `0x${'1'.repeat(40)}` });
  // This ledger has not sent it: until a lane claims it, its tokens are too little by what somebody else burnt.
  await index(unclaimed, {});
  const holders = (['eur', 'gbp'] as const).map((currency) => ({ address, currency }));
  const inGbp = { address, currency: 'gbp', units: 0n, reserved: 0n };
  const inEur = { address, currency: 'eur', units: 5_000n * 10n ** 18n };
  expect(await read({ holders, reserved: 'all' })).toEqual([{ ...inEur, reserved: 4_328_00n }, inGbp]);
  expect(await read({ holders, reserved: 'not burnt' })).toEqual([{ ...inEur, reserved: 4_307_00n }, inGbp]);
  await api.pool.query('update open_legs set token = $1 where account = $2', [eurToken, address]);
  expect(await read({ holders, reserved: 'not burnt' })).toEqual([{ ...inEur, reserved: 4_300_00n }, inGbp]);
});

it.each(['custom', 'generic'] as const)('reads no open order that no lane has claimed, with %s plans', async (mode) => {
  const address = lowerAddress(`0x${(mode === 'custom' ? 'c' : 'd').repeat(40)}`);
  await placeWaiting(address, 10_000);
  const { pool, take } = createExplainingPool(api.deps.settings.databaseUrl, mode);
  try {
    for (const reserved of ['all', 'not burnt'] as const) {
      const holdings = await read({ holders: [{ address, currency: 'eur' }], reserved }, pool);
      expect(holdings).toEqual([{ address, currency: 'eur', units: 0n, reserved: 10_000n }]);
    }
    for (const { rowsRead, pages, plan } of take()) {
      expect(
        ['open_legs', 'orders', 'outcome'].map((table) => rowsRead.get(table) ?? 0),
        plan,
      ).toEqual([0, 0, 0]);
      expect(pages, plan).toBeLessThan(100);
    }
  } finally {
    await pool.end();
  }
});

/** Open redemptions of one minor unit each. */
async function placeWaiting(address: string, count: number): Promise<void> {
  await sql`
    with placed as (
      insert into orders (id, kind, profile, address, chain, currency, amount, counterpart, memo, digest)
      select gen_random_uuid(), 'redeem', (select id from profiles limit 1), ${address}, 'chiado', 'eur', 1, '{}', '', '0x' || md5(n::text)
      from generate_series(1, ${count}) n returning id
    ), ${beginLegs(sql`select id, 'redeem', 0, 'chiado', 'eur', ${address}::text, 1, 'ready', 'key', null::text, null::timestamptz from placed`)}
    select
  `.execute(api.ledger);
}
