import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import type { Ledger } from '../../ledger.ts';
import { type ChallengePurpose, keepChallenge, takeChallenge } from './challenges.ts';
import { addPasskey, findPasskey, listPasskeys, usePasskey } from './passkeys.ts';
import {
  assertionOptions,
  credentialIdOf,
  registrationOptions,
  type RelyingParty,
  verifyAssertion,
  verifyRegistration,
} from './webauthn.ts';

/** Why a passkey is not registered. */
export type RegistrationError = 'expired' | 'invalid' | 'too_many' | 'known';

/** Why a passkey's signature does not count; `regressed` when it may be that of a copy. */
export type AssertionError = 'expired' | 'invalid' | 'unknown' | 'regressed';

/** Begins to register a passkey of a signed-in user. */
export async function startRegistration(
  ledger: Ledger,
  party: RelyingParty,
  { browser, user }: { browser: Buffer; user: { id: string; email: string; name: string } },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const known = await listPasskeys(ledger, user.id);
  const options = await registrationOptions(party, { id: user.id, account: user.email, name: user.name, known });
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
  const credential = await verifyRegistration(party, challenge, answer);
  return credential ? addPasskey(ledger, { user, name, ...credential }) : 'invalid';
}

/** Begins to ask for a passkey: any, when no user is named, else one of the user's. */
export async function startAssertion(
  ledger: Ledger,
  party: RelyingParty,
  { browser, purpose, user }: { browser: Buffer; purpose: ChallengePurpose; user?: string | undefined },
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const options = await assertionOptions(party, user === undefined ? [] : await listPasskeys(ledger, user));
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
  const credentialId = credentialIdOf(answer);
  if (credentialId === undefined) return 'invalid';
  const passkey = await findPasskey(ledger, credentialId);
  if (!passkey || (user !== undefined && passkey.user !== user)) return 'unknown';
  const counter = await verifyAssertion(party, { challenge, answer, credentialId, publicKey: passkey.publicKey });
  if (counter === undefined) return 'invalid';
  if (!(await usePasskey(ledger, passkey.id, counter))) return 'regressed';
  return { user: passkey.user, email: passkey.email };
}
