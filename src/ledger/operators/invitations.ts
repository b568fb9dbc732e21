import { sql } from 'kysely';
import type { Sealer } from '../../platform/sealing.ts';
import { createSecret, hashSecret } from '../access/applications.ts';
import { hashRecoveryCode, newRecoveryCodes } from '../access/factors/recovery-code-texts.ts';
import { describeSeed, type NewTotp, newSeed } from '../access/factors/totp-codes.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import type { SignInSource } from '../tables/accounts.ts';
import { lockOperator, type Operator } from './operators.ts';
import { createOperatorSession, endOperatorSessions } from './sessions.ts';
import { operatorSeedField, useAppCode } from './sign-in.ts';

/** Hours for which an invitation is good. */
export const invitationHours = 24;

/** Makes an invitation in place of an earlier one. Returns its secret, of which the ledger keeps only the SHA-256. Throws `unknown_operator`. */
export async function inviteOperator(ledger: Ledger, name: string): Promise<string> {
  const { secret, hash } = createSecret();
  const expiresAt = sql<Date>`now() + make_interval(hours => ${invitationHours})`;
  await inTransaction(ledger, async (tx) => {
    const operator = await lockOperator(tx, name);
    await tx
      .insertInto('operatorInvitations')
      .values({ operator: operator.name, hash, expiresAt })
      .onConflict((conflict) => conflict.column('operator').doUpdateSet({ hash, expiresAt, createdAt: sql<Date>`now()` }))
      .execute();
  });
  return secret;
}

/**
 * Takes all that an operator signs in with away and ends their sessions: for whoever has lost it, or may have lost it to others. Returns the secret
 * of a new invitation. Throws `unknown_operator`.
 */
export async function resetOperator(ledger: Ledger, name: string): Promise<string> {
  return inTransaction(ledger, async (tx) => {
    const operator = await lockOperator(tx, name);
    for (const table of ['operatorPasswords', 'operatorPasskeys', 'operatorTotpSeeds', 'operatorRecoveryCodes'] as const)
      await tx.deleteFrom(table).where('operator', '=', operator.name).execute();
    await endOperatorSessions(tx, operator.name);
    return inviteOperator(tx, operator.name);
  });
}

/** Whom an invitation is for; `undefined` when it is unknown, was accepted or has expired. */
export async function findInvitation(ledger: Ledger, secret: string): Promise<(Operator & { id: string }) | undefined> {
  return ledger
    .selectFrom('operatorInvitations as i')
    .innerJoin('operators as o', 'o.name', 'i.operator')
    .where('i.hash', '=', hashSecret(secret))
    .where('i.expiresAt', '>', sql<Date>`now()`)
    .where('o.disabledAt', 'is', null)
    .select(['o.name', 'o.role', 'o.id'])
    .executeTakeFirst();
}

/** The seed for the app of somebody who is invited: the same until its first code comes. */
export async function seedOfInvited(ledger: Ledger, sealer: Sealer, { name }: Operator, service: string): Promise<NewTotp | undefined> {
  return inTransaction(ledger, async (tx) => {
    await lockOperator(tx, name);
    const waiting = await tx
      .selectFrom('operatorTotpSeeds')
      .where('operator', '=', name)
      .select(['seed', 'activatedAt'])
      .executeTakeFirst();
    // Whoever has one already keeps it until a reset.
    if (waiting && waiting.activatedAt !== null) return undefined;
    const seed = waiting ? sealer.unseal(waiting.seed, operatorSeedField(name)) : newSeed();
    if (!waiting)
      await tx
        .insertInto('operatorTotpSeeds')
        .values({ operator: name, seed: sealer.seal(seed, operatorSeedField(name)), activatedAt: null, lastStep: null })
        .execute();
    return describeSeed(seed, { account: name, service });
  });
}

/** What an invitation was accepted with. */
export interface Accepted {
  /** Secret of the session of the operator, who is signed in. */
  session: string;
  /** Each stands in for a code of the app, once. They are shown this once. */
  recoveryCodes: string[];
}

/** Accepts an invitation by a password, as its hash, and the first code of the app. `undefined` when the invitation or the code does not count. */
export async function acceptByPassword(
  ledger: Ledger,
  sealer: Sealer,
  { secret, passwordHash, code }: { secret: string; passwordHash: string; code: string },
  source: SignInSource,
): Promise<Accepted | undefined> {
  return acceptInvitation(ledger, secret, source, async (tx, operator) => {
    if (!(await useAppCode(tx, sealer, { operator, code, now: Date.now(), isFirst: true }))) return false;
    await tx
      .insertInto('operatorPasswords')
      .values({ operator, hash: passwordHash })
      .onConflict((conflict) => conflict.column('operator').doUpdateSet({ hash: passwordHash, updatedAt: sql<Date>`now()` }))
      .execute();
    return true;
  });
}

/** Accepts an invitation by what `register` adds, such as a passkey. `undefined` when the invitation does not count, or nothing was added. */
export async function acceptInvitation(
  ledger: Ledger,
  secret: string,
  source: SignInSource,
  register: (tx: LedgerTransaction, operator: string) => Promise<boolean>,
): Promise<Accepted | undefined> {
  const invited = await findInvitation(ledger, secret);
  if (!invited) return undefined;
  return inTransaction(ledger, async (tx) => {
    await lockOperator(tx, invited.name);
    // It may have been accepted or replaced meanwhile.
    if (!(await findInvitation(tx, secret)) || !(await register(tx, invited.name))) return undefined;
    await tx.deleteFrom('operatorInvitations').where('operator', '=', invited.name).execute();
    const recoveryCodes = await makeRecoveryCodes(tx, invited.name);
    return { session: await createOperatorSession(tx, invited.name, source), recoveryCodes };
  });
}

async function makeRecoveryCodes(tx: LedgerTransaction, operator: string): Promise<string[]> {
  const codes = newRecoveryCodes();
  await tx.deleteFrom('operatorRecoveryCodes').where('operator', '=', operator).execute();
  await tx
    .insertInto('operatorRecoveryCodes')
    .values(codes.map((code, index) => ({ hash: hashRecoveryCode(code), operator, number: index + 1, usedAt: null })))
    .execute();
  return codes;
}
