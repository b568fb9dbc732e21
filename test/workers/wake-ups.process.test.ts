import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inTransaction } from '../../src/ledger/ledger.ts';
import { settleLegs } from '../../src/ledger/orders/settling/settle-legs.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { noRedis, startTestRedis, type TestRedis } from '../support/processes/redis.ts';
import { type SleepingWorkers, startSleepingWorkers } from '../support/sleeping-workers.ts';
import { until } from '../support/until.ts';

if (noRedis) console.warn(noRedis);

/** Twice as long as a worker with its ordinary sweep would sleep. */
const longEnoughMs = 2_000;

describe.each([
  { queues: 'PostgreSQL', missing: undefined },
  { queues: 'Redis', missing: noRedis },
])('workers whose sweeps are switched off, with the queues in $queues', ({ queues, missing }) => {
  let redis: TestRedis | undefined;
  let database: TestDatabase;
  let at: SleepingWorkers;

  beforeAll(async () => {
    if (missing) return;
    redis = queues === 'Redis' ? await startTestRedis() : undefined;
    database = await createTestDatabase();
    at = await startSleepingWorkers(database.url, redis && { REDIS_URL: redis.url });
  });
  afterAll(async () => {
    await at?.close();
    await database?.drop();
    await redis?.close();
  });

  const transactions = (count: number) =>
    until(`the lane has sent ${count}`, async () => ((await at.transactionsInPool()) === count ? true : undefined));
  const payments = (count: number) =>
    until(`${count} payments are made`, async () => ((await at.paymentsMade()) === count ? true : undefined));

  it.skipIf(missing)('sleep through what wakes nobody, and through what is rolled back', async () => {
    const [toChain, toBank, undone] = [await at.redemption('chiado'), await at.redemption('bank'), await at.redemption('chiado')];
    await at.settleBurn(at.silent, toChain.leg);
    await at.settleBurn(at.silent, toBank.leg);
    const rolledBack = inTransaction(at.waking, async (tx) => {
      await settleLegs(tx, [{ legId: undone.leg, txHash: `0x${'1'.repeat(64)}`, blockNumber: 7n, refused: null }]);
      throw new Error('power cut');
    });
    await expect(rolledBack).rejects.toThrow('power cut');
    await delay(longEnoughMs);
    expect(await at.transactionsInPool()).toBe(0);
    expect(await at.paymentsMade()).toBe(0);
  });

  it.skipIf(missing)('mint on one network as soon as the burn on another is settled', async () => {
    const { leg } = await at.redemption('chiado');
    await at.settleBurn(at.waking, leg);
    // One transaction carries this issue and the one that was slept through.
    await transactions(1);
    const issues = await at.silent.selectFrom('legs').where('kind', '=', 'issue').select('state').execute();
    expect(issues.map(({ state }) => state)).toEqual(['sent', 'sent']);
  });

  it.skipIf(missing)('pay out as soon as the burn is settled', async () => {
    const { leg } = await at.redemption('bank');
    await at.settleBurn(at.waking, leg);
    await payments(2);
  });
});
