import { describe, expect, it } from 'vitest';
import { createSandboxRail } from '../../../src/bank/sandbox-rail.ts';
import { takePaymentBatch } from '../../../src/ledger/bank/payment-batches.ts';
import { burn } from '../access/access-matrix-tenants.ts';
import { createTestApi } from '../support/test-api.ts';
import { type Redeemer, redeemer } from '../orders/redeeming.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const api = forWholeFile(createTestApi);

/** An order whose tokens are burnt, and whose payout lies with the bank. */
async function paidOut(caller: Redeemer): Promise<string> {
  const { json } = await caller.post('/orders', await caller.order());
  await burn(api, json.id);
  return json.id;
}

describe('POST /sandbox/payouts/{id}/reject', () => {
  it('lets the bank refuse the payout of an order, which gives the tokens back', async () => {
    const caller = await redeemer(api);
    const order = await paidOut(caller);
    api.woken.length = 0;
    const { status, json } = await caller.post(`/sandbox/payouts/${order}/reject`, { reason: 'account closed' });
    expect(status).toBe(200);
    expect(json).toEqual({ payout: expect.any(String), order });
    expect(api.woken).toEqual(['lane-chiado']);
    const legs = await api.ledger
      .selectFrom('legs')
      .where('orderId', '=', order)
      .orderBy('position')
      .select(['kind', 'state', 'reason'])
      .execute();
    expect(legs).toEqual([
      { kind: 'redeem', state: 'done', reason: null },
      { kind: 'payout', state: 'refused', reason: 'account closed' },
      { kind: 'issue', state: 'ready', reason: null },
    ]);
    const again = await caller.post(`/sandbox/payouts/${json.payout}/reject`, {});
    expect(again.status).toBe(409);
    expect(again.json.message).toBe(`The payout ${json.payout} is refused already`);
  });

  it('answers 404 while there is no payout, and 400 to what is no id, and needs no body', async () => {
    const caller = await redeemer(api);
    const { json } = await caller.post('/orders', await caller.order());
    expect((await caller.post(`/sandbox/payouts/${json.id}/reject`, {})).status).toBe(404);
    expect((await caller.post('/sandbox/payouts/1/reject', {})).json.errors).toEqual({ id: 'must be a UUID' });
    await burn(api, json.id);
    expect((await api.send('POST', `/sandbox/payouts/${json.id}/reject`, { headers: caller.headers })).status).toBe(200);
  });
});

describe('POST /sandbox/payouts/{id}/return', () => {
  it('lets a payout come back once, whose tokens a new order gives back', async () => {
    const caller = await redeemer(api);
    const order = await paidOut(caller);
    const early = await caller.post(`/sandbox/payouts/${order}/return`, {});
    expect([early.status, early.json.message]).toEqual([409, expect.stringContaining('the bank has not carried it out')]);
    await takePaymentBatch(api.ledger, createSandboxRail());
    const { status, json } = await caller.post(`/sandbox/payouts/${order}/return`, { reason: 'AC06 blocked account' });
    expect([status, json]).toEqual([200, { payout: expect.any(String), order, givenBackBy: expect.any(String) }]);
    const { json: given } = await caller.get(`/orders/${json.givenBackBy}`);
    expect(given).toMatchObject({
      kind: 'issue',
      state: 'placed',
      amount: '10.50',
      memo: 'Payment returned: AC06 blocked account',
      meta: { givesBack: order },
    });
    const credit = await api.ledger.selectFrom('credits').select('facts').where('orderId', '=', json.givenBackBy).executeTakeFirstOrThrow();
    expect(credit.facts).toMatchObject({ returned: { originalEndToEndId: expect.stringMatching(/^\w{10,35}$/) as string } });
    const { json: history } = await caller.get(`/orders/${order}/events`);
    expect(history.events).toContainEqual(
      expect.objectContaining({ type: 'payment.returned', reason: 'AC06 blocked account', order: json.givenBackBy }),
    );
    expect((await caller.post(`/sandbox/payouts/${json.payout}/return`, {})).json.message).toBe(
      `The payout ${json.payout} is returned already`,
    );
  });
});
