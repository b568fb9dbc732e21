import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { encodeIssue } from '../../../src/chain/token/calls.ts';
import { readIndexed } from '../../../src/indexed/read-indexed.ts';
import type { Running } from '../../../src/platform/loop.ts';
import { minorUnits } from '../../../src/platform/money.ts';
import { loadSettings } from '../../../src/platform/settings.ts';
import { runIndexer } from '../../../src/workers/indexer/run-indexer.ts';
import { fundedAccount, transact } from '../../support/chain/local-chain.ts';
import { operator, startTestNetwork } from '../../support/chain/network.ts';
import { type FaultyRpc, type RpcFault, startFaultyRpc } from '../../support/chain/rpc-faults.ts';
import { until } from '../../support/until.ts';
import { testLedger } from '../../support/test-ledger.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const database = testLedger();
const { ledger } = database;
const network = forWholeFile(() => startTestNetwork({ databaseUrl: database.url }));
let nodes: FaultyRpc[];
let indexer: Running;

beforeAll(async () => {
  nodes = await Promise.all(Array.from({ length: 3 }, () => startFaultyRpc(network.anvil.url)));
  const [first] = nodes as [FaultyRpc];
  // Already at its start.
  await first.fail('hangs');
  const urls = nodes.map(({ url }) => url).join(',');
  indexer = await runIndexer(loadSettings({ ...network.env, CHIADO_RPC_URLS: urls }), 'chiado');
});
afterAll(async () => {
  await indexer?.close();
  await Promise.all(nodes.map((node) => node.close()));
});

let issued = 0n;
async function issue(): Promise<void> {
  issued += 1n;
  const item = { orderId: randomUUID(), account: fundedAccount(5).address, amount: minorUnits(100n), sequence: issued };
  await transact(network.rpc, { from: operator, to: network.tokens.eur as `0x${string}`, data: encodeIssue([item]) });
}

const isIndexed = () =>
  until(`${issued} outcomes are indexed`, async () => {
    const count = sql<{ count: bigint }>`select count(*) as count from idx_chiado.outcome`;
    const { rows } = (await readIndexed(() => count.execute(ledger))) ?? { rows: [] };
    return (rows[0]?.count ?? 0n) === issued || undefined;
  });

const oldBlock = { eth_blockNumber: () => '0x1', eth_getBlockByNumber: () => null };

// What else an endpoint may do is the same to who asks it: test/chain/endpoints.process.test.ts, endpoint-proxy.process.test.ts.
it.each<RpcFault>([
  'hangs',
  { status: 503 },
  { answers: { eth_chainId: '0x1', eth_blockNumber: '0x1', eth_getBlockByNumber: null, eth_getLogs: [] } },
  { lies: oldBlock },
])('an indexer goes on while the first of its three endpoints fails: %j', async (fault) => {
  const [first] = nodes as [FaultyRpc];
  await first.fail(fault);
  for (let count = 0; count < 3; count += 1) {
    await issue();
    await isIndexed();
  }
  await first.heal();
  await issue();
  await isIndexed();
});

it.each<RpcFault>(['hangs', { error: { code: -32_005, message: 'Limit exceeded' } }])(
  'an indexer goes on when one of its endpoints answers, after none did: %j',
  async (fault) => {
    await Promise.all(nodes.map((node) => node.fail(fault)));
    const before = nodes.map((node) => node.requests());
    await issue();
    await until('each endpoint is asked', async () => nodes.every((node, index) => node.requests() > (before[index] ?? 0)) || undefined);
    await nodes[1]?.heal();
    await isIndexed();
    await Promise.all(nodes.map((node) => node.heal()));
    expect(issued).toBeGreaterThan(0n);
  },
);
