import { html } from 'hono/html';
import { signUp } from '../../../ledger/customers/authorization-sign-up.ts';
import { signIn } from '../browser.ts';
import { emailField, nameField, newPasswordField, signUpForm, signUpSubjects, suggestedEmail, countAttempt } from './credentials.ts';
import { type FormState, renderFields, renderProblem } from '../fields.ts';
import { readForm } from '../read-form.ts';
import { nextPage } from '../steps.ts';
import { type PageRequest, goTo, pageUrl, renderForm, show } from '../page-request.ts';
import { renderPurpose } from './purpose.ts';

/** `GET .../sign-up`. */
export function showSignUp(
  pageRequest: PageRequest,
  formState: FormState = { values: suggestedEmail(pageRequest), problems: {} },
  problem?: string,
  status?: 400 | 429,
) {
  const form = html`${renderProblem(problem)} ${renderFields([nameField, emailField, newPasswordField], formState)}
    <button>Create account</button>`;
  const body = html`${renderPurpose(pageRequest)} ${renderForm('sign-up', pageRequest, form)}
    <p>Do you have an account? <a href="${pageUrl('sign-in', pageRequest)}">Sign in</a></p>`;
  return show(pageRequest, { title: 'Create an account', body, ...(status === undefined ? {} : { status }) });
}

/** `POST .../sign-up`. */
export async function submitSignUp(pageRequest: PageRequest) {
  const read = readForm(signUpForm, pageRequest.form);
  if ('problems' in read) return showSignUp(pageRequest, read, undefined, 400);
  const { name, email } = read.data;
  const values = { name, email };
  const tooMany = await countAttempt(pageRequest, signUpSubjects(pageRequest));
  if (tooMany !== undefined) return showSignUp(pageRequest, { values, problems: {} }, tooMany, 429);
  const user = await signUp(pageRequest.deps.ledger, read.data);
  if (user === undefined) {
    const problems = { email: 'belongs to an account already: sign in instead' };
    return showSignUp(pageRequest, { values, problems }, undefined, 400);
  }
  await signIn(pageRequest.context, pageRequest.deps, user);
  return goTo(await nextPage(pageRequest, user), pageRequest);
}
