import type { Sealer } from '../../../platform/sealing.ts';
import { inTransaction, type Ledger } from '../../ledger.ts';
import { lockSubject, type Subject } from '../subject.ts';
import { describeSeed, type NewTotp, newSeed, timeStepOf } from './totp-codes.ts';
import { activateSeed, findSeed, keepSeed, lockSeed, openSeed, useTimeStep } from './totp-seeds.ts';

/** For whom an authenticator app makes codes, and what it shows of them. */
export interface TotpOwner {
  subject: Subject;
  account: string;
  service: string;
}

/** Makes a seed that waits for its first code, in place of an earlier one that waits. With that code it takes the place of the one that counts. */
export async function startTotp(ledger: Ledger, sealer: Sealer, { subject, ...shown }: TotpOwner): Promise<NewTotp> {
  const seed = newSeed();
  await inTransaction(ledger, async (tx) => {
    await lockSubject(tx, subject);
    await keepSeed(tx, sealer, subject, seed);
  });
  return describeSeed(seed, shown);
}

/** The seed that waits for its first code; `undefined` when there is none. */
export async function findWaitingTotp(ledger: Ledger, sealer: Sealer, { subject, ...shown }: TotpOwner): Promise<NewTotp | undefined> {
  const waiting = await findSeed(ledger, subject, 'waiting');
  return waiting && describeSeed(openSeed(sealer, waiting), shown);
}

/**
 * Uses a code of somebody's app, at a time in milliseconds. Returns whether it is good. When `activates` is true, it is the first code of the seed that
 * waits, which counts from then on; otherwise only a seed that counts has codes.
 */
export async function useTotpCode(
  ledger: Ledger,
  sealer: Sealer,
  { subject, code, activates = false, now = Date.now() }: { subject: Subject; code: string; activates?: boolean; now?: number },
): Promise<boolean> {
  return inTransaction(ledger, async (tx) => {
    const kept = await lockSeed(tx, subject, activates ? 'waiting' : 'active');
    const step = kept && timeStepOf(openSeed(sealer, kept), code, now);
    if (kept === undefined || step === undefined || !(await useTimeStep(tx, kept, step))) return false;
    if (activates) await activateSeed(tx, subject, kept);
    return true;
  });
}
