import { availableParallelism } from 'node:os';
import { Client } from 'pg';
import { partitionedTables } from '../../src/ledger/growth/partitions.ts';
import { ledgerSchema } from '../../src/platform/database.ts';
import { type HistorySize, historyPlan, lastStep, type Step, tablesWithRows, unreadyIndexes } from './statements.ts';

/**
 * Fills an empty ledger with history, as a superuser. Triggers and foreign keys do not act meanwhile: what they would do, the statements do. What
 * does not depend on each other is made at the same time.
 */
export async function generateHistory(databaseUrl: string, size: HistorySize, print: (line: string) => void = console.log): Promise<void> {
  const clients = await Promise.all(Array.from({ length: availableParallelism() }, () => connect(databaseUrl)));
  const run = (chains: readonly (readonly Step[])[]) => runChains(clients, chains, print);
  const named = async (statement: string): Promise<string[]> =>
    ((await clients[0]?.query<{ name: string }>(statement))?.rows ?? []).map(({ name }) => name);
  try {
    const { first, chains } = historyPlan(size);
    await run([first]);
    await run(chains);
    await run((await named(unreadyIndexes)).map((name) => [[`index ${name}`, `reindex index ${name}`]]));
    await run([[lastStep]]);
    await run((await named(tablesWithRows)).map((name) => [[`statistics of ${name}`, `vacuum analyze ${name}`]]));
    await run(partitionedTables.map((name) => [[`statistics of ${name} as a whole`, `select analyze_partitioned('${name}')`]]));
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

async function connect(databaseUrl: string): Promise<Client> {
  const client = new Client({ connectionString: databaseUrl, options: `-c search_path=${ledgerSchema} -c timezone=UTC` });
  await client.connect();
  await client.query(
    `set session_replication_role = replica; set synchronous_commit = off; set work_mem = '256MB'; set maintenance_work_mem = '512MB'; set jit = off`,
  );
  return client;
}

/** Runs the steps of each chain one after the other, and as many chains at the same time as there are clients. */
async function runChains(clients: readonly Client[], chains: readonly (readonly Step[])[], print: (line: string) => void): Promise<void> {
  const waiting = [...chains];
  await Promise.all(
    clients.map(async (client) => {
      for (let chain = waiting.shift(); chain !== undefined; chain = waiting.shift())
        for (const [name, statement] of chain) {
          const startedAt = performance.now();
          await client.query(statement);
          print(`${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(7)} s  ${name}`);
        }
    }),
  );
}
