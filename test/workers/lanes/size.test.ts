import { randomUUID } from 'node:crypto';
import type { Hex } from 'viem';
import { expect, it } from 'vitest';
import { followHead } from '../../../src/chain/head.ts';
import { createRpc } from '../../../src/chain/rpc.ts';
import { createKeySigner } from '../../../src/chain/signers/raw-key.ts';
import { createLedger, wakesNobody } from '../../../src/ledger/ledger.ts';
import { recordCredits } from '../../../src/ledger/bank/credits.ts';
import { chainFacts } from '../../../src/platform/chains.ts';
import { createPool } from '../../../src/platform/database.ts';
import { createLog } from '../../../src/platform/log.ts';
import { minorUnits } from '../../../src/platform/money.ts';
import { networkSettings } from '../../../src/platform/settings.ts';
import { startLane } from '../../../src/workers/lanes/lane.ts';
import { createCustomer } from '../../support/customer.ts';
import { createTestDatabase } from '../../support/database.ts';
import { operator, startTestNetwork } from '../../support/chain/network.ts';
import { until } from '../../support/until.ts';

const orders = 420;

it('a batch of more bytes than the nodes of its network take goes out in parts', async () => {
  const database = await createTestDatabase();
  const network = await startTestNetwork({ databaseUrl: database.url, chain: 'linea', mines: false, env: { LINEA_MAX_BATCH: '500' } });
  const pool = createPool({ connectionString: database.url });
  const ledger = createLedger(pool, wakesNobody);
  const { iban } = await createCustomer(ledger, 'linea');
  const credits = Array.from({ length: orders }, () => ({
    reference: randomUUID(),
    iban,
    currency: 'eur',
    amount: minorUnits(100n),
    payer: { name: 'Jón' },
  }));
  await recordCredits(ledger, credits, { source: 'test', defaultMemo: 'memo', tokens: ['linea:eur'] });

  const log = createLog('silent');
  const settings = networkSettings(network.settings, 'linea');
  const rpc = createRpc(settings);
  const head = followHead(rpc, 50, log);
  const lane = startLane({ ledger, pool, rpc, signer: createKeySigner(operator.privateKey), network: settings, head, log });
  const sizes = await until('all orders are sent', async () => {
    const waiting = await ledger.selectFrom('legs').select('id').where('state', '!=', 'sent').execute();
    if (waiting.length > 0) return undefined;
    const hashes = await ledger.selectFrom('transactionAttempts').select('hash').execute();
    return Promise.all(hashes.map(async ({ hash }) => ((await rpc.getTransaction({ hash: hash as Hex })).input.length - 2) / 2));
  });
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeGreaterThan(chainFacts('linea').transactionBytes);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(chainFacts('linea').transactionBytes);

  await Promise.all([lane.close(), head.close()]);
  await ledger.destroy();
  await network.stop();
  await database.drop();
});
