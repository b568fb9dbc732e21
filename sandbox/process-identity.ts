import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** A process id with its start time, which tells it from a later process with the same id. Only Linux provides the time. */
export interface ProcessIdentity {
  pid: number;
  startTime: string | undefined;
}

/** The identity of a running process. */
export function identify(pid: number): ProcessIdentity {
  return { pid, startTime: startTimeOf(pid) };
}

/** Whether this process still runs, and not another one with its id. A zombie does not run. */
export function isRunning({ pid, startTime }: ProcessIdentity): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return startTimeOf(pid) === startTime;
}

/** Writes a process's identity to a file, for a later run. */
export function noteProcess(file: string, pid: number): void {
  writeFileSync(file, JSON.stringify(identify(pid)));
}

/** The process whose identity is in a file; undefined when there is no file or it is unreadable. */
export function notedProcess(file: string): ProcessIdentity | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const { pid, startTime } = JSON.parse(readFileSync(file, 'utf8')) as ProcessIdentity;
    return Number.isInteger(pid) && pid > 0 ? { pid, startTime } : undefined;
  } catch {
    return undefined;
  }
}

/** Waits until the process whose identity an earlier run wrote to a file has ended, and kills it after `timeoutMs`. */
export async function endNoted(file: string, timeoutMs: number): Promise<void> {
  const noted = notedProcess(file);
  if (!noted) return;
  for (const deadline = Date.now() + timeoutMs; isRunning(noted); await delay(50))
    if (Date.now() > deadline) process.kill(noted.pid, 'SIGKILL');
  rmSync(file, { force: true });
}

function startTimeOf(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? 'zombie' : fields[18];
  } catch {
    return undefined;
  }
}
