import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { guard, spawnGuarded } from '../../../src/platform/process/guarded-process.ts';
import { identify, isRunning } from '../../../sandbox/process-identity.ts';
import { patience } from '../../support/patience.ts';

const parent = new URL('./guarding-parent.ts', import.meta.url).pathname;
const folders: string[] = [];
const parents: ChildProcess[] = [];

afterEach(() => {
  for (const child of parents.splice(0)) child.kill('SIGKILL');
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

describe('a guarded process', () => {
  it('ends by its own signal when it is stopped', async () => {
    const child = spawnGuarded({ ...shell('trap "exit 7" INT; while :; do sleep 0.1; done'), signal: 'SIGINT' });
    await settled();
    expect(await child.stop()).toEqual({ code: 7, signal: null });
    expect(await child.exited).toEqual({ code: 7, signal: null });
    expect(isRunning(identify(child.pid))).toBe(false);
  });

  it('is killed after its grace time when it ignores the signal', async () => {
    const stubborn = spawnGuarded({ ...shell('trap "" TERM; while :; do sleep 0.1; done'), signal: 'SIGTERM', graceMs: 300 });
    await settled();
    expect(await stubborn.stop()).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('tells when the program cannot be run at all', async () => {
    const missing = spawnGuarded({ command: '/nonexistent/program', args: [], signal: 'SIGTERM', logFile: path.join(folder(), 'log') });
    expect(await missing.exited).toEqual({ code: 127, signal: null });
    expect(await missing.stop()).toEqual({ code: 127, signal: null });
  });

  it('writes what it says to its log file', async () => {
    const options = shell('echo out; echo err >&2');
    await spawnGuarded({ ...options, signal: 'SIGTERM' }).exited;
    expect(readFileSync(options.logFile, 'utf8')).toBe('out\nerr\n');
  });
});

it('every child ends when the parent is killed by SIGKILL, also one that ignores its signal, and a chain has written its state', async () => {
  const { pid, children, dataDir } = await startParent();
  expect(children.every(isRunning)).toBe(true);
  process.kill(pid, 'SIGKILL');
  await vi.waitFor(() => expect(children.filter(isRunning)).toEqual([]), patience);
  const state = JSON.parse(readFileSync(path.join(dataDir, 'chain', 'state.json'), 'utf8')) as { blocks: unknown[] };
  expect(state.blocks.length).toBeGreaterThan(0);
});

describe('the guard', () => {
  it('lets a process live that was taken back', async () => {
    const child = spawn('sleep', ['30'], { detached: true, stdio: 'ignore' });
    const release = guard(child.pid ?? 0, 'SIGTERM');
    release();
    await settled();
    expect(isRunning(identify(child.pid ?? 0))).toBe(true);
    child.kill('SIGKILL');
  });
});

function folder(): string {
  const created = mkdtempSync(path.join(tmpdir(), 'mintrail-guard-'));
  folders.push(created);
  return created;
}

function shell(script: string) {
  return { command: '/bin/sh', args: ['-c', script], logFile: path.join(folder(), 'log') };
}

/** Long enough for a shell to have set its trap. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 300));

async function startParent() {
  const dataDir = folder();
  const child = spawn(process.execPath, [parent, dataDir], { stdio: ['ignore', 'inherit', 'inherit'] });
  parents.push(child);
  const file = path.join(dataDir, 'pids');
  await vi.waitFor(() => expect(existsSync(file)).toBe(true), patience);
  await settled();
  const pids = JSON.parse(readFileSync(file, 'utf8')) as number[];
  return { pid: child.pid ?? 0, children: pids.map(identify), dataDir };
}
