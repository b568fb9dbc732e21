import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHoldingReader, type HoldingsQuery } from '../../src/indexed/holdings.ts';
import { viewsSchema } from '../../src/indexed/schema-names.ts';
import { newestSettledLeg } from '../../src/ledger/lanes/decided-legs.ts';
import { openRedemptions } from '../../src/ledger/orders/pending-redemptions.ts';
import { lowerAddress } from '../../src/platform/addresses.ts';
import { inPipelinedTransaction } from '../../src/platform/postgres/pipelined-transaction.ts';
import { redeemer } from '../api/orders/redeeming.ts';
import { createTestApi, eurToken, type TestApi } from '../api/support/test-api.ts';

let api: TestApi;
beforeAll(async () => void (api = await createTestApi()));
afterAll(() => api.close());

const schema = viewsSchema('chiado');

/** Reads holdings on chiado in a transaction that goes on afterwards. */
async function read(query: Pick<HoldingsQuery, 'holders' | 'reserved'>) {
  const { placementPool: pool, ledger, deps } = api;
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
  await index(burnt, {});
  await index(burntByOther, { orderId: randomUUID() });
  await index(refused, { refused: 'the signature is invalid' });
  await index(ofOther, { account: `0x${'1'.repeat(40)}` });
  const holders = (['eur', 'gbp'] as const).map((currency) => ({ address, currency }));
  const inGbp = { address, currency: 'gbp', units: 0n, reserved: 0n };
  const inEur = { address, currency: 'eur', units: 5_000n * 10n ** 18n };
  expect(await read({ holders, reserved: 'all' })).toEqual([{ ...inEur, reserved: 4_321_00n }, inGbp]);
  expect(await read({ holders, reserved: 'not burnt' })).toEqual([{ ...inEur, reserved: 4_300_00n }, inGbp]);
});
