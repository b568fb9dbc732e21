import { sql } from 'kysely';
import type { Sealer } from '../../platform/sealing.ts';
import { recordProof } from '../access/factors/recent-proofs.ts';
import { useRecoveryCode } from '../access/factors/recovery-codes.ts';
import { useTotpCode } from '../access/factors/totp.ts';
import { checkPassword, isCurrentPassword } from '../access/passwords.ts';
import { createSession, type SignInSource } from '../access/sessions.ts';
import { countSignInFailure } from '../access/sign-in-failures.ts';
import { lockSubject, operatorSubject, type Subject } from '../access/subject.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import type { SignedInOperator } from './sessions.ts';

/** What an operator signs in with: the password, and the code of an authenticator app or a recovery code. */
export interface Credentials {
  name: string;
  password: string;
  code: string;
}

/**
 * Signs an operator in by password and code; a password alone never does. Returns the secret of the session, or `undefined` without saying what was
 * wrong, in the same time for a name that nobody has.
 */
export async function signInByPassword(
  ledger: Ledger,
  sealer: Sealer,
  credentials: Credentials,
  source: SignInSource,
  limits: CodeLimits,
): Promise<string | undefined> {
  return withPassword(ledger, sealer, credentials, limits, (tx, operator) => createSession(tx, operator, source));
}

/** Proves by password and code, in a session, that its operator has what they sign in with. Returns whether they are right. */
export async function proveByPassword(
  ledger: Ledger,
  sealer: Sealer,
  { operator, ...credentials }: { operator: SignedInOperator } & Omit<Credentials, 'name'>,
  limits: CodeLimits,
): Promise<boolean> {
  const proof = (tx: LedgerTransaction) => recordProof(tx, operator.session);
  return (await withPassword(ledger, sealer, { ...credentials, name: operator.name }, limits, proof)) === true;
}

/** What counts the guesses of codes of those who have the password, and throws when there were too many; and the time, in milliseconds. */
interface CodeLimits {
  beforeCode: (operator: string) => Promise<void>;
  now?: number;
}

async function withPassword<Result>(
  ledger: Ledger,
  sealer: Sealer,
  { name, password, code }: Credentials,
  { beforeCode, now = Date.now() }: CodeLimits,
  act: (tx: LedgerTransaction, operator: Subject) => Promise<Result>,
): Promise<Result | undefined> {
  const known = await ledger
    .selectFrom('operators as o')
    .innerJoin('passwords as p', 'p.operator', 'o.name')
    .where(sql<string>`lower(o.name)`, '=', name.toLowerCase())
    .where('o.disabledAt', 'is', null)
    .select(['o.name', 'p.hash'])
    .executeTakeFirst();
  const stored = known && { subject: operatorSubject(known.name), hash: known.hash };
  const proof = await checkPassword(ledger, stored, { kind: 'operator', password });
  if (!proof) return undefined;
  const { subject } = proof;
  await beforeCode(subject.id);
  return inTransaction(ledger, async (tx) => {
    // A reset, a role change and a disablement come before, and nobody is signed in, or after, and end the session.
    if ((await lockSubject(tx, subject)).isDisabled || !(await isCurrentPassword(tx, proof))) return undefined;
    if (await useCode(tx, sealer, { subject, code, now })) return act(tx, subject);
    await countSignInFailure(tx, subject, 'code');
    return undefined;
  });
}

/** Uses a code of an operator's app, or a recovery code, once. Returns whether it is good. */
async function useCode(tx: LedgerTransaction, sealer: Sealer, guess: { subject: Subject; code: string; now: number }): Promise<boolean> {
  return (await useTotpCode(tx, sealer, guess)) || useRecoveryCode(tx, guess.subject, guess.code);
}
