import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { encodeIssue } from '../../../src/chain/token/calls.ts';
import { readIndexed } from '../../../src/indexed/read-indexed.ts';
import { rebuiltSchema, tablesSchema } from '../../../src/indexed/schema-names.ts';
import { areRead } from '../../../src/indexed/progress.ts';
import { requestRebuild } from '../../../src/ledger/lanes/index-rebuilds.ts';
import { createLedger, type Ledger } from '../../../src/ledger/ledger.ts';
import { wakesNobody } from '../../../src/ledger/wake-ups.ts';
import { createPool } from '../../../src/platform/database.ts';
import type { Running } from '../../../src/platform/loop.ts';
import { minorUnits } from '../../../src/platform/money.ts';
import { networkSettings } from '../../../src/platform/settings.ts';
import { runIndexer } from '../../../src/workers/indexer/run-indexer.ts';
import { fundedAccount, transact } from '../../support/chain/local-chain.ts';
import { operator, startTestNetwork, type TestNetwork } from '../../support/chain/network.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { until } from '../../support/until.ts';

let database: TestDatabase;
let network: TestNetwork;
let ledger: Ledger;
let indexer: Running | undefined;

beforeAll(async () => {
  database = await createTestDatabase();
  // A chain that is not local, whose answers Ponder keeps.
  network = await startTestNetwork({ databaseUrl: database.url, env: { CHIADO_GENESIS: '' } });
  ledger = createLedger(createPool({ connectionString: database.url, max: 2, name: 'test' }), wakesNobody);
  for (let sequence = 1n; sequence <= 3n; sequence += 1n) {
    const item = { orderId: randomUUID(), account: fundedAccount(5).address, amount: minorUnits(100n), sequence };
    await transact(network.rpc, { from: operator, to: network.tokens.eur as `0x${string}`, data: encodeIssue([item]) });
  }
  // Ponder keeps what is final.
  await network.rpc.mine({ blocks: 100 });
  indexer = await runIndexer(network.settings, 'chiado');
});
afterAll(async () => {
  await indexer?.close();
  await ledger?.destroy();
  await network?.stop();
  await database?.drop();
});

async function outcomes(): Promise<bigint> {
  const count = sql<{ count: bigint }>`select count(*) as count from idx_chiado.outcome`;
  return (await readIndexed(() => count.execute(ledger)))?.rows[0]?.count ?? 0n;
}

const kept = async (chainId: number) =>
  (await sql<{ count: bigint }>`select count(*) as count from ponder_sync.intervals where chain_id = ${chainId}`.execute(ledger)).rows[0]
    ?.count;

it('a rebuild asks the endpoints again, and what is kept of another network stays', async () => {
  await until('the outcomes are indexed', async () => (await outcomes()) === 3n || undefined);
  expect(await kept(10_200)).toBeGreaterThan(0n);
  // An endpoint had denied them.
  await sql`delete from ponder_sync.logs`.execute(ledger);
  await sql`insert into ponder_sync.intervals (fragment_id, chain_id, blocks) values ('log_1', 1, '{[0,61]}')`.execute(ledger);
  const indexName = tablesSchema(networkSettings(network.settings, 'chiado'));
  await requestRebuild(ledger, { chain: 'chiado', indexName, damage: { text: 'rows are missing', holdsBalances: true } });
  await until('the rebuilt tables are read', async () => (await areRead(ledger, 'chiado', rebuiltSchema(indexName, 1))) || undefined);
  expect(await outcomes()).toBe(3n);
  expect(await kept(1)).toBe(1n);
});
