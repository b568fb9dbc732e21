import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { createBalanceReader } from '../../../src/indexed/balances.ts';
import { newestSettledLeg } from '../../../src/ledger/lanes/decided-legs.ts';
import { inTransaction } from '../../../src/ledger/ledger.ts';
import { openBreaches } from '../../../src/ledger/reserve/breaches.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import type { Running } from '../../../src/platform/loop.ts';
import { minorUnits, toTokenUnits } from '../../../src/platform/money.ts';
import { readProblems } from '../../../src/problems/read-status.ts';
import { runIndexer } from '../../../src/workers/indexer/run-indexer.ts';
import { runChainWorker } from '../../../src/workers/run-chain-worker.ts';
import { startTestNetwork } from '../../support/chain/network.ts';
import { creditTo, issueCredits } from '../../support/credits.ts';
import { createCustomer, type TestCustomer } from '../../support/customer.ts';
import { processTree } from '../../support/processes/process-tree.ts';
import { until } from '../../support/until.ts';
import { testLedger } from '../../support/test-ledger.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const database = testLedger();
const { ledger } = database;
// A chain that is not local, whose answers Ponder keeps.
const network = forWholeFile(() => startTestNetwork({ databaseUrl: database.url, env: { CHIADO_GENESIS: '' } }));
let customer: TestCustomer;
let running: Running[] = [];
let issued = 0n;

beforeAll(async () => {
  customer = await createCustomer(ledger, 'chiado');
  running = [await runChainWorker(network.settings, 'chiado'), await runIndexer(network.settings, 'chiado')];
  for (let count = 0; count < 3; count += 1) await processed(await credit());
  // It keeps what is final.
  await network.rpc.mine({ blocks: 100 });
  await until('the logs are kept', async () => {
    const { rows } = await sql<{ count: bigint }>`select count(*) as count from ponder_sync.logs`.execute(ledger);
    return (rows[0]?.count ?? 0n) > 0n || undefined;
  });
  await sql`insert into ponder_sync.intervals (fragment_id, chain_id, blocks) values ('log_1', 1, '{[0,61]}')`.execute(ledger);
});
afterAll(() => Promise.all(running.map((part) => part.close())));

async function credit(): Promise<string> {
  issued += 100n;
  return (await issueCredits(ledger, [creditTo(customer.iban, 100n)]))[0] as string;
}

const processed = (order: string) =>
  until(`the order ${order} is processed`, async () => {
    const { state } = await ledger.selectFrom('orders').where('id', '=', order).select('state').executeTakeFirstOrThrow();
    return state === 'processed' || undefined;
  });

/** The schema of the tables that are read. */
async function tables(): Promise<string> {
  const { rows } = await sql<{ schema: string }>`
    select distinct view_definition.table_schema as schema from information_schema.view_table_usage view_definition
    where view_schema = 'idx_chiado'`.execute(ledger);
  return rows[0]?.schema ?? '';
}

/** Changes rows behind Ponder's back, whose triggers work on its own connections only. */
const damage = (statement: (schema: string) => string) => async () => {
  const schema = await tables();
  await inTransaction(ledger, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    await sql.raw(statement(schema)).execute(tx);
  });
};

/** A balance that the API answers, or the code of its 503. */
async function balance(): Promise<string> {
  const read = createBalanceReader(ledger, network.settings, newestSettledLeg)('chiado', lowerAddress(customer.address), ['eur']);
  return read.then(({ eur }) => String(eur)).catch(({ code }: { code: string }) => code);
}
const balanceOf = (cents: bigint) => String(toTokenUnits(minorUnits(cents)));
const problems = async () => (await readProblems(ledger, network.settings)).problems.map(({ kind }) => kind);

/** Ponder does not take tables of another build, and so ends at each start. */
const unusable = async () => {
  await damage((schema) => `update "${schema}"._ponder_meta set value = jsonb_set(value, '{build_id}', '"another"')`)();
  for (const { pid, command } of processTree(process.pid)) if (command.includes('ponder-program.ts')) process.kill(pid, 'SIGKILL');
};

/** As after an endpoint had denied logs: Ponder keeps what it was answered. */
const withoutRows = async () => {
  await sql`delete from ponder_sync.logs`.execute(ledger);
  await damage((schema) => `delete from "${schema}".outcome where sequence = 1; delete from "${schema}".balance`)();
};

it.each([
  ['without some of its rows, which an endpoint had denied,', withoutRows],
  ['without a table', damage((schema) => `drop table "${schema}".supply cascade`)],
  ['without any table', damage((schema) => `drop schema "${schema}" cascade`)],
  ['with which Ponder ends at each start', unusable],
])('an index %s is named and rebuilt by itself, and what waited is settled once', async (_, destroy) => {
  await sql`update index_rebuilds set in_a_row = 0`.execute(ledger);
  const before = await tables();
  const balances = ['indexer_not_ready', balanceOf(issued)];
  await destroy();
  const order = await credit();
  balances.push(balanceOf(issued));
  await until('the damage is named', async () => (await problems()).includes('index_damaged') || undefined);
  await until('other tables are read', async () => {
    expect(balances).toContain(await balance());
    return !['', before].includes(await tables()) || undefined;
  });
  await processed(order);
  await until('nothing is wrong', async () => (await problems()).every((kind) => kind === 'worker_missing') || undefined);
  await until('the balance is whole', async () => (await balance()) === balanceOf(issued) || undefined);
  const { rpc, tokens } = network;
  const read = { address: tokens.eur as `0x${string}`, abi: eMoneyTokenAbi, functionName: 'totalSupply' } as const;
  expect([await rpc.readContract(read), await openBreaches(ledger)]).toEqual([toTokenUnits(minorUnits(issued)), []]);
  const left = await sql`select from pg_namespace where nspname = ${before}`.execute(ledger);
  expect(left.rows).toEqual([]);
  const kept = await sql`select from ponder_sync.intervals where chain_id = 1`.execute(ledger);
  expect(kept.rows, 'what is kept of another network').toHaveLength(1);
});
