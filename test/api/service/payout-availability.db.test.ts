import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { PayoutOutage } from '../../../src/api/api.ts';
import { createPayoutOutage } from '../../../src/api/service/payout-availability.ts';
import { recordHeartbeat } from '../../../src/ledger/lanes/heartbeats.ts';
import { createLog } from '../../../src/platform/log.ts';
import { createTestApi, createWallet } from '../support/test-api.ts';
import { bankOrder, chainOrder, contractRedeemer, redeemer } from '../orders/redeeming.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const api = forWholeFile(() => createTestApi({ payoutOutage: () => outage(), log }));
const log = createLog('silent');
let outage: PayoutOutage;
let time = 0;

beforeAll(async () => {
  outage = createPayoutOutage({ ledger: api.ledger, settings: { bankRail: 'iso20022' }, now: () => time });
});

/** What the common worker says of itself, so many seconds ago. */
async function commonWorker(canPay: boolean | undefined, secondsAgo = 0): Promise<void> {
  await api.ledger.deleteFrom('heartbeats').execute();
  const facts = { ok: true, ...(canPay === undefined ? {} : { canPay }) };
  await recordHeartbeat(api.ledger, { component: 'common', chain: '', instance: crypto.randomUUID(), facts });
  await api.pool.query('update heartbeats set seen_at = now() - make_interval(secs => $1)', [secondsAgo]);
  // The answer of before no longer counts.
  time += 2_000;
}

const orders = async () => (await api.ledger.selectFrom('orders').select('id').execute()).length;

describe('a redemption to a bank', () => {
  it.each<[string, () => Promise<void>]>([
    ['no process that pays has ever run', async () => void (time += 2_000)],
    ['the common worker has no way to pay', () => commonWorker(false)],
    ['the common worker is of a version that does not say', () => commonWorker(undefined)],
    ['the common worker has been silent for too long', () => commonWorker(true, 601)],
  ])('is answered with 503 and burns nothing while %s', async (_, given) => {
    await given();
    const caller = await redeemer(api);
    const contract = await contractRedeemer(api);
    const before = await orders();
    for (const { status, json, headers } of [
      await caller.post('/orders', await caller.order()),
      await contract.post('/orders', contract.order()),
    ]) {
      expect(status).toBe(503);
      expect(json).toMatchObject({ reason: 'payouts_unavailable', message: expect.stringContaining('nothing is burned') });
      expect(headers.get('Retry-After')).toMatch(/^\d+$/);
    }
    expect(await orders()).toBe(before);
    expect(await api.ledger.selectFrom('signatureRequests').where('kind', '=', 'order').select('id').execute()).toEqual([]);
  });

  it('is placed while a common worker can pay, and in the minutes in which it is replaced', async () => {
    const caller = await redeemer(api);
    await commonWorker(true);
    expect((await caller.post('/orders', await caller.order())).status).toBe(200);
    await commonWorker(true, 540);
    expect((await caller.post('/orders', await caller.order())).status).toBe(200);
  });

  it('is a warning in the log, without a stack, when it cannot be paid', async () => {
    const [warn, error] = [vi.spyOn(log, 'warn'), vi.spyOn(log, 'error')];
    const caller = await redeemer(api);
    await commonWorker(false);
    await caller.post('/orders', await caller.order());
    expect(warn.mock.calls).toEqual([
      [{ correlationId: expect.any(String) as string, path: '/orders', code: 'payouts_unavailable' }, expect.any(String)],
    ]);
    expect(error).not.toHaveBeenCalled();
  });

  it('that was placed before is answered as before', async () => {
    const caller = await redeemer(api);
    await commonWorker(true);
    const order = await bankOrder(caller.wallet, { id: crypto.randomUUID() });
    const { json } = await caller.post('/orders', order);
    await commonWorker(false);
    expect(await caller.post('/orders', order)).toMatchObject({ status: 200, json: { id: json.id } });
  });

  it('asks the ledger once in two seconds, however many are placed', async () => {
    const ask = createPayoutOutage({ ledger: api.ledger, settings: { bankRail: 'iso20022' }, now: () => time });
    await commonWorker(true);
    expect(await ask()).toBeUndefined();
    await api.ledger.deleteFrom('heartbeats').execute();
    time += 1_999;
    expect(await ask()).toBeUndefined();
    time += 1;
    expect(await ask()).toMatchObject({ code: 'payouts_unavailable' });
  });
});

it('places a redemption to another chain although no bank can be paid', async () => {
  const { wallet, ...caller } = await redeemer(api);
  await commonWorker(false);
  expect((await caller.post('/orders', await chainOrder(wallet, createWallet().address))).status).toBe(200);
});

it('needs no worker where the bank is simulated', async () => {
  expect(await createPayoutOutage({ ledger: api.ledger, settings: { bankRail: 'sandbox' } })()).toBeUndefined();
});
