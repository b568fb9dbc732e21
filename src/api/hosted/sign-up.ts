import { html } from 'hono/html';
import { signUp } from '../../ledger/customers/authorization-sign-up.ts';
import { signIn } from './browser.ts';
import { emailField, nameField, newPasswordField, readForm, signUpForm, suggestedEmail, countAttempt } from './credentials.ts';
import { type Filled, renderFields, renderProblem } from './fields.ts';
import { nextPage } from './steps.ts';
import { type Visit, goTo, pageUrl, renderForm, show } from './visit.ts';

/** `GET /authorize/sign-up`. */
export function showSignUp(
  visit: Visit,
  filled: Filled = { values: suggestedEmail(visit), problems: {} },
  problem?: string,
  status?: 400 | 429,
) {
  const form = html`${renderProblem(problem)} ${renderFields([nameField, emailField, newPasswordField], filled)}
    <button>Create account</button>`;
  const body = html`<p>to continue to <strong>${visit.request.client.name}</strong></p>
    ${renderForm('sign-up', visit, form)}
    <p>Do you have an account? <a href="${pageUrl('sign-in', visit)}">Sign in</a></p>`;
  return show(visit, { title: 'Create an account', body, ...(status === undefined ? {} : { status }) });
}

/** `POST /authorize/sign-up`. */
export async function submitSignUp(visit: Visit) {
  const read = readForm(signUpForm, visit.form);
  if ('problems' in read) return showSignUp(visit, read, undefined, 400);
  const { name, email } = read.data;
  const values = { name, email };
  const tooMany = await countAttempt(visit);
  if (tooMany !== undefined) return showSignUp(visit, { values, problems: {} }, tooMany, 429);
  const user = await signUp(visit.deps.ledger, read.data);
  if (user === undefined) {
    const problems = { email: 'belongs to an account already: sign in instead' };
    return showSignUp(visit, { values, problems }, undefined, 400);
  }
  await signIn(visit.context, visit.deps, user);
  return goTo(await nextPage(visit, user), visit);
}
