import { html } from 'hono/html';
import { z } from 'zod';
import { findWaiting } from '../../../ledger/accounts/email-codes.ts';
import { beginSignUp, completeSignUp, repeatSignUpCode } from '../../../ledger/accounts/sign-up.ts';
import { requireMail } from '../../../platform/mail.ts';
import { signIn } from '../browser.ts';
import { nextPage } from '../steps.ts';
import { countMail } from './attempts.ts';
import {
  code,
  codeField,
  emailField,
  guessableProblem,
  nameField,
  newPasswordField,
  renderMailed,
  signUpForm,
  suggestedEmail,
} from './credentials.ts';
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

const codeForm = z.object({ code });

/** `GET .../verify-email`: asks for the code that was sent to the address of a sign-up. */
export async function showVerifyEmail(pageRequest: PageRequest, problem?: string, status?: 400 | 429): Promise<Response> {
  const waiting = await findWaiting(pageRequest.deps.ledger, pageRequest.browser.secret, 'sign-up');
  if (!waiting) return codeEnded(pageRequest);
  const form = html`${renderProblem(problem)} ${renderFields([codeField], { values: {}, problems: {} })} <button>Continue</button>`;
  const body = html`${renderPurpose(pageRequest)} ${renderMailed(waiting.email)} ${renderForm('verify-email', pageRequest, form)}
    ${renderForm('verify-email', pageRequest, html`<button name="again" value="yes" class="secondary">Send another mail</button>`)}
    <p>Is the address wrong? <a href="${pageUrl('sign-up', pageRequest)}">Begin again</a></p>`;
  return show(pageRequest, { title: 'Check your mail', body, ...(status === undefined ? {} : { status }) });
}

/** `POST .../verify-email`: the right code makes the user and signs them in. Asking for another code sends one to the same address. */
export async function submitVerifyEmail(pageRequest: PageRequest): Promise<Response> {
  if (pageRequest.form.has('again')) return sendAgain(pageRequest);
  const read = readForm(codeForm, pageRequest.form);
  if ('problems' in read) return showVerifyEmail(pageRequest, `${codeField.label} ${read.problems['code'] ?? 'is not valid'}`, 400);
  const { browser, context, deps } = pageRequest;
  const completed = await completeSignUp(deps.ledger, { browserSecret: browser.secret, code: read.data.code });
  if (completed === 'wrong')
    return showVerifyEmail(pageRequest, 'The code is wrong. Take the one of the newest mail, or ask for one again here.', 400);
  if (completed === 'taken') return goTo('sign-in', pageRequest);
  if (completed === 'ended') return codeEnded(pageRequest);
  await signIn(context, deps, completed.user, { isNewUser: true });
  return goTo(await nextPage(pageRequest, completed.user), pageRequest);
}

async function sendAgain(pageRequest: PageRequest): Promise<Response> {
  const { browser, context, deps } = pageRequest;
  const waiting = await findWaiting(deps.ledger, browser.secret, 'sign-up');
  if (waiting?.name == null || waiting.passwordHash === null) return codeEnded(pageRequest);
  const { email, name, passwordHash } = waiting;
  const counted = await countMail(pageRequest, email);
  if ('tooMany' in counted) return showVerifyEmail(pageRequest, counted.tooMany, 429);
  await repeatSignUpCode(deps.ledger, deps.sealer, {
    browserSecret: browser.secret,
    email,
    name,
    passwordHash,
    ...counted,
    correlationId: context.var.correlationId,
  });
  return goTo('verify-email', pageRequest);
}

function codeEnded(pageRequest: PageRequest): Response | Promise<Response> {
  const body = html`<p role="alert">No code is valid here any more: it was too old, or wrong too often, or it was used.</p>
    <p><a class="button" href="${pageUrl('sign-up', pageRequest)}">Begin again</a></p>
    <p><a href="${pageUrl('sign-in', pageRequest)}">Sign in</a></p>`;
  return show(pageRequest, { title: 'The code is no longer valid', body, status: 400 });
}
