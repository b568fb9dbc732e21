import { setTimeout as delay } from 'node:timers/promises';

/** Waits for the next half minute where this one ends within five seconds: a code of the half minute before is refused from then on. */
export async function earlyInTotpStep(): Promise<void> {
  const left = 30_000 - (Date.now() % 30_000);
  if (left < 5_000) await delay(left);
}
