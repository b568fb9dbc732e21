import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** A process id with what tells it from a later process under the same number. Only Linux knows the latter. */
export interface ProcessIdentity {
  pid: number;
  born: string | undefined;
}

/** The identity of a living process. */
export function identify(pid: number): ProcessIdentity {
  return { pid, born: birthOf(pid) };
}

/** Whether that very process still runs. A zombie, which nobody has waited for yet, does not. */
export function isRunning({ pid, born }: ProcessIdentity): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return birthOf(pid) === born;
}

/** Notes a process in a file, for whoever comes after this process. */
export function noteProcess(file: string, pid: number): void {
  writeFileSync(file, JSON.stringify(identify(pid)));
}

/** The process noted in a file; `undefined` when there is none or nobody can read it. */
export function notedProcess(file: string): ProcessIdentity | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const { pid, born } = JSON.parse(readFileSync(file, 'utf8')) as ProcessIdentity;
    return Number.isInteger(pid) && pid > 0 ? { pid, born } : undefined;
  } catch {
    return undefined;
  }
}

/** Waits until the process that an earlier run has noted is gone; kills it when it does not go by itself. */
export async function endNoted(file: string, patienceMs: number): Promise<void> {
  const noted = notedProcess(file);
  if (!noted) return;
  for (const deadline = Date.now() + patienceMs; isRunning(noted); await delay(50))
    if (Date.now() > deadline) process.kill(noted.pid, 'SIGKILL');
  rmSync(file, { force: true });
}

function birthOf(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? 'zombie' : fields[18];
  } catch {
    return undefined;
  }
}
