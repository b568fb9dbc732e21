import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { endNoted } from './process-identity.ts';
import { removePostgresHome } from './postgres/postgres-home.ts';
import { environmentFile } from '../src/cli/cli-settings.ts';
import { ratesFile } from './rates.ts';
import { secretsKeyFile } from './secrets-key.ts';

/** Time for a server whose sandbox was killed to end: its guard stops it. */
const endTimeoutMs = 15_000;

/** Deletes all data of a sandbox, and no other file in its folder. The caller holds the folder's lock. */
export async function deleteSandboxData(dataDir: string): Promise<void> {
  const chainsDir = path.join(dataDir, 'chains');
  for (const chain of existsSync(chainsDir) ? readdirSync(chainsDir) : [])
    await endNoted(path.join(chainsDir, chain, 'anvil.pid'), endTimeoutMs);
  await endNoted(path.join(dataDir, 'postgres', 'postgres.pid'), endTimeoutMs);
  if (existsSync(path.join(dataDir, 'postgres'))) removePostgresHome(dataDir);
  for (const name of ['chains', 'logs', 'instance.json', 'sandbox.json', environmentFile, secretsKeyFile, ratesFile, 'files'])
    rmSync(path.join(dataDir, name), { recursive: true, force: true });
}
