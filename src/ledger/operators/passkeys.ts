import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import { sql } from 'kysely';
import { createSecret, hashSecret } from '../access/applications.ts';
import { clearExpired } from '../access/expired-rows.ts';
import {
  assertionOptions,
  credentialIdOf,
  registrationOptions,
  type RelyingParty,
  verifyAssertion,
  verifyRegistration,
} from '../access/factors/webauthn.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import type { SignInSource } from '../access/sign-in-source.ts';
import { lockOperator } from './operators.ts';
import { createOperatorSession, recordProof, type SignedInOperator } from './sessions.ts';
import { countOperatorFailure } from './sign-in-failures.ts';

/** Long enough to fetch a security key from another room. */
const challengeMinutes = 5;

/** What a page asks a browser for, and by what it is known when the answer comes. */
export interface Ceremony<Options> {
  options: Options;
  /** A secret of the page. */
  state: string;
}

/** Begins to register a passkey of an operator. */
export async function startOperatorRegistration(
  ledger: Ledger,
  party: RelyingParty,
  { name, id }: { name: string; id: string },
): Promise<Ceremony<PublicKeyCredentialCreationOptionsJSON>> {
  const known = await ledger.selectFrom('operatorPasskeys').where('operator', '=', name).select(['credentialId', 'transports']).execute();
  const options = await registrationOptions(party, { id, account: name, name, known });
  return { options, state: await keepChallenge(ledger, options.challenge, name) };
}

/** Registers a passkey by the browser's answer, which is JSON. Returns whether it is valid and new. Uses up the challenge. */
export async function finishOperatorRegistration(
  tx: LedgerTransaction,
  party: RelyingParty,
  { operator, state, answer, label }: { operator: string; state: string; answer: string; label: string },
): Promise<boolean> {
  const challenge = await takeChallenge(tx, state, operator);
  const credential = challenge === undefined ? undefined : await verifyRegistration(party, challenge, answer);
  if (!credential) return false;
  const { publicKey, counter, ...values } = credential;
  const added = await tx
    .insertInto('operatorPasskeys')
    .values({ ...values, operator, name: label, publicKey: Buffer.from(publicKey), counter: BigInt(counter) })
    .onConflict((conflict) => conflict.column('credentialId').doNothing())
    .returning('id')
    .executeTakeFirst();
  return added !== undefined;
}

/** Begins to sign in by a passkey: any that the device has for the console. With an operator, begins to prove that they have one of theirs. */
export async function startOperatorAssertion(
  ledger: Ledger,
  party: RelyingParty,
  operator: string | null = null,
): Promise<Ceremony<PublicKeyCredentialRequestOptionsJSON>> {
  const known =
    operator === null
      ? []
      : await ledger.selectFrom('operatorPasskeys').where('operator', '=', operator).select(['credentialId', 'transports']).execute();
  const options = await assertionOptions(party, known);
  return { options, state: await keepChallenge(ledger, options.challenge, operator) };
}

/** Signs in the operator whose passkey signed the challenge. Returns the secret of the session; `undefined` when the answer does not count. */
export async function signInByPasskey(
  ledger: Ledger,
  party: RelyingParty,
  answered: PasskeyAnswer,
  source: SignInSource,
): Promise<string | undefined> {
  return withPasskey(ledger, party, { ...answered, operator: null }, (tx, operator) => createOperatorSession(tx, operator, source));
}

/** Proves by a passkey, in a session, that its operator has what they sign in with. Returns whether the answer counts. */
export async function proveByPasskey(
  ledger: Ledger,
  party: RelyingParty,
  operator: SignedInOperator,
  answered: PasskeyAnswer,
): Promise<boolean> {
  const proof = (tx: LedgerTransaction) => recordProof(tx, operator);
  return (await withPasskey(ledger, party, { ...answered, operator: operator.name }, proof)) === true;
}

/** What a page sends: by what it is known, and the browser's answer, which is JSON. */
interface PasskeyAnswer {
  state: string;
  answer: string;
}

async function withPasskey<Result>(
  ledger: Ledger,
  party: RelyingParty,
  { state, answer, operator: expected }: PasskeyAnswer & { operator: string | null },
  act: (tx: LedgerTransaction, operator: string) => Promise<Result>,
): Promise<Result | undefined> {
  // Used up whatever comes of it.
  const challenge = await takeChallenge(ledger, state, expected);
  const credentialId = credentialIdOf(answer);
  const passkey = await ledger
    .selectFrom('operatorPasskeys')
    .where('credentialId', '=', credentialId ?? '')
    .select(['id', 'operator', 'publicKey'])
    .executeTakeFirst();
  const isExpected = passkey !== undefined && (expected === null || passkey.operator === expected);
  const counter =
    isExpected && challenge !== undefined && credentialId !== undefined
      ? await verifyAssertion(party, { challenge, answer, credentialId, publicKey: passkey.publicKey })
      : undefined;
  const result = passkey && counter !== undefined ? await inTransaction(ledger, (tx) => useAndAct(tx, passkey, counter, act)) : undefined;
  if (result === undefined) await countOperatorFailure(ledger, passkey?.operator, 'passkey');
  return result;
}

/** Does something by a signature that counts. `undefined` when it does not: the operator is disabled, or it may be that of a copy. */
async function useAndAct<Result>(
  tx: LedgerTransaction,
  passkey: { id: string; operator: string },
  counter: number,
  act: (tx: LedgerTransaction, operator: string) => Promise<Result>,
): Promise<Result | undefined> {
  const operator = await lockOperator(tx, passkey.operator);
  if (operator.disabledAt !== null || !(await usePasskey(tx, passkey.id, counter))) return undefined;
  return act(tx, passkey.operator);
}

/** Records a signature. Returns whether it counts: a counter that is not above the last is that of a copy perhaps (WebAuthn, section 6.1.1). */
async function usePasskey(tx: LedgerTransaction, id: string, counter: number): Promise<boolean> {
  const { rows } = await sql<{ counts: boolean }>`
    with used as (
      select id, counter < ${BigInt(counter)} or (counter = 0 and ${BigInt(counter)} = 0) as counts from operator_passkeys where id = ${id} for update
    )
    update operator_passkeys p set
      counter = case when u.counts then ${BigInt(counter)} else p.counter end,
      last_used_at = case when u.counts then now() else p.last_used_at end,
      counter_regressed_at = case when u.counts then p.counter_regressed_at else now() end
    from used u where p.id = u.id returning u.counts
  `.execute(tx);
  return rows[0]?.counts === true;
}

async function keepChallenge(ledger: Ledger, challenge: string, operator: string | null): Promise<string> {
  const { secret, hash } = createSecret();
  await ledger
    .insertInto('operatorChallenges')
    .values({ hash, operator, challenge, expiresAt: sql`now() + make_interval(mins => ${challengeMinutes})` })
    .execute();
  await clearExpired(ledger, 'operatorChallenges');
  return secret;
}

/** The challenge of a page, once; `undefined` when there is none for this operator, or for a sign-in, or it has expired. */
async function takeChallenge(ledger: Ledger, state: string, operator: string | null): Promise<string | undefined> {
  const taken = await ledger
    .deleteFrom('operatorChallenges')
    .where('hash', '=', hashSecret(state))
    .where('operator', operator === null ? 'is' : '=', operator)
    .returning(['challenge', sql<boolean>`expires_at > now()`.as('isCurrent')])
    .executeTakeFirst();
  return taken?.isCurrent === true ? taken.challenge : undefined;
}
