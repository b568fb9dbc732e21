import { endPendingSignIn, keepPendingSignIn } from '../../../ledger/access/factors/pending-sign-ins.ts';
import { findSecondFactors, isDue } from '../../../ledger/access/factors/second-factors.ts';
import { isCurrentPassword, type PasswordProof } from '../../../ledger/access/passwords.ts';
import type { Subject } from '../../../ledger/access/subject.ts';
import { inTransaction, type LedgerTransaction } from '../../../ledger/ledger.ts';
import { signIn } from '../browser.ts';
import { browserHash } from '../factors/relying-party.ts';
import { type PageRequest, goTo } from '../page-request.ts';
import { nextPage } from '../steps.ts';

/*
 * Each of these signs in in the transaction that holds what the user gave. So a new password, a reset of the factors or a sign-out everywhere
 * comes either before, and nobody is signed in, or after, and ends the session too.
 */

/**
 * Goes on after a right password: to the second factor of a user who has one, otherwise the user is signed in (docs/api.md, Second factors).
 * `undefined` when another password was set meanwhile.
 */
export async function afterPassword(pageRequest: PageRequest, proof: PasswordProof): Promise<Response | undefined> {
  const { subject } = proof;
  return inTransaction(pageRequest.deps.ledger, async (tx) => {
    if (!(await isCurrentPassword(tx, proof))) return undefined;
    if (!isDue(await findSecondFactors(tx, subject))) return completeSignIn(pageRequest, tx, subject.id);
    await keepPendingSignIn(tx, browserHash(pageRequest), subject.id);
    return goTo('second-factor', pageRequest);
  });
}

/** Signs a user in after the second factor; `undefined` when the password that came before it counts no more. */
export async function afterFactor(pageRequest: PageRequest, user: string): Promise<Response | undefined> {
  return inTransaction(pageRequest.deps.ledger, async (tx) => {
    if (!(await endPendingSignIn(tx, browserHash(pageRequest), user))) return undefined;
    return completeSignIn(pageRequest, tx, user);
  });
}

/** Signs in the user whom `check` finds by a passkey; otherwise returns why it finds nobody. */
export async function afterPasskey<Problem extends string>(
  pageRequest: PageRequest,
  check: (tx: LedgerTransaction) => Promise<Subject | Problem>,
): Promise<Response | Problem> {
  return inTransaction(pageRequest.deps.ledger, async (tx): Promise<Response | Problem> => {
    const checked = await check(tx);
    return typeof checked === 'string' ? checked : completeSignIn(pageRequest, tx, checked.id);
  });
}

/** Signs a user in who has given everything that is asked for. */
async function completeSignIn(pageRequest: PageRequest, tx: LedgerTransaction, user: string): Promise<Response> {
  const deps = { ...pageRequest.deps, ledger: tx };
  await endPendingSignIn(tx, browserHash(pageRequest), user);
  await signIn(pageRequest.context, deps, user);
  return goTo(await nextPage({ ...pageRequest, deps }, user), pageRequest);
}
