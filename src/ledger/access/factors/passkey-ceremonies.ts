import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import { sql } from 'kysely';
import { inTransaction, type Ledger } from '../../ledger.ts';
import { clearExpired } from '../expired-rows.ts';
import { countSignInFailure } from '../sign-in-failures.ts';
import { isSameSubject, lockSubject, type Subject, subjectOf, subjectValues } from '../subject.ts';
import { addPasskey, findPasskey, listPasskeys, maxPasskeys, usePasskey } from './passkeys.ts';
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

/** What its owner reads when a passkey is not registered. */
export const registrationTexts: Readonly<Record<RegistrationError, string>> = {
  expired: 'That took too long. Try again.',
  invalid: 'The passkey did not answer as it should. Try again.',
  too_many: `You have ${maxPasskeys} passkeys already. Remove one first.`,
  known: 'This passkey is registered already.',
};

/** Why a passkey's signature does not count; `regressed` when it may be that of a copy. */
export type AssertionError = 'expired' | 'invalid' | 'unknown' | 'regressed';

/** Who registers a passkey, as their device shows them; `handle` is a UUID that stands for them there. */
export interface Registrant {
  subject: Subject;
  handle: string;
  account: string;
  name: string;
}

/** Begins to register a passkey of somebody who is signed in or invited. */
export async function startRegistration(
  ledger: Ledger,
  party: RelyingParty,
  { holder, registrant: { subject, handle, account, name } }: { holder: Buffer; registrant: Registrant },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const known = await listPasskeys(ledger, subject);
  const options = await registrationOptions(party, { id: handle, account, name, known });
  await keepChallenge(ledger, { holder, purpose: 'register', subject }, options.challenge);
  return options;
}

/** Registers a passkey by the browser's answer, which is JSON; `name` is what its owner calls it. Uses up the challenge. */
export async function finishRegistration(
  ledger: Ledger,
  party: RelyingParty,
  { holder, subject, name, answer }: { holder: Buffer; subject: Subject; name: string; answer: string },
): Promise<'added' | RegistrationError> {
  const challenge = await takeChallenge(ledger, { holder, purpose: 'register', subject });
  if (challenge === undefined) return 'expired';
  const credential = await verifyRegistration(party, challenge, answer);
  return credential ? addPasskey(ledger, { subject, name, ...credential }) : 'invalid';
}

/** Begins to ask for a passkey: any, when no subject is named, else one of theirs. */
export async function startAssertion(
  ledger: Ledger,
  party: RelyingParty,
  awaited: Awaited,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const options = await assertionOptions(party, awaited.subject === undefined ? [] : await listPasskeys(ledger, awaited.subject));
  await keepChallenge(ledger, awaited, options.challenge);
  return options;
}

/**
 * Whose passkey signed a challenge, by the browser's answer, which is JSON; of this kind, and the subject who is awaited if one is. They stay locked until the
 * transaction ends. Uses up the challenge, and counts a failure for the audit log. The passkey is unknown when it is of anybody else, or of somebody who is
 * disabled.
 */
export async function finishAssertion(
  ledger: Ledger,
  party: RelyingParty,
  { kind, answer, ...awaited }: Awaited & { kind: Subject['kind']; answer: string },
): Promise<Subject | AssertionError> {
  return inTransaction(ledger, async (tx) => {
    const challenge = await takeChallenge(tx, awaited);
    const credentialId = credentialIdOf(answer);
    const passkey = credentialId === undefined ? undefined : await findPasskey(tx, credentialId);
    const fail = async (error: AssertionError): Promise<AssertionError> => {
      await countSignInFailure(tx, { kind, id: passkey?.subject.kind === kind ? passkey.subject.id : undefined }, 'passkey');
      return error;
    };
    if (challenge === undefined) return fail('expired');
    if (credentialId === undefined) return fail('invalid');
    if (passkey?.subject.kind !== kind) return fail('unknown');
    if (awaited.subject !== undefined && !isSameSubject(passkey.subject, awaited.subject)) return fail('unknown');
    const counter = await verifyAssertion(party, { challenge, answer, credentialId, publicKey: passkey.publicKey });
    if (counter === undefined) return fail('invalid');
    if ((await lockSubject(tx, passkey.subject)).isDisabled) return fail('unknown');
    return (await usePasskey(tx, passkey.id, counter)) ? passkey.subject : fail('regressed');
  });
}

/** What a challenge is signed for: a signature for one purpose is worth nothing for another. */
type ChallengePurpose = 'register' | 'sign-in' | 'second-factor' | 'proof';

/** Whose answer is awaited. */
interface Awaited {
  /** SHA-256 of a secret of the browser, or of the page, that has to answer. */
  holder: Buffer;
  purpose: ChallengePurpose;
  /** Whose passkey it has to be; anybody's for a sign-in. */
  subject?: Subject | undefined;
}

/** Long enough to fetch a security key from another room. */
const challengeMinutes = 5;

/** Keeps a challenge, in place of an earlier one of the holder for that purpose. */
async function keepChallenge(ledger: Ledger, { holder, purpose, subject }: Awaited, challenge: string): Promise<void> {
  const values = { ...subjectValues(subject), challenge, expiresAt: sql<Date>`now() + make_interval(mins => ${challengeMinutes})` };
  await ledger
    .insertInto('webauthnChallenges')
    .values({ holder, purpose, ...values })
    .onConflict((conflict) => conflict.columns(['holder', 'purpose']).doUpdateSet(values))
    .execute();
  await clearExpired(ledger, 'webauthnChallenges');
}

/** The challenge of a holder for a purpose, once; `undefined` when there is none, it is for another subject, or it has expired. */
async function takeChallenge(ledger: Ledger, { holder, purpose, subject }: Awaited): Promise<string | undefined> {
  const taken = await ledger
    .deleteFrom('webauthnChallenges')
    .where('holder', '=', holder)
    .where('purpose', '=', purpose)
    .returning(['userId', 'operator', 'challenge', sql<boolean>`expires_at > now()`.as('isCurrent')])
    .executeTakeFirst();
  return taken?.isCurrent === true && isSameSubject(subjectOf(taken), subject) ? taken.challenge : undefined;
}
