import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { endNoted } from '../../platform/process/process-identity.ts';
import { removePostgresHome } from '../../platform/process/postgres-home.ts';
import { environmentFile } from '../cli-settings.ts';
import { sandboxChains } from './instance.ts';
import { ratesFile } from './rates.ts';

/** A server that is asked to end by the guard of a killed sandbox has gone by then. */
const patienceMs = 15_000;

/** Deletes all that a sandbox has stored, and nothing else that may lie in the folder. The caller holds its lock. */
export async function removeSandbox(dataDir: string): Promise<void> {
  for (const chain of sandboxChains) await endNoted(path.join(dataDir, 'chains', chain, 'anvil.pid'), patienceMs);
  await endNoted(path.join(dataDir, 'postgres', 'postgres.pid'), patienceMs);
  if (existsSync(path.join(dataDir, 'postgres'))) removePostgresHome(dataDir);
  for (const name of ['chains', 'logs', 'instance.json', 'sandbox.json', environmentFile, ratesFile, 'files'])
    rmSync(path.join(dataDir, name), { recursive: true, force: true });
}
