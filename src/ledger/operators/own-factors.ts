import { sql } from 'kysely';
import { StopError } from '../../platform/errors.ts';
import type { Sealer } from '../../platform/sealing.ts';
import { describeSeed, type NewTotp, newSeed, timeStepOf } from '../access/factors/totp-codes.ts';
import { hashCode, newRecoveryCodes } from '../access/factors/written-codes.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { lockOperator } from './operators.ts';
import { endOperatorSessions, hasProof, type SignedInOperator } from './sessions.ts';
import { operatorSeedField } from './sign-in.ts';

/** What an operator signs in with. */
export interface OwnFactors {
  hasPassword: boolean;
  hasApp: boolean;
  /** How many recovery codes are left. */
  recoveryCodes: number;
  passkeys: { id: string; name: string; createdAt: Date; lastUsedAt: Date | null }[];
}

/** Reads what an operator signs in with. */
export async function readFactors(ledger: Ledger, operator: string): Promise<OwnFactors> {
  const counts = await ledger
    .selectFrom('operators as o')
    .where('o.name', '=', operator)
    .select([
      sql<boolean>`exists(select from operator_passwords p where p.operator = o.name)`.as('hasPassword'),
      sql<boolean>`exists(select from operator_totp_seeds t where t.operator = o.name and activated_at is not null)`.as('hasApp'),
      sql<number>`(select count(*)::int from operator_recovery_codes c where c.operator = o.name and used_at is null)`.as('recoveryCodes'),
    ])
    .executeTakeFirstOrThrow();
  const passkeys = await ledger
    .selectFrom('operatorPasskeys')
    .where('operator', '=', operator)
    .select(['id', 'name', 'createdAt', 'lastUsedAt'])
    .orderBy('id')
    .execute();
  return { ...counts, passkeys };
}

/**
 * Changes what an operator signs in with, in one transaction, and ends their other sessions. They have just proven that they have what they sign in with now, so
 * that a stolen session changes nothing. Throws `proof_required`, and what `change` throws.
 */
export async function changeFactors<Result>(
  ledger: Ledger,
  operator: SignedInOperator,
  change: (tx: LedgerTransaction, name: string) => Promise<Result>,
): Promise<Result> {
  return inTransaction(ledger, async (tx) => {
    const { name } = await lockOperator(tx, operator.name);
    if (!(await hasProof(tx, operator)))
      throw new StopError({ code: 'proof_required', message: 'Prove first that it is you, by what you sign in with now' });
    const result = await change(tx, name);
    await endOperatorSessions(tx, name, { kept: operator.session });
    return result;
  });
}

/** Throws `invalid_request` for an operator without an app: a password alone never signs in. */
export async function requireApp(tx: LedgerTransaction, operator: string): Promise<void> {
  if ((await readFactors(tx, operator)).hasApp) return;
  const fields = { password: 'takes an authenticator app besides: set one up first' };
  throw new StopError({ code: 'invalid_request', message: 'Validation errors', fields });
}

/** A seed for a new app, which nothing keeps yet; `sealed` brings it back with the first code. */
export function offerSeed(sealer: Sealer, operator: string, service: string): NewTotp & { sealed: string } {
  const seed = newSeed();
  return { ...describeSeed(seed, { account: operator, service }), sealed: sealer.seal(seed, offeredSeedField(operator)) };
}

/** Replaces an operator's app by the one of an offered seed. Returns whether the code is one of its about now, which is in milliseconds. */
export async function replaceApp(
  tx: LedgerTransaction,
  sealer: Sealer,
  { operator, sealed, code, now = Date.now() }: { operator: string; sealed: string; code: string; now?: number },
): Promise<boolean> {
  const seed = sealer.unseal(sealed, offeredSeedField(operator));
  const step = timeStepOf(seed, code, now);
  if (step === undefined) return false;
  await tx.deleteFrom('operatorTotpSeeds').where('operator', '=', operator).execute();
  const kept = sealer.seal(seed, operatorSeedField(operator));
  await tx
    .insertInto('operatorTotpSeeds')
    .values({ operator, seed: kept, activatedAt: null, lastStep: BigInt(step) })
    .execute();
  // A change of its own, which the audit log has.
  await tx
    .updateTable('operatorTotpSeeds')
    .set({ activatedAt: sql`now()` })
    .where('operator', '=', operator)
    .execute();
  return true;
}

/** Removes a passkey of an operator, who signs in with something else from then on. Throws `not_possible`. */
export async function removePasskey(tx: LedgerTransaction, operator: string, id: string): Promise<void> {
  const { hasPassword, hasApp, passkeys } = await readFactors(tx, operator);
  if (!(hasPassword && hasApp) && passkeys.every((passkey) => passkey.id === id))
    throw new StopError({
      code: 'not_possible',
      message: 'You sign in with nothing else: add another passkey first, or an app and a password',
    });
  await tx.deleteFrom('operatorPasskeys').where('operator', '=', operator).where('id', '=', id).execute();
}

function offeredSeedField(operator: string): ReturnType<typeof operatorSeedField> {
  return { ...operatorSeedField(operator), column: 'offered_seed' };
}

/** Sets the password of an operator, as its hash. Whoever calls it holds the lock of the operator. */
export async function setPassword(tx: LedgerTransaction, operator: string, hash: string): Promise<void> {
  await tx
    .insertInto('operatorPasswords')
    .values({ operator, hash })
    .onConflict((conflict) => conflict.column('operator').doUpdateSet({ hash, updatedAt: sql<Date>`now()` }))
    .execute();
}

/** Makes recovery codes in place of earlier ones. Returns them; the ledger keeps only their SHA-256. Whoever calls it holds the lock of the operator. */
export async function makeRecoveryCodes(tx: LedgerTransaction, operator: string): Promise<string[]> {
  const codes = newRecoveryCodes();
  await tx.deleteFrom('operatorRecoveryCodes').where('operator', '=', operator).execute();
  await tx
    .insertInto('operatorRecoveryCodes')
    .values(codes.map((code, index) => ({ hash: hashCode(code), operator, number: index + 1, usedAt: null })))
    .execute();
  return codes;
}
