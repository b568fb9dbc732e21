import { StopError } from '../../platform/errors.ts';
import { listPasskeys, type Passkey } from '../access/factors/passkeys.ts';
import { isRecentlyProved } from '../access/factors/recent-proofs.ts';
import { countRecoveryCodes } from '../access/factors/recovery-codes.ts';
import { removeFactor } from '../access/factors/second-factors.ts';
import { hasTotp } from '../access/factors/totp-seeds.ts';
import { hasPassword } from '../access/passwords.ts';
import { endSessionsOf } from '../access/sessions.ts';
import { operatorSubject, type Subject } from '../access/subject.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { lockOperator } from './operators.ts';
import type { SignedInOperator } from './sessions.ts';

/** What an operator signs in with. */
export interface OwnFactors {
  hasPassword: boolean;
  hasApp: boolean;
  /** How many recovery codes are left. */
  recoveryCodes: number;
  passkeys: Pick<Passkey, 'id' | 'name' | 'createdAt' | 'lastUsedAt'>[];
}

/** Reads what an operator signs in with. */
export async function readFactors(ledger: Ledger, operator: Subject): Promise<OwnFactors> {
  const passkeys = await listPasskeys(ledger, operator);
  return {
    hasPassword: await hasPassword(ledger, operator),
    hasApp: await hasTotp(ledger, operator),
    recoveryCodes: await countRecoveryCodes(ledger, operator),
    passkeys: passkeys.map(({ id, name, createdAt, lastUsedAt }) => ({ id, name, createdAt, lastUsedAt })),
  };
}

/**
 * Changes what an operator signs in with, in one transaction, and ends their other sessions. Throws `proof_required`, and what `change` throws.
 */
export async function changeFactors<Result>(
  ledger: Ledger,
  operator: SignedInOperator,
  change: (tx: LedgerTransaction, subject: Subject) => Promise<Result>,
): Promise<Result> {
  return withProof(ledger, operator, async (tx, subject) => {
    const result = await change(tx, subject);
    await endSessionsOf(tx, subject, { kept: operator.session });
    return result;
  });
}

/**
 * Does something in one transaction for an operator who has just proven that they have what they sign in with now: a stolen session alone does nothing of it.
 * Throws `proof_required`, and what `work` throws.
 */
export async function withProof<Result>(
  ledger: Ledger,
  operator: SignedInOperator,
  work: (tx: LedgerTransaction, subject: Subject) => Promise<Result>,
): Promise<Result> {
  return inTransaction(ledger, async (tx) => {
    const { name } = await lockOperator(tx, operator.name);
    if (!(await isRecentlyProved(tx, operator.session, 'operator')))
      throw new StopError({ code: 'proof_required', message: 'Prove first that it is you, by what you sign in with now' });
    return work(tx, operatorSubject(name));
  });
}

/** Throws `invalid_request` for an operator without an app: a password alone never signs in. */
export async function requireApp(tx: LedgerTransaction, operator: Subject): Promise<void> {
  if (await hasTotp(tx, operator)) return;
  const fields = { password: 'takes an authenticator app besides: set one up first' };
  throw new StopError({ code: 'invalid_request', message: 'Validation errors', fields });
}

/** Removes a passkey of an operator, who signs in with something else from then on. Throws `not_possible`. */
export async function removeOwnPasskey(tx: LedgerTransaction, operator: Subject, id: string): Promise<void> {
  const { hasPassword, hasApp, passkeys } = await readFactors(tx, operator);
  if (!(hasPassword && hasApp) && passkeys.every((passkey) => passkey.id === id))
    throw new StopError({
      code: 'not_possible',
      message: 'You sign in with nothing else: add another passkey first, or an app and a password',
    });
  await removeFactor(tx, operator, { passkey: id });
}
