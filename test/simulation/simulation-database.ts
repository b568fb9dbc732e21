import { insertCustomers } from './ledger/customers.ts';
import { prepareSimulatedDatabase, type SimulatedDatabase } from './ledger/simulated-database.ts';
import { createIndexerTables } from './ledger/simulated-indexer.ts';

/** Prepares a migrated database for any number of runs, one after the other: clock, ids, customers and the indexer's tables. */
export async function openSimulation(url: string): Promise<SimulatedDatabase> {
  const database = await prepareSimulatedDatabase(url);
  await insertCustomers(database);
  await createIndexerTables(database);
  return database;
}
