import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../sandbox/postgres/embedded-postgres.ts';
import { removePostgresHome } from '../../sandbox/postgres/postgres-home.ts';
import { notedProcess } from '../../sandbox/process-identity.ts';

const folders: string[] = [];
const servers: EmbeddedPostgres[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  for (const folder of folders.splice(0)) {
    removePostgresHome(folder);
    rmSync(folder, { recursive: true, force: true });
  }
});

describe('the embedded PostgreSQL', () => {
  it('refuses a wrong password, writes through to the disk, and keeps rows, port and password, restarted, killed or taken over', async () => {
    const dataDir = folder();
    const first = await start(dataDir);
    expect(statSync(path.join(dataDir, 'postgres', 'password')).mode & 0o777).toBe(0o600);
    const intruder = new Client({ connectionString: first.url('postgres').replace(/:[^:@]+@/, ':wrong@') });
    await expect(intruder.connect()).rejects.toThrow(/password authentication failed/);
    expect(await query(first, 'show fsync')).toEqual([{ fsync: 'on' }]);
    expect(await query(first, 'show max_connections')).toEqual([{ max_connections: '300' }]);
    await query(first, 'create table kept as select 42 as answer');
    const keepsAll = async (server: EmbeddedPostgres) => {
      expect(server.url('postgres')).toBe(first.url('postgres'));
      expect(await query(server, 'select answer from kept')).toEqual([{ answer: 42 }]);
    };

    await first.close();
    const restarted = await start(dataDir);
    await keepsAll(restarted);
    process.kill(pidOf(dataDir), 'SIGKILL');
    expect(await restarted.exited).toEqual({ code: null, signal: 'SIGKILL' });
    const again = await start(dataDir);
    await keepsAll(again);
    const taken = await startEmbeddedPostgres({ dataDir });
    await keepsAll(taken);
    await taken.close();
    expect(await again.exited, 'it was not started twice').toEqual({ code: 0, signal: null });

    // The first attempt to make the cluster was interrupted.
    removePostgresHome(dataDir);
    expect(existsSync(path.join(dataDir, 'postgres'))).toBe(false);
    expect(await query(await start(dataDir), 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it.runIf(process.getuid?.() === 0)("of root runs as an unprivileged user, also inside root's own home", async () => {
    const dataDir = folder(0o700);
    const server = await start(dataDir);
    const elsewhere = readFileSync(path.join(dataDir, 'postgres', 'cluster-location'), 'utf8').trim();
    expect(elsewhere).toMatch(/^\/var\/lib\/mintrail\//);
    const status = readFileSync(`/proc/${pidOf(dataDir)}/status`, 'utf8');
    expect(status).toMatch(/^Uid:\t[1-9]/m);
    await query(server, 'create table kept as select 42 as answer');
    await server.close();
    expect(await query(await start(dataDir), 'select answer from kept')).toEqual([{ answer: 42 }]);
    await servers.pop()?.close();
    removePostgresHome(dataDir);
    expect(existsSync(elsewhere)).toBe(false);
  });
});

function folder(mode = 0o711): string {
  const created = mkdtempSync(path.join(tmpdir(), 'mintrail-postgres-'));
  chmodSync(created, mode);
  folders.push(created);
  return created;
}

async function start(dataDir: string): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir });
  servers.push(server);
  return server;
}

function pidOf(dataDir: string): number {
  return notedProcess(path.join(dataDir, 'postgres', 'postgres.pid'))?.pid ?? 0;
}

async function query(server: EmbeddedPostgres, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: server.url('postgres') });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}
