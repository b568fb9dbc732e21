import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import type { Ledger } from '../../ledger.ts';
import { type ChallengePurpose, keepChallenge, takeChallenge } from './challenges.ts';
import { addPasskey, findPasskey, listPasskeys, usePasskey } from './passkeys.ts';

/** To whom passkeys belong (WebAuthn, section 5.1.2). */
export interface RelyingParty {
  /** Scheme, host and port of the pages. */
  origin: string;
  name: string;
}

/** Why a passkey is not registered. */
export type RegistrationError = 'expired' | 'invalid' | 'too_many' | 'known';

/** Why a passkey's signature does not count; `regressed` when it may be that of a copy. */
export type AssertionError = 'expired' | 'invalid' | 'unknown' | 'regressed';

/** Those of all authenticators in use: ES256, EdDSA and RS256 (RFC 9053). */
const algorithms = [-7, -8, -257] as const;

/** Begins to register a passkey of a signed-in user: discoverable, and with user verification, so that it can replace the password. */
export async function startRegistration(
  ledger: Ledger,
  party: RelyingParty,
  { browser, user }: { browser: Buffer; user: { id: string; email: string; name: string } },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const known = await listPasskeys(ledger, user.id);
  const options = await generateRegistrationOptions({
    rpName: party.name,
    rpID: rpId(party),
    userID: userHandle(user.id),
    userName: user.email,
    userDisplayName: user.name,
    attestationType: 'none',
    supportedAlgorithmIDs: [...algorithms],
    excludeCredentials: known.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  await keepChallenge(ledger, browser, 'register', options.challenge);
  return options;
}

/** Registers a passkey by the browser's answer, which is JSON. Uses up the challenge. */
export async function finishRegistration(
  ledger: Ledger,
  party: RelyingParty,
  { browser, user, name, answer }: { browser: Buffer; user: string; name: string; answer: string },
): Promise<'added' | RegistrationError> {
  const challenge = await takeChallenge(ledger, browser, 'register');
  if (challenge === undefined) return 'expired';
  const registered = await verified(() =>
    verifyRegistrationResponse({
      response: JSON.parse(answer) as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: rpId(party),
      requireUserVerification: true,
      supportedAlgorithmIDs: [...algorithms],
    }),
  );
  if (registered?.verified !== true) return 'invalid';
  const { credential, credentialDeviceType } = registered.registrationInfo;
  const { id: credentialId, publicKey, counter, transports = [] } = credential;
  const isSynchronised = credentialDeviceType === 'multiDevice';
  return addPasskey(ledger, { user, name, credentialId, publicKey, counter, transports: [...transports], isSynchronised });
}

/** Begins to ask for a passkey: any, when no user is named, else one of the user's. */
export async function startAssertion(
  ledger: Ledger,
  party: RelyingParty,
  { browser, purpose, user }: { browser: Buffer; purpose: ChallengePurpose; user?: string | undefined },
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const known = user === undefined ? [] : await listPasskeys(ledger, user);
  const options = await generateAuthenticationOptions({
    rpID: rpId(party),
    allowCredentials: known.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
    userVerification: 'required',
  });
  await keepChallenge(ledger, browser, purpose, options.challenge);
  return options;
}

/**
 * The user whose passkey signed the challenge of a browser, by the browser's answer, which is JSON. Uses up the challenge. The passkey is
 * unknown when it is not of the user who is named.
 */
export async function finishAssertion(
  ledger: Ledger,
  party: RelyingParty,
  { browser, purpose, user, answer }: { browser: Buffer; purpose: ChallengePurpose; user?: string | undefined; answer: string },
): Promise<{ user: string; email: string } | AssertionError> {
  const challenge = await takeChallenge(ledger, browser, purpose);
  if (challenge === undefined) return 'expired';
  const response = await verified(async () => JSON.parse(answer) as AuthenticationResponseJSON);
  if (typeof response?.id !== 'string') return 'invalid';
  const passkey = await findPasskey(ledger, response.id);
  if (!passkey || (user !== undefined && passkey.user !== user)) return 'unknown';
  const signed = await verified(() =>
    verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: rpId(party),
      requireUserVerification: true,
      // The counter is compared when the signature is known to be valid: only then it says something about the passkey.
      credential: { id: response.id, publicKey: new Uint8Array(passkey.publicKey), counter: 0 },
    }),
  );
  if (signed?.verified !== true) return 'invalid';
  if (!(await usePasskey(ledger, passkey.id, signed.authenticationInfo.newCounter))) return 'regressed';
  return { user: passkey.user, email: passkey.email };
}

/** The library throws on everything that a browser of ours would not send. */
async function verified<T>(check: () => Promise<T>): Promise<T | undefined> {
  try {
    return await check();
  } catch {
    return undefined;
  }
}

/** The host of the pages: a passkey works on no other. */
function rpId({ origin }: RelyingParty): string {
  return new URL(origin).hostname;
}

/** The bytes of the user's id, which says nothing about the user (WebAuthn, section 14.6.1). */
function userHandle(id: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(id.replaceAll('-', ''), 'hex'));
}
