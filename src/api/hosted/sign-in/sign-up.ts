import { html } from 'hono/html';
import { beginSignUp } from '../../../ledger/accounts/sign-up.ts';
import { requireMail } from '../../../platform/mail.ts';
import { countMail } from './attempts.ts';
import { emailField, guessableProblem, nameField, newPasswordField, signUpForm, suggestedEmail } from './credentials.ts';
import { type FormState, renderFields, renderProblem } from '../fields.ts';
import { readForm } from '../read-form.ts';
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

/** `POST .../sign-up`: the address gets a code, whether it has an account or not. */
export async function submitSignUp(pageRequest: PageRequest) {
  const { context, deps, browser } = pageRequest;
  requireMail(deps.settings);
  const read = readForm(signUpForm, pageRequest.form);
  if ('problems' in read) return showSignUp(pageRequest, read, undefined, 400);
  const { name, email } = read.data;
  const values = { name, email };
  const guessable = await guessableProblem(pageRequest, read.data);
  if (guessable !== undefined) return showSignUp(pageRequest, { values, problems: { password: guessable } }, undefined, 400);
  const counted = await countMail(pageRequest, email);
  if ('tooMany' in counted) return showSignUp(pageRequest, { values, problems: {} }, counted.tooMany, 429);
  const { correlationId } = context.var;
  await beginSignUp(deps.ledger, deps.sealer, { ...read.data, ...counted, browserSecret: browser.secret, correlationId });
  return goTo('verify-email', pageRequest);
}
