import { endPendingSignIn, keepPendingSignIn } from '../../../ledger/access/factors/pending-sign-ins.ts';
import { findSecondFactors, isDue } from '../../../ledger/access/factors/second-factors.ts';
import { signIn } from '../browser.ts';
import { browserHash } from '../factors/relying-party.ts';
import { type PageRequest, goTo } from '../page-request.ts';
import { nextPage } from '../steps.ts';

/** Goes on after a right password: to the second factor of a user who has one, otherwise the user is signed in (docs/api.md, Second factors). */
export async function afterPassword(pageRequest: PageRequest, user: string): Promise<Response> {
  const { ledger } = pageRequest.deps;
  if (!isDue(await findSecondFactors(ledger, user))) return completeSignIn(pageRequest, user);
  await keepPendingSignIn(ledger, browserHash(pageRequest), user);
  return goTo('second-factor', pageRequest);
}

/** Signs a user in who has given everything that is asked for. */
export async function completeSignIn(pageRequest: PageRequest, user: string): Promise<Response> {
  await endPendingSignIn(pageRequest.deps.ledger, browserHash(pageRequest));
  await signIn(pageRequest.context, pageRequest.deps, user);
  return goTo(await nextPage(pageRequest, user), pageRequest);
}
