// Started by guarded-process.process.test.ts, and killed: starts guarded children of every kind and writes down the ids.
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startAnvil } from '../../../sandbox/chains/anvil.ts';
import { startEmbeddedPostgres } from '../../../sandbox/postgres/embedded-postgres.ts';
import { spawnGuarded } from '../../../src/platform/process/guarded-process.ts';
import { notedProcess } from '../../../sandbox/process-identity.ts';

const dataDir = process.argv[2] ?? '';
const logFile = path.join(dataDir, 'log');
// Root's database runs as another user, who must be able to enter.
chmodSync(dataDir, 0o711);

function startShell(trap: string): number {
  const args = ['-c', `${trap} while :; do sleep 0.1; done`];
  return spawnGuarded({ command: '/bin/sh', args, signal: 'SIGTERM', graceMs: 500, logFile }).pid;
}

async function startChain(): Promise<number> {
  const folder = path.join(dataDir, 'chain');
  await startAnvil({ folder, chainId: 1337, mnemonic: `${'test '.repeat(11)}junk`, blockTimeSeconds: 1, logFile });
  return notedProcess(path.join(folder, 'anvil.pid'))?.pid ?? 0;
}

async function startDatabase(): Promise<number[]> {
  await startEmbeddedPostgres({ dataDir });
  // The backend of the connection that saw it answer is on its way out.
  await delay(500);
  const pid = notedProcess(path.join(dataDir, 'postgres', 'postgres.pid'))?.pid ?? 0;
  const helpers = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return [pid, ...helpers.trim().split(' ').map(Number)];
}

const pids = [startShell(''), startShell('trap "" TERM;'), await startChain(), ...(await startDatabase())];
writeFileSync(path.join(dataDir, 'pids.new'), JSON.stringify(pids));
renameSync(path.join(dataDir, 'pids.new'), path.join(dataDir, 'pids'));
setInterval(() => {}, 1_000);
