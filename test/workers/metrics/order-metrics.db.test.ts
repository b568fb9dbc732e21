import { Registry } from 'prom-client';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { dispatchEvents } from '../../../src/ledger/webhooks/dispatch.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { createLog } from '../../../src/platform/log.ts';
import { recordTransaction } from '../../../src/ledger/lanes/transactions.ts';
import { startOrderMetrics } from '../../../src/workers/metrics/order-metrics.ts';
import { createPaymentsLedger } from '../../ledger/bank/payments-ledger.ts';
import { until } from '../../support/until.ts';

/** The line of a stage that one order was in, for no longer than the bucket. */
const stageOf = (stage: string, bucket: string) =>
  `mintrail_order_stage_duration_seconds_bucket{le="${bucket}",chain="chiado",kind="redeem",stage="${stage}"} 1`;

it('counts orders by kind, state and chain, and times their stages, each once', async () => {
  const world = await createPaymentsLedger();
  const { ledger } = world;
  await world.burnt({ refused: 'account blocked' });
  const { order } = await world.burnt();
  const signer = lowerAddress(`0x${'5'.repeat(40)}`);
  const attempt = { hash: '0x1', raw: '0x', maxFeePerGas: 7n, maxPriorityFeePerGas: 1n };
  const transaction = { chain: 'chiado', signer, nonce: 0n, kind: 'redeem', currency: 'eur', gasLimit: 21_000n, sentAtBlock: 1n } as const;
  const id = await recordTransaction(ledger, { ...transaction, attempt, legs: [] });
  const now = Date.now();
  const ago = (seconds: number) => new Date(now - seconds * 1_000);
  await sql`update transactions set created_at = ${ago(50)}, mined_at = ${ago(20)}`.execute(ledger);
  await sql`update leg_history set transaction = ${id} where order_id = ${order} and kind = 'redeem'`.execute(ledger);
  await sql`update orders set placed_at = ${ago(52)} where id = ${order}`.execute(ledger);
  // As if its payout had been decided; the ledger itself would have ended the order.
  await sql`update leg_history set done_at = ${ago(12)} where order_id = ${order} and kind = 'redeem'`.execute(ledger);
  const dispatched = await dispatchEvents(ledger, 10);
  expect(dispatched.placedOrders).toHaveLength(2);
  expect((await dispatchEvents(ledger, 10)).placedOrders).toEqual([]);

  const registry = new Registry();
  const metrics = startOrderMetrics({ ledger, log: createLog('silent'), registry });
  metrics.add({ placed: dispatched.placedOrders, ended: [...dispatched.endedOrders, order] });
  metrics.wake();
  const expected = [
    'mintrail_orders_total{chain="chiado",kind="redeem",state="placed"} 2',
    'mintrail_orders_total{chain="chiado",kind="redeem",state="rejected"} 1',
    stageOf('sent', '2.5'),
    stageOf('mined', '60'),
    stageOf('confirmed', '10'),
  ];
  await until('the orders are counted', async () => {
    const lines = new Set((await registry.metrics()).split('\n'));
    return expected.every((line) => lines.has(line)) || undefined;
  });
  await metrics.close();
  await world.close();
});
