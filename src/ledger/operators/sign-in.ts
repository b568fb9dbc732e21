import { sql } from 'kysely';
import type { Sealer } from '../../platform/sealing.ts';
import { isPassword } from '../access/passwords.ts';
import { timeStepOf } from '../access/factors/totp-codes.ts';
import { hashCode } from '../access/factors/written-codes.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import type { SignInSource } from '../access/sign-in-source.ts';
import { lockOperator } from './operators.ts';
import { countOperatorFailure } from './sign-in-failures.ts';
import { createOperatorSession, recordProof, type SignedInOperator } from './sessions.ts';

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
  return withPassword(ledger, sealer, credentials, limits, (tx, operator) => createOperatorSession(tx, operator, source));
}

/** Proves by password and code, in a session, that its operator has what they sign in with. Returns whether they are right. */
export async function proveByPassword(
  ledger: Ledger,
  sealer: Sealer,
  { operator, ...credentials }: { operator: SignedInOperator } & Omit<Credentials, 'name'>,
  limits: CodeLimits,
): Promise<boolean> {
  const proof = (tx: LedgerTransaction) => recordProof(tx, operator);
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
  act: (tx: LedgerTransaction, operator: string) => Promise<Result>,
): Promise<Result | undefined> {
  const known = await ledger
    .selectFrom('operators as o')
    .innerJoin('operatorPasswords as p', 'p.operator', 'o.name')
    .where(sql<string>`lower(o.name)`, '=', name.toLowerCase())
    .where('o.disabledAt', 'is', null)
    .select(['o.name', 'p.hash'])
    .executeTakeFirst();
  if (!(await isPassword(known?.hash, password)) || !known) {
    await countOperatorFailure(ledger, known?.name, 'password');
    return undefined;
  }
  await beforeCode(known.name);
  return inTransaction(ledger, async (tx) => {
    // A reset, a role change and a disablement come before, and nobody is signed in, or after, and end the session.
    const operator = await lockOperator(tx, known.name);
    const isCurrent = operator.disabledAt === null && (await hasPassword(tx, known));
    if (!isCurrent) return undefined;
    if (await useCode(tx, sealer, { operator: known.name, code, now })) return act(tx, known.name);
    await countOperatorFailure(tx, known.name, 'code');
    return undefined;
  });
}

/** Where the seed of an operator is stored, for its seal. */
export function operatorSeedField(operator: string): { table: string; column: string; row: string } {
  return { table: 'operator_totp_seeds', column: 'seed', row: operator };
}

/** Uses a code of an operator's app, or a recovery code, once. Returns whether it is good. Whoever calls it holds the lock of the operator. */
async function useCode(
  tx: LedgerTransaction,
  sealer: Sealer,
  { operator, code, now }: { operator: string; code: string; now: number },
): Promise<boolean> {
  return (await useAppCode(tx, sealer, { operator, code, now, isFirst: false })) || useRecoveryCode(tx, operator, code);
}

/**
 * Uses a code of an operator's app, once. The first code of a seed activates it, and counts only where `isFirst` is true. Whoever calls it holds the
 * lock of the operator.
 */
export async function useAppCode(
  tx: LedgerTransaction,
  sealer: Sealer,
  { operator, code, now, isFirst }: { operator: string; code: string; now: number; isFirst: boolean },
): Promise<boolean> {
  const kept = await tx
    .selectFrom('operatorTotpSeeds')
    .where('operator', '=', operator)
    .where('activatedAt', isFirst ? 'is' : 'is not', null)
    .select(['seed', 'lastStep'])
    // A rotation of the key seals it anew before or after.
    .forUpdate()
    .executeTakeFirst();
  if (!kept) return false;
  const step = timeStepOf(sealer.unseal(kept.seed, operatorSeedField(operator)), code, now);
  if (step === undefined || (kept.lastStep !== null && BigInt(step) <= kept.lastStep)) return false;
  await tx
    .updateTable('operatorTotpSeeds')
    .set({ lastStep: BigInt(step), activatedAt: sql`coalesce(activated_at, now())` })
    .where('operator', '=', operator)
    .execute();
  return true;
}

async function useRecoveryCode(tx: LedgerTransaction, operator: string, code: string): Promise<boolean> {
  const used = await tx
    .updateTable('operatorRecoveryCodes')
    .set({ usedAt: sql`now()` })
    .where('hash', '=', hashCode(code))
    .where('operator', '=', operator)
    .where('usedAt', 'is', null)
    .executeTakeFirst();
  return used.numUpdatedRows > 0n;
}

async function hasPassword(tx: LedgerTransaction, { name, hash }: { name: string; hash: string }): Promise<boolean> {
  const operator = await tx
    .selectFrom('operatorPasswords')
    .where('operator', '=', name)
    .where('hash', '=', hash)
    .select('operator')
    .executeTakeFirst();
  return operator !== undefined;
}
