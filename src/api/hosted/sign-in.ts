import { html } from 'hono/html';
import { forgetSignInAttempts } from '../../ledger/access/sign-in-attempts.ts';
import { authenticateUser } from '../../ledger/access/passwords.ts';
import { signIn } from './browser.ts';
import { emailField, passwordField, readForm, signInForm, suggestedEmail, countAttempt } from './credentials.ts';
import { type Filled, renderFields, renderProblem } from './fields.ts';
import { nextPage } from './steps.ts';
import { type Visit, goTo, pageUrl, renderForm, show } from './visit.ts';

/** `GET /authorize/sign-in`. */
export function showSignIn(
  visit: Visit,
  filled: Filled = { values: suggestedEmail(visit), problems: {} },
  problem?: string,
  status?: 400 | 429,
) {
  const form = html`${renderProblem(problem)} ${renderFields([emailField, passwordField], filled)} <button>Sign in</button>`;
  const body = html`<p>to continue to <strong>${visit.request.client.name}</strong></p>
    ${renderForm('sign-in', visit, form)}
    <p>New here? <a href="${pageUrl('sign-up', visit)}">Create an account</a></p>`;
  return show(visit, { title: 'Sign in', body, ...(status === undefined ? {} : { status }) });
}

/** `POST /authorize/sign-in`. */
export async function submitSignIn(visit: Visit) {
  const read = readForm(signInForm, visit.form);
  if ('problems' in read) return showSignIn(visit, read, undefined, 400);
  const { email, password } = read.data;
  const filled = { values: { email }, problems: {} };
  const account = { kind: 'account', name: email } as const;
  const tooMany = await countAttempt(visit, account);
  if (tooMany !== undefined) return showSignIn(visit, filled, tooMany, 429);
  const user = await authenticateUser(visit.deps.ledger, email, password);
  if (user === undefined) return showSignIn(visit, filled, 'The email address or the password is wrong.', 400);
  await forgetSignInAttempts(visit.deps.ledger, account);
  await signIn(visit.context, visit.deps, user);
  return goTo(await nextPage(visit, user), visit);
}
