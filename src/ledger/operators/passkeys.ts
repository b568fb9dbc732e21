import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import { createSecret, hashSecret } from '../access/applications/secrets.ts';
import { finishAssertion, startAssertion, startRegistration } from '../access/factors/passkey-ceremonies.ts';
import { recordProof } from '../access/factors/recent-proofs.ts';
import type { RelyingParty } from '../access/factors/webauthn.ts';
import { createSession, type SignInSource } from '../access/sessions.ts';
import { operatorSubject } from '../access/subject.ts';
import { inTransaction, type Ledger } from '../ledger.ts';
import type { SignedInOperator } from './sessions.ts';

/** What a page asks a browser for, and the secret by which the page is known when the answer comes. */
export interface Ceremony<Options> {
  options: Options;
  state: string;
}

/** Begins to register a passkey of an operator, for a page of the console. */
export async function startOperatorRegistration(
  ledger: Ledger,
  party: RelyingParty,
  { name, id }: { name: string; id: string },
): Promise<Ceremony<PublicKeyCredentialCreationOptionsJSON>> {
  const { secret: state, hash: holder } = createSecret();
  const registrant = { subject: operatorSubject(name), handle: id, account: name, name };
  return { options: await startRegistration(ledger, party, { holder, registrant }), state };
}

/** Begins to sign in by a passkey: any that the device has for the console. With an operator's name, begins to prove that they have one of theirs. */
export async function startOperatorAssertion(
  ledger: Ledger,
  party: RelyingParty,
  name?: string,
): Promise<Ceremony<PublicKeyCredentialRequestOptionsJSON>> {
  const { secret: state, hash: holder } = createSecret();
  const awaited = name === undefined ? { purpose: 'sign-in' as const } : { purpose: 'proof' as const, subject: operatorSubject(name) };
  return { options: await startAssertion(ledger, party, { holder, ...awaited }), state };
}

/** What a page sends: the secret by which it is known, and the browser's answer, which is JSON. */
interface PasskeyAnswer {
  state: string;
  answer: string;
}

/** Signs in the operator whose passkey signed the challenge. Returns the secret of the session; `undefined` when the answer does not count. */
export async function signInByPasskey(
  ledger: Ledger,
  party: RelyingParty,
  { state, answer }: PasskeyAnswer,
  source: SignInSource,
): Promise<string | undefined> {
  return inTransaction(ledger, async (tx) => {
    const awaited = { holder: hashSecret(state), purpose: 'sign-in' } as const;
    const operator = await finishAssertion(tx, party, { ...awaited, kind: 'operator', answer });
    return typeof operator === 'string' ? undefined : createSession(tx, operator, source);
  });
}

/** Proves by a passkey, in a session, that its operator has what they sign in with. Returns whether the answer counts. */
export async function proveByPasskey(
  ledger: Ledger,
  party: RelyingParty,
  { name, session }: SignedInOperator,
  { state, answer }: PasskeyAnswer,
): Promise<boolean> {
  return inTransaction(ledger, async (tx) => {
    const awaited = { holder: hashSecret(state), purpose: 'proof', subject: operatorSubject(name) } as const;
    const operator = await finishAssertion(tx, party, { ...awaited, kind: 'operator', answer });
    return typeof operator !== 'string' && recordProof(tx, session);
  });
}
