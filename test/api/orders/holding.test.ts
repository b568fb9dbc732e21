import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readHolding } from '../../../src/api/orders/holding.ts';
import { createRedemptionFinder } from '../../../src/indexed/redemptions.ts';
import { viewsSchema } from '../../../src/indexed/schema-names.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { createTestApi, type TestApi } from '../support/test-api.ts';
import { redeemer } from './redeeming.ts';

let api: TestApi;
beforeAll(async () => void (api = await createTestApi()));
afterAll(() => api.close());

it('knows nothing of burnt orders while the indexer has no tables', async () => {
  const open = [{ orderId: randomUUID(), messageHash: '0x01' }];
  expect(await createRedemptionFinder(api.ledger)('chiado', lowerAddress(`0x${'1'.repeat(40)}`), open)).toEqual([]);
});

it('finds which open orders of an address are burnt, by their messages, under whichever order id', async () => {
  const schema = viewsSchema('chiado');
  await api.pool.query(`create schema "${schema}"`);
  await api.pool.query(
    `create table "${schema}".outcome (kind text, tx_hash text, block_number numeric, token text, order_id text, account text, amount numeric,
      sequence numeric, message_hash text, refused text)`,
  );
  const caller = await redeemer(api);
  const address = lowerAddress(caller.wallet.address);
  const place = async () => (await caller.post('/orders', await caller.order())).json.id as string;
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
  const [burnt, burntByOther, refused, ofOther] = [await place(), await place(), await place(), await place()];
  await index(burnt, {});
  await index(burntByOther, { orderId: randomUUID() });
  await index(refused, { refused: 'the signature is invalid' });
  await index(ofOther, { account: `0x${'1'.repeat(40)}` });
  const sources = { ...api.deps, findIndexedRedemptions: createRedemptionFinder(api.ledger) };
  const holding = await readHolding(sources, { chain: 'chiado', address, currency: 'eur' });
  expect(holding.units).toBe(100_000n * 10n ** 18n);
  expect(holding.burnt.toSorted()).toEqual([burnt, burntByOther].toSorted());
  expect(await readHolding(sources, { chain: 'chiado', address, currency: 'gbp' })).toEqual({ units: 0n, burnt: [] });
});
