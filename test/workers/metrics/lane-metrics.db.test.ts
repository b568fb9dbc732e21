import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import type { Rpc } from '../../../src/chain/endpoints/rpc.ts';
import { recordTransaction } from '../../../src/ledger/lanes/transactions.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { createLog } from '../../../src/platform/log.ts';
import { createAlarms } from '../../../src/workers/alarms.ts';
import { countReceipts, startLaneMetrics } from '../../../src/workers/metrics/lane-metrics.ts';
import { createPaymentsLedger } from '../../ledger/bank/payments-ledger.ts';
import { until } from '../../support/until.ts';

it('shows open transactions, the fee that they offer, and what each signer holds', async () => {
  const world = await createPaymentsLedger();
  const { ledger } = world;
  const signer = lowerAddress(`0x${'5'.repeat(40)}`);
  const spare = lowerAddress(`0x${'6'.repeat(40)}`);
  const attempt = { hash: '0x1', raw: '0x', maxFeePerGas: 7_000_000_000n, maxPriorityFeePerGas: 1n };
  const transaction = { chain: 'chiado', signer, nonce: 0n, kind: 'cancel', currency: null, gasLimit: 21_000n, sentAtBlock: 1n } as const;
  await recordTransaction(ledger, { ...transaction, attempt, legs: [] });
  const registry = new Registry();
  const lane = { held: true, inFlight: 1, nonceGaps: 0, outage: null };
  const alarms = createAlarms(createLog('silent'));
  const rpc = {
    getBalance: () => Promise.resolve(5n),
    getFeeHistory: () => Promise.resolve({ baseFeePerGas: [10n ** 9n] }),
    estimateMaxPriorityFeePerGas: () => Promise.resolve(0n),
  } as unknown as Rpc;
  const loop = startLaneMetrics({
    registry,
    ledger,
    chain: 'chiado',
    log: createLog('silent'),
    alarms,
    rpc,
    lanes: () => [
      { ...lane, signer },
      { ...lane, signer: spare, held: false },
      { ...lane, signer: 'awskms:key' },
    ],
  });
  const shown = await until('the balance is read', async () => {
    const text = await registry.metrics();
    return text.includes(`signer="${spare}"`) ? text.split('\n') : undefined;
  });
  expect(shown.filter((line) => line.startsWith('mintrail'))).toEqual([
    'mintrail_open_transactions{chain="chiado",state="sent"} 1',
    'mintrail_open_transactions{chain="chiado",state="mined"} 0',
    'mintrail_offered_fee_wei{chain="chiado"} 7000000000',
    `mintrail_signer_balance_wei{chain="chiado",signer="${signer}"} 5`,
    `mintrail_signer_balance_wei{chain="chiado",signer="${spare}"} 5`,
  ]);
  expect(alarms.list()).toMatchObject([
    {
      kind: 'gas_money',
      subject: `${signer} balance`,
      text: expect.stringContaining('not enough for a transaction of 100 orders: send') as string,
    },
  ]);
  alarms.raise('gas_money', `${signer} gas`, 'the lane knows what it needs');
  await until('the lane alone names it', async () => {
    loop.wake();
    return alarms.list().length === 1 || undefined;
  });
  expect(alarms.list()).toMatchObject([{ subject: `${signer} gas` }]);
  await loop.close();
  await world.close();
});

it('counts reverts, and the gas of all transactions', async () => {
  const registry = new Registry();
  const count = countReceipts(registry, 'chiado');
  count({ status: 'success', gasUsed: 60_000n });
  count({ status: 'reverted', gasUsed: 40_000n });
  const text = await registry.metrics();
  expect(text).toContain('mintrail_reverts_total{chain="chiado"} 1\n');
  expect(text).toContain('mintrail_gas_used_total{chain="chiado"} 100000\n');
});
