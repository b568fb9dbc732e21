import { randomBytes, randomUUID } from 'node:crypto';
import type { Hex } from 'viem';
import { expect, it } from 'vitest';
import { followHead } from '../../../src/chain/head.ts';
import { createRpc } from '../../../src/chain/rpc.ts';
import { createKeySigner } from '../../../src/chain/signers/raw-key.ts';
import { createLedger, inTransaction } from '../../../src/ledger/ledger.ts';
import { insertRedemption, type RedemptionDraft } from '../../../src/ledger/orders/placement/insert-redemptions.ts';
import { wakesNobody } from '../../../src/ledger/wake-ups.ts';
import { chainFacts } from '../../../src/platform/chains.ts';
import { createPool } from '../../../src/platform/database.ts';
import { createLog } from '../../../src/platform/log.ts';
import { networkSettings } from '../../../src/platform/settings.ts';
import { createAlarms } from '../../../src/workers/alarms.ts';
import { startLane } from '../../../src/workers/lanes/lane.ts';
import { createCustomer, type TestCustomer } from '../../support/customer.ts';
import { createTestDatabase } from '../../support/database.ts';
import { operator, startTestNetwork } from '../../support/chain/network.ts';
import { until } from '../../support/until.ts';

const orders = 100;
/** With fewer, a batch would rather be bounded by its gas. */
const signatureBytes = 3_000;

it('a batch of more bytes than the nodes of its network take goes out in parts', async () => {
  const database = await createTestDatabase();
  const network = await startTestNetwork({ databaseUrl: database.url, chain: 'linea', mines: false, env: { LINEA_MAX_BATCH: '500' } });
  const pool = createPool({ connectionString: database.url });
  const ledger = createLedger(pool, wakesNobody);
  const customer = await createCustomer(ledger, 'linea');
  // The contract refuses them, since nobody signed, which takes as many bytes.
  const drafts = Array.from({ length: orders }, () => draftOf(customer));
  await inTransaction(ledger, async (tx) => {
    for (const draft of drafts) await insertRedemption(tx, draft, 'by key');
  });

  const log = createLog('silent');
  const settings = networkSettings(network.settings, 'linea');
  const rpc = createRpc(settings);
  const head = followHead(rpc, 50, log);
  const signer = createKeySigner(operator.privateKey);
  const lane = startLane({ ledger, directPool: pool, rpc, signer, network: settings, head, log, alarms: createAlarms(log) });
  const sizes = await until('all orders are sent', async () => {
    const waiting = await ledger.selectFrom('legs').select('id').where('kind', '=', 'redeem').where('state', '!=', 'sent').execute();
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

function draftOf({ profile, address }: TestCustomer): RedemptionDraft {
  const id = randomUUID();
  return {
    id,
    profile,
    address,
    chain: 'linea',
    currency: 'eur',
    amount: '100',
    counterpart: { identifier: { standard: 'iban', iban: 'IS140159260076545510730339' }, details: { name: id, country: 'IS' } },
    memo: 'memo',
    referenceNumber: null,
    message: `Send EUR 1 to IS140159260076545510730339 at ${new Date().toISOString()}`,
    digest: `0x${randomBytes(32).toString('hex')}`,
    signature: `0x${'00'.repeat(signatureBytes)}`,
    supportingDocument: null,
    requestHash: randomBytes(32).toString('hex'),
    correlationId: null,
  };
}
