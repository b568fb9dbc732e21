import { expect, it } from 'vitest';
import { createLog } from '../../../src/platform/log.ts';
import { createWaker } from '../../../src/platform/queue/waker.ts';
import { loadSettings } from '../../../src/platform/settings.ts';
import { createAlarms } from '../../../src/workers/alarms.ts';
import { createPayoutWorker } from '../../../src/workers/payouts.ts';
import { testPayments } from '../../ledger/bank/payments-ledger.ts';
import { noRedis, startTestRedis } from '../../support/processes/redis.ts';
import { testSecretsKey } from '../../support/test-sealer.ts';
import { until } from '../../support/until.ts';

if (noRedis) console.warn(noRedis);

const payments = testPayments();

// That what wakes it comes by Redis, test/workers/wake-ups.process.test.ts shows.
it.skipIf(noRedis)('a worker whose queue is in Redis goes on while Redis is gone: its sweep finds what nobody tells it', async () => {
  const redis = await startTestRedis();
  const settings = loadSettings({
    DATABASE_URL: payments.url,
    REDIS_URL: redis.url,
    BANK_RAIL: 'sandbox',
    MINTRAIL_ENVIRONMENT: 'sandbox',
    SECRETS_KEY: testSecretsKey,
  });
  const log = createLog('silent');
  const waker = createWaker(settings, log);
  const worker = createPayoutWorker({ settings, ledger: payments.ledger, log, waker, alarms: createAlarms(log), sweepIntervalMs: 200 });
  const pays = async () => {
    const { order } = await payments.burnt();
    await until('it is paid', async () => (await payments.order(order)).state === 'processed' || undefined);
  };
  await pays();
  expect(await redis.stored()).toBeGreaterThan(0);
  await redis.kill();
  await pays();
  await redis.start();
  await pays();
  await Promise.all([worker.close(), waker.close()]);
  await redis.close();
});
