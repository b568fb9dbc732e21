import type { Sealer } from '../../../platform/sealing.ts';
import { inTransaction, type Ledger } from '../../ledger.ts';
import { describeSeed, type NewTotp, newSeed, timeStepOf } from './totp-codes.ts';
import { findSeed, keepSeed, lockSeed, seedField, useTimeStep } from './totp-seeds.ts';

/** Makes a seed that waits for its first code, in place of an earlier one that waits; `undefined` when the user has an active one. */
export async function startTotp(
  ledger: Ledger,
  sealer: Sealer,
  { user, email, service }: { user: string; email: string; service: string },
): Promise<NewTotp | undefined> {
  const seed = newSeed();
  const kept = await keepSeed(ledger, user, sealer.seal(seed, seedField(user)));
  return kept ? describeSeed(seed, { account: email, service }) : undefined;
}

/** The seed that waits for its first code; `undefined` when there is none. */
export async function findWaitingTotp(
  ledger: Ledger,
  sealer: Sealer,
  { user, email, service }: { user: string; email: string; service: string },
): Promise<NewTotp | undefined> {
  const kept = await findSeed(ledger, user);
  if (!kept || kept.isActive) return undefined;
  return describeSeed(sealer.unseal(kept.seed, seedField(user)), { account: email, service });
}

/**
 * Uses a code of a user's app, at a time in milliseconds. Returns whether it is good. The first good code activates a seed when
 * `activates` is true; otherwise only an active seed has codes.
 */
export async function useTotpCode(
  ledger: Ledger,
  sealer: Sealer,
  { user, code, activates = false, now = Date.now() }: { user: string; code: string; activates?: boolean; now?: number },
): Promise<boolean> {
  return inTransaction(ledger, async (tx) => {
    const kept = await lockSeed(tx, user);
    if (!kept || kept.isActive === activates) return false;
    const step = timeStepOf(sealer.unseal(kept.seed, seedField(user)), code, now);
    return step !== undefined && useTimeStep(tx, user, { seed: kept.seed, step });
  });
}
