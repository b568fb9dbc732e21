import { Secret, TOTP } from 'otpauth';

/** What every authenticator app knows (RFC 6238): six digits by SHA-1, a new code each 30 seconds. */
const parameters = { algorithm: 'SHA1', digits: 6, period: 30 } as const;

/** Steps that a phone's clock may be early or late, besides the time it takes to type. */
const toleratedSteps = 1;

/** 160 bits, as RFC 4226 recommends. */
const seedBytes = 20;

/** A seed as an authenticator app takes it. */
export interface NewTotp {
  /** Base32, for those who type it. */
  seed: string;
  /** `otpauth://` for a QR code. */
  uri: string;
}

/** A new seed, in base32. */
export function newSeed(): string {
  return new Secret({ size: seedBytes }).base32;
}

/** A seed for the app of an account of a service. */
export function describeSeed(seed: string, { account, service }: { account: string; service: string }): NewTotp {
  return { seed, uri: new TOTP({ ...parameters, secret: Secret.fromBase32(seed), issuer: service, label: account }).toString() };
}

/**
 * The time step of which a text is the code, at a time in milliseconds; `undefined` when it is not a code of about now. Whoever accepts it records
 * the step, because each step counts once (RFC 6238, section 5.2).
 */
export function timeStepOf(seed: string, code: string, now: number): number | undefined {
  const token = code.replaceAll(/\s/g, '');
  // The library throws on characters of more than one byte.
  if (!/^[0-9]{6}$/.test(token)) return undefined;
  const totp = new TOTP({ ...parameters, secret: Secret.fromBase32(seed) });
  const delta = totp.validate({ token, timestamp: now, window: toleratedSteps });
  return delta === null ? undefined : totp.counter({ timestamp: now }) + delta;
}
