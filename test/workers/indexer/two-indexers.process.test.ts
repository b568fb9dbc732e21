import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, expect, it } from 'vitest';
import { encodeIssue } from '../../../src/chain/token/calls.ts';
import { readIndexed } from '../../../src/indexed/read-indexed.ts';
import { minorUnits } from '../../../src/platform/money.ts';
import { fundedAccount, transact } from '../../support/chain/local-chain.ts';
import { operator, startTestNetwork } from '../../support/chain/network.ts';
import { processTree, signalAll } from '../../support/processes/process-tree.ts';
import { until } from '../../support/until.ts';
import { testLedger } from '../../support/test-ledger.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const database = testLedger();
const { ledger } = database;
const network = forWholeFile(() => startTestNetwork({ databaseUrl: database.url }));
const indexers: ChildProcess[] = [];
const folders: string[] = [];

afterAll(async () => {
  for (const indexer of indexers) signal(indexer, 'SIGCONT');
  for (const indexer of indexers) indexer.kill('SIGTERM');
  await Promise.all(indexers.map(async (indexer) => indexer.exitCode ?? indexer.signalCode ?? (await once(indexer, 'exit'))));
  for (const folder of folders) rmSync(folder, { recursive: true });
});

function startIndexer(): ChildProcess {
  const folder = mkdtempSync(path.join(tmpdir(), 'mintrail-indexer-'));
  folders.push(folder);
  const env = { ...network.env, PATH: process.env['PATH'], MINTRAIL_DATA_DIR: folder };
  const indexer = spawn(process.execPath, ['src/cli/mintrail.mjs', 'indexer', '--chain', 'chiado'], { env, stdio: 'ignore' });
  indexers.push(indexer);
  return indexer;
}

const signal = (indexer: ChildProcess, name: NodeJS.Signals) => signalAll(processTree(indexer.pid ?? 0), name);
/** None while it waits to be the owner. */
const ponders = (indexer: ChildProcess) => processTree(indexer.pid ?? 0).filter(({ command }) => command.includes('ponder-program.ts'));
const owner = async () => (await sql<{ run: string }>`select run from index_owners`.execute(ledger)).rows[0]?.run;
const isNew = (before: string | undefined) => async () => {
  const now = await owner();
  return now !== undefined && now !== before ? now : undefined;
};

let issued = 0n;
async function issue(): Promise<void> {
  issued += 1n;
  const item = { orderId: randomUUID(), account: fundedAccount(5).address, amount: minorUnits(100n), sequence: issued };
  await transact(network.rpc, { from: operator, to: network.tokens.eur as `0x${string}`, data: encodeIssue([item]) });
}

/** Each outcome once, and the sum of them. */
const isIndexed = () =>
  until(`${issued} outcomes are indexed`, async () => {
    const read = sql<{
      seen: string;
    }>`select (select count(*) from idx_chiado.outcome) || ' ' || (select sum(amount) from idx_chiado.balance) as seen`;
    const { rows } = (await readIndexed(() => read.execute(ledger))) ?? { rows: [] };
    return rows[0]?.seen === `${issued} ${issued}${'0'.repeat(18)}` || undefined;
  });

it('an index has one writer, whichever of two indexers is frozen and comes back', async () => {
  const [first, second] = [startIndexer(), startIndexer()];
  let run = await until('one of the two writes', isNew(undefined));
  await issue();
  await isIndexed();
  for (let turn = 0; turn < 2; turn += 1) {
    const [writing, waiting] = ponders(first).length > 0 ? [first, second] : [second, first];
    expect(ponders(waiting)).toEqual([]);
    signal(writing, 'SIGSTOP');
    run = await until('the other one has taken over', isNew(run));
    await issue();
    await isIndexed();
    signal(writing, 'SIGCONT');
    await until('the one that was frozen has no Ponder', async () => ponders(writing).length === 0 || undefined);
    await issue();
    await isIndexed();
    expect(await owner()).toBe(run);
  }
  const logs = folders.flatMap((folder) =>
    readdirSync(path.join(folder, 'logs')).map((name) => readFileSync(path.join(folder, 'logs', name), 'utf8')),
  );
  expect(logs.join('\n')).not.toMatch(/duplicate key/);
});
