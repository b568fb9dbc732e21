import { html } from 'hono/html';
import { forgetSignInAttempts } from '../../../ledger/access/sign-in-attempts.ts';
import { authenticateUser } from '../../../ledger/access/passwords.ts';
import { afterPassword } from './complete-sign-in.ts';
import { attemptSubjects, countAttempt } from './attempts.ts';
import { emailField, passwordField, signInForm, suggestedEmail } from './credentials.ts';
import { type FormState, renderFields, renderProblem } from '../fields.ts';
import { readForm } from '../read-form.ts';
import { type PageRequest, pageUrl, renderForm, show } from '../page-request.ts';
import { renderPurpose } from './purpose.ts';

/** `GET .../sign-in`. */
export function showSignIn(
  pageRequest: PageRequest,
  formState: FormState = { values: suggestedEmail(pageRequest), problems: {} },
  problem?: string,
  status?: 400 | 429,
) {
  const form = html`${renderProblem(problem)} ${renderFields([emailField, passwordField], formState)} <button>Sign in</button>`;
  const body = html`${renderPurpose(pageRequest)} ${renderForm('sign-in', pageRequest, form)}
    <p><a class="button secondary" href="${pageUrl('passkey', pageRequest)}">Sign in with a passkey</a></p>
    <p><a href="${pageUrl('reset-password', pageRequest)}">I do not know my password</a></p>
    <p>New here? <a href="${pageUrl('sign-up', pageRequest)}">Create an account</a></p>`;
  return show(pageRequest, { title: 'Sign in', body, ...(status === undefined ? {} : { status }) });
}

/** `POST .../sign-in`. */
export async function submitSignIn(pageRequest: PageRequest) {
  const read = readForm(signInForm, pageRequest.form);
  if ('problems' in read) return showSignIn(pageRequest, read, undefined, 400);
  const { email, password } = read.data;
  const formState = { values: { email }, problems: {} };
  const subjects = await attemptSubjects(pageRequest, email);
  const tooMany = await countAttempt(pageRequest, subjects);
  if (tooMany !== undefined) return showSignIn(pageRequest, formState, tooMany, 429);
  const wrong = () => showSignIn(pageRequest, formState, 'The email address or the password is wrong.', 400);
  const proof = await authenticateUser(pageRequest.deps.ledger, email, password);
  if (proof === undefined) return wrong();
  await forgetSignInAttempts(pageRequest.deps.ledger, subjects);
  return (await afterPassword(pageRequest, proof)) ?? wrong();
}
