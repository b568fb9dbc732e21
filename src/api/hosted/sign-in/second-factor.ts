import { html } from 'hono/html';
import { findPendingSignIn } from '../../../ledger/access/factors/pending-sign-ins.ts';
import { forgetSignInAttempts } from '../../../ledger/access/sign-in-attempts.ts';
import { userSubject } from '../../../ledger/access/subject.ts';
import { checkFactor, readFactorMethod } from '../factors/check-factor.ts';
import { renderFactorForms } from '../factors/factor-forms.ts';
import { browserHash } from '../factors/relying-party.ts';
import { renderProblem } from '../fields.ts';
import { type PageRequest, goTo, pageUrl, show } from '../page-request.ts';
import { afterFactor } from './complete-sign-in.ts';
import { countAttempt, factorSubjects } from './attempts.ts';

/** `GET .../second-factor`: after the right password, in the same browser. */
export async function showSecondFactor(pageRequest: PageRequest): Promise<Response> {
  const pending = await findPendingSignIn(pageRequest.deps.ledger, browserHash(pageRequest));
  return pending ? factorPage(pageRequest, pending.user) : goTo('sign-in', pageRequest);
}

/** `POST .../second-factor`. */
export async function submitSecondFactor(pageRequest: PageRequest): Promise<Response> {
  const { deps, form } = pageRequest;
  const pending = await findPendingSignIn(deps.ledger, browserHash(pageRequest));
  if (!pending) return goTo('sign-in', pageRequest);
  const { user, email } = pending;
  const method = readFactorMethod(form);
  if (method === undefined) return factorPage(pageRequest, user, 'Choose one of these.', 400);
  const subjects = await factorSubjects(pageRequest, email, method);
  const tooMany = await countAttempt(pageRequest, subjects);
  if (tooMany !== undefined) return factorPage(pageRequest, user, tooMany, 429);
  const problem = await checkFactor(pageRequest, { subject: userSubject(user), email, method, purpose: 'second-factor' });
  if (problem !== undefined) return factorPage(pageRequest, user, problem, 400);
  await forgetSignInAttempts(deps.ledger, subjects);
  return (await afterFactor(pageRequest, user)) ?? goTo('sign-in', pageRequest);
}

async function factorPage(pageRequest: PageRequest, user: string, problem?: string, status: 200 | 400 | 429 = 200): Promise<Response> {
  const { content, withPasskey } = await renderFactorForms('second-factor', pageRequest, {
    subject: userSubject(user),
    purpose: 'second-factor',
  });
  const body = html`<p>Your password is right. Now prove that it is you.</p>
    ${renderProblem(problem)} ${content}
    <p><a href="${pageUrl('sign-in', pageRequest)}">Sign in as somebody else</a></p>`;
  return show(pageRequest, { title: 'One more step', body, withPasskey, status });
}
