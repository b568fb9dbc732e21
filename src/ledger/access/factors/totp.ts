import { Secret, TOTP } from 'otpauth';
import type { Sealer } from '../../../platform/sealing.ts';
import { inTransaction, type Ledger } from '../../ledger.ts';
import { findSeed, keepSeed, lockSeed, seedField, useTimeStep } from './totp-seeds.ts';

/** What every authenticator app knows (RFC 6238): six digits by SHA-1, a new code each 30 seconds. */
const parameters = { algorithm: 'SHA1', digits: 6, period: 30 } as const;

/** Steps that a phone's clock may be early or late, besides the time it takes to type. */
const toleratedSteps = 1;

/** 160 bits, as RFC 4226 recommends. */
const seedBytes = 20;

/** A seed that waits for its first code. */
export interface NewTotp {
  /** Base32, for those who type it. */
  seed: string;
  /** `otpauth://` for a QR code. */
  uri: string;
}

/** Makes a seed that waits for its first code, in place of an earlier one that waits; `undefined` when the user has an active one. */
export async function startTotp(
  ledger: Ledger,
  sealer: Sealer,
  { user, email, service }: { user: string; email: string; service: string },
): Promise<NewTotp | undefined> {
  const secret = new Secret({ size: seedBytes });
  const kept = await keepSeed(ledger, user, sealer.seal(secret.base32, seedField(user)));
  if (!kept) return undefined;
  return describe(secret, { email, service });
}

/** The seed that waits for its first code; `undefined` when there is none. */
export async function findWaitingTotp(
  ledger: Ledger,
  sealer: Sealer,
  { user, email, service }: { user: string; email: string; service: string },
): Promise<NewTotp | undefined> {
  const kept = await findSeed(ledger, user);
  if (!kept || kept.isActive) return undefined;
  return describe(Secret.fromBase32(sealer.unseal(kept.seed, seedField(user))), { email, service });
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
  const token = code.replaceAll(/\s/g, '');
  // The library throws on characters of more than one byte.
  if (!/^[0-9]{6}$/.test(token)) return false;
  return inTransaction(ledger, async (tx) => {
    const kept = await lockSeed(tx, user);
    if (!kept || kept.isActive === activates) return false;
    const secret = Secret.fromBase32(sealer.unseal(kept.seed, seedField(user)));
    const totp = new TOTP({ ...parameters, secret });
    const delta = totp.validate({ token, timestamp: now, window: toleratedSteps });
    if (delta === null) return false;
    return useTimeStep(tx, user, { seed: kept.seed, step: totp.counter({ timestamp: now }) + delta });
  });
}

function describe(secret: Secret, { email, service }: { email: string; service: string }): NewTotp {
  return { seed: secret.base32, uri: new TOTP({ ...parameters, secret, issuer: service, label: email }).toString() };
}
