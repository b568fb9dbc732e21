import { sql } from 'kysely';
import { StopError } from '../../platform/errors.ts';
import type { Sealer } from '../../platform/sealing.ts';
import { createSecret, hashSecret } from '../access/applications/secrets.ts';
import { hashCode, newCode } from '../access/factors/written-codes.ts';
import type { NewTotp } from '../access/factors/totp-codes.ts';
import { findWaitingTotp, startTotp, useTotpCode } from '../access/factors/totp.ts';
import { hasTotp } from '../access/factors/totp-seeds.ts';
import { makeRecoveryCodes } from '../access/factors/recovery-codes.ts';
import { setPassword } from '../access/passwords.ts';
import { createSession, type SignInSource } from '../access/sessions.ts';
import { operatorSubject, type Subject } from '../access/subject.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { lockOperator, type Operator } from './operators.ts';

/** Hours for which an invitation is good. */
export const invitationHours = 24;

/** Of six characters: 90 random bits. */
const groupsPerInvitationCode = 3;

/** Who makes the code that an invitation takes besides its link; without one the link alone accepts it. */
export interface InvitationOptions {
  codeMaker?: string | undefined;
}

/** What somebody who is invited has: the secret of the link, and the code where the invitation takes one. */
export interface InvitationSecrets {
  secret: string;
  code?: string | undefined;
}

/** Whom an invitation is for. */
export interface InvitedOperator extends Operator {
  /** The handle of the operator's passkeys. */
  id: string;
}

/** Makes an invitation in place of an earlier one. Returns its secret, of which the ledger keeps only the SHA-256. Throws `not_found`. */
export async function inviteOperator(ledger: Ledger, name: string, { codeMaker }: InvitationOptions = {}): Promise<string> {
  const { secret, hash } = createSecret();
  const expiresAt = sql<Date>`now() + make_interval(hours => ${invitationHours})`;
  // A code counts for the link that it was made for, and for no later one.
  const values = { hash, expiresAt, codeMaker: codeMaker ?? null, codeHash: null };
  await inTransaction(ledger, async (tx) => {
    const operator = await lockOperator(tx, name);
    await tx
      .insertInto('operatorInvitations')
      .values({ operator: operator.name, ...values })
      .onConflict((conflict) => conflict.column('operator').doUpdateSet({ ...values, createdAt: sql<Date>`now()` }))
      .execute();
  });
  return secret;
}

/**
 * Makes the code that an invitation takes besides its link, in place of an earlier one. Only the operator who asked for the invitation makes it, and the approver
 * has the link, so neither of them can accept it alone. The ledger keeps only its SHA-256. Throws `not_found`.
 */
export async function makeInvitationCode(ledger: Ledger, { operator, maker }: { operator: string; maker: string }): Promise<string> {
  const code = newCode(groupsPerInvitationCode);
  const made = await ledger
    .updateTable('operatorInvitations')
    .set({ codeHash: hashCode(code) })
    .where(sql<string>`lower(operator)`, '=', operator.toLowerCase())
    .where('codeMaker', '=', maker)
    .where('expiresAt', '>', sql<Date>`now()`)
    .executeTakeFirst();
  if (made.numUpdatedRows > 0n) return code;
  throw new StopError({
    code: 'not_found',
    message: `There is no invitation of ${operator} whose code you make: only the operator who asked for an invitation makes its code, until it is accepted or expires`,
  });
}

/** Voids the codes that an operator has made for invitations: they may be known to others. The operator makes new ones. */
export async function voidCodesOf(ledger: Ledger, maker: string): Promise<void> {
  await ledger.updateTable('operatorInvitations').set({ codeHash: null }).where('codeMaker', '=', maker).execute();
}

/** Whom a link invites, and whether it takes a code besides; `undefined` when the invitation is unknown, was accepted or has expired. */
export async function findInvitation(ledger: Ledger, secret: string): Promise<(InvitedOperator & { needsCode: boolean }) | undefined> {
  return invitationsOf(ledger, secret)
    .select(['o.name', 'o.role', 'o.id', sql<boolean>`i.code_maker is not null`.as('needsCode')])
    .executeTakeFirst();
}

/** Whom an invitation is for, by all its secrets; `undefined` when one of them is not right, or the invitation counts no more. */
export async function openInvitation(ledger: Ledger, { secret, code }: InvitationSecrets): Promise<InvitedOperator | undefined> {
  return invitationsOf(ledger, secret)
    .where(sql<boolean>`(i.code_maker is null or i.code_hash = ${code === undefined ? null : hashCode(code)})`)
    .select(['o.name', 'o.role', 'o.id'])
    .executeTakeFirst();
}

/** The seed for the app of somebody who is invited: the same until its first code comes; `undefined` for whoever has an app, until a reset. */
export async function seedOfInvited(ledger: Ledger, sealer: Sealer, { name }: Operator, service: string): Promise<NewTotp | undefined> {
  const owner = { subject: operatorSubject(name), account: name, service };
  return inTransaction(ledger, async (tx) => {
    await lockOperator(tx, name);
    if (await hasTotp(tx, owner.subject)) return undefined;
    return (await findWaitingTotp(tx, sealer, owner)) ?? startTotp(tx, sealer, owner);
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
  { secrets, passwordHash, appCode }: { secrets: InvitationSecrets; passwordHash: string; appCode: string },
  source: SignInSource,
): Promise<Accepted | undefined> {
  return acceptInvitation(ledger, secrets, source, async (tx, operator) => {
    if (!(await useTotpCode(tx, sealer, { subject: operator, code: appCode, activates: true }))) return false;
    await setPassword(tx, operator, passwordHash, 'invitation');
    return true;
  });
}

/** Accepts an invitation by what `register` adds, such as a passkey. `undefined` when the invitation does not count, or nothing was added. */
export async function acceptInvitation(
  ledger: Ledger,
  secrets: InvitationSecrets,
  source: SignInSource,
  register: (tx: LedgerTransaction, operator: Subject) => Promise<boolean>,
): Promise<Accepted | undefined> {
  const invited = await openInvitation(ledger, secrets);
  if (!invited) return undefined;
  return inTransaction(ledger, async (tx) => {
    const operator = operatorSubject(invited.name);
    await lockOperator(tx, invited.name);
    // It may have been accepted or replaced meanwhile.
    if (!(await openInvitation(tx, secrets)) || !(await register(tx, operator))) return undefined;
    await tx.deleteFrom('operatorInvitations').where('operator', '=', invited.name).execute();
    const recoveryCodes = await makeRecoveryCodes(tx, operator);
    return { session: await createSession(tx, operator, source), recoveryCodes };
  });
}

function invitationsOf(ledger: Ledger, secret: string) {
  return ledger
    .selectFrom('operatorInvitations as i')
    .innerJoin('operators as o', 'o.name', 'i.operator')
    .where('i.hash', '=', hashSecret(secret))
    .where('i.expiresAt', '>', sql<Date>`now()`)
    .where('o.disabledAt', 'is', null);
}
