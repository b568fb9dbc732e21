import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { recordCredits } from '../../../src/ledger/bank/credits.ts';
import { createLedger, type Ledger } from '../../../src/ledger/ledger.ts';
import { createPool } from '../../../src/platform/database.ts';
import { createLog } from '../../../src/platform/log.ts';
import { minorUnits, toTokenUnits } from '../../../src/platform/money.ts';
import { createWaker } from '../../../src/platform/queue/waker.ts';
import type { Running } from '../../../src/platform/loop.ts';
import { runChainWorker } from '../../../src/workers/run-chain-worker.ts';
import { runIndexer } from '../../../src/workers/indexer/run-indexer.ts';
import { createCustomer, type TestCustomer } from '../../support/customer.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { startTestNetwork, type TestNetwork } from '../../support/chain/network.ts';
import { noRedis, startTestRedis, type TestRedis } from '../../support/processes/redis.ts';
import { until } from '../../support/until.ts';

if (noRedis) console.warn(noRedis);

describe.skipIf(noRedis)('a credit, with the queues in Redis', () => {
  let redis: TestRedis;
  let database: TestDatabase;
  let network: TestNetwork;
  let ledger: Ledger;
  let customer: TestCustomer;
  let running: Running[] = [];

  beforeAll(async () => {
    redis = await startTestRedis();
    database = await createTestDatabase();
    network = await startTestNetwork({ databaseUrl: database.url, env: { REDIS_URL: redis.url } });
    const waker = createWaker(network.settings, createLog('silent'));
    ledger = createLedger(createPool({ connectionString: database.url }), waker);
    customer = await createCustomer(ledger, 'chiado');
    running = [await runChainWorker(network.settings, 'chiado'), await runIndexer(network.settings, 'chiado'), waker];
  });
  afterAll(async () => {
    await Promise.all(running.map((part) => part.close()));
    await ledger?.destroy();
    await network?.stop();
    await database?.drop();
    await redis?.close();
  });

  /** Records a credit, which wakes its lane, and waits until its order is processed. */
  async function pay(amount: bigint): Promise<void> {
    const payer = { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' };
    const credit = {
      reference: randomUUID(),
      bankAccount: 'sandbox',
      iban: customer.iban,
      currency: 'eur',
      amount: minorUnits(amount),
      payer,
    };
    const [recorded] = await recordCredits(ledger, [credit], { source: 'test', defaultMemo: 'Memo', tokens: ['chiado:eur'] });
    await until('the order is processed', async () => {
      const order = await ledger
        .selectFrom('orders')
        .where('id', '=', recorded?.orderId as string)
        .select('state')
        .executeTakeFirst();
      return order?.state === 'processed' ? order : undefined;
    });
  }

  const balance = () =>
    network.rpc.readContract({
      address: network.tokens.eur as `0x${string}`,
      abi: eMoneyTokenAbi,
      functionName: 'balanceOf',
      args: [customer.address],
    });

  it('becomes tokens', async () => {
    await pay(1050n);
    expect(await balance()).toBe(toTokenUnits(minorUnits(1050n)));
    expect(await redis.stored()).toBeGreaterThan(0);
  });

  it('becomes tokens without Redis too: the sweep finds it', async () => {
    await redis.kill();
    await pay(50n);
    expect(await balance()).toBe(toTokenUnits(minorUnits(1100n)));
    await redis.start();
    await pay(1n);
    expect(await balance()).toBe(toTokenUnits(minorUnits(1101n)));
  });
});
