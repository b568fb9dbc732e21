import { html } from 'hono/html';
import { z } from 'zod';
import { findWaiting, type WaitingForCode } from '../../../ledger/accounts/email-codes.ts';
import { beginReset, completeReset } from '../../../ledger/accounts/password-reset.ts';
import { type LowerAddress, shortAddresses } from '../../../platform/addresses.ts';
import { requireMail } from '../../../platform/mail.ts';
import { type FormState, renderFields, renderProblem } from '../fields.ts';
import { type PageRequest, goTo, pageUrl, renderForm, show } from '../page-request.ts';
import type { Html } from '../page.ts';
import { readForm } from '../read-form.ts';
import { signInSource } from '../sign-in-source.ts';
import { countMail } from './attempts.ts';
import {
  code,
  codeField,
  emailField,
  guessableProblem,
  newPassword,
  newPasswordField,
  renderMailed,
  resetForm,
  suggestedEmail,
} from './credentials.ts';

/** `GET .../reset-password`. */
export function showResetPassword(
  pageRequest: PageRequest,
  formState: FormState = { values: suggestedEmail(pageRequest), problems: {} },
  problem?: string,
  status?: 400 | 429,
) {
  const form = html`${renderProblem(problem)} ${renderFields([emailField], formState)} <button>Send me a code</button>`;
  const body = html`<p>We send a code to the email address of your account. With it you set a new password.</p>
    ${renderForm('reset-password', pageRequest, form)}
    <p><a href="${pageUrl('sign-in', pageRequest)}">Back to sign in</a></p>`;
  return show(pageRequest, { title: 'Set a new password', body, ...(status === undefined ? {} : { status }) });
}

/** `POST .../reset-password`: the address gets a mail, whether it has an account or not. */
export async function submitResetPassword(pageRequest: PageRequest) {
  const { context, deps, browser } = pageRequest;
  requireMail(deps.settings);
  const read = readForm(resetForm, pageRequest.form);
  if ('problems' in read) return showResetPassword(pageRequest, read, undefined, 400);
  const { email } = read.data;
  const counted = await countMail(pageRequest, email);
  if ('tooMany' in counted) return showResetPassword(pageRequest, { values: { email }, problems: {} }, counted.tooMany, 429);
  const { correlationId } = context.var;
  await beginReset(deps.ledger, deps.sealer, { ...counted, browserSecret: browser.secret, email, correlationId });
  return goTo('new-password', pageRequest);
}

const newPasswordForm = z.object({ code, password: newPassword });

/** `GET .../new-password`: asks for the code that was sent by mail, and for the new password. */
export async function showNewPassword(pageRequest: PageRequest): Promise<Response> {
  const waiting = await findWaiting(pageRequest.deps.ledger, pageRequest.browser.secret, 'reset');
  return waiting ? newPasswordPage(pageRequest, waiting, { values: {}, problems: {} }) : codeEnded(pageRequest);
}

/**
 * `POST .../new-password`: the right code sets the password. The user then signs in with it, on a browser that is as unknown as any other: whoever
 * reads the mailbox must not get a count of guesses of their own for the second factor.
 */
export async function submitNewPassword(pageRequest: PageRequest): Promise<Response> {
  const { browser, context, deps, form } = pageRequest;
  const waiting = await findWaiting(deps.ledger, browser.secret, 'reset');
  if (!waiting) return codeEnded(pageRequest);
  const read = readForm(newPasswordForm, form);
  if ('problems' in read) return newPasswordPage(pageRequest, waiting, read, 400);
  const { password } = read.data;
  const values = { code: read.data.code };
  const guessable = await guessableProblem(pageRequest, { email: waiting.email, name: '', password });
  if (guessable !== undefined) return newPasswordPage(pageRequest, waiting, { values, problems: { password: guessable } }, 400);
  const reset = { browserSecret: browser.secret, ...read.data, ...signInSource(context, deps.settings) };
  const completed = await completeReset(deps.ledger, deps.sealer, reset);
  if (completed === 'ended') return codeEnded(pageRequest);
  if (completed === 'wrong')
    return newPasswordPage(
      pageRequest,
      waiting,
      { values: {}, problems: { code: 'is wrong. Take the one of the newest mail, or ask for one again here.' } },
      400,
    );
  const body = html`<p>Your new password is valid, and you are signed out everywhere.</p>
    <p>All applications to which you gave access have lost it. Allow those again that you use.</p>
    ${renderAddresses(pageRequest, completed.addresses)}
    <p><a class="button" href="${pageUrl('sign-in', pageRequest)}">Sign in</a></p>`;
  return show(pageRequest, { title: 'Your password is set', body });
}

/** What a password did not end, and somebody who knew the old one may have added. */
function renderAddresses(pageRequest: PageRequest, addresses: LowerAddress[]): Html {
  if (addresses.length === 0) return html``;
  return html`<p>
    These addresses stay linked to your account, and whoever has the key of one may sign in as you:
    <span class="address">${shortAddresses(addresses)}</span>. Sign in and
    <a href="${pageUrl('addresses', pageRequest)}">remove any that is not yours</a>.
  </p>`;
}

function newPasswordPage(pageRequest: PageRequest, { email }: WaitingForCode, formState: FormState, status: 200 | 400 = 200) {
  const form = html`${renderFields([codeField, newPasswordField], formState)} <button>Set the password</button>`;
  const body = html`${renderMailed(email)} ${renderForm('new-password', pageRequest, form)}
    <p>No mail? <a href="${pageUrl('reset-password', pageRequest)}">Ask again</a></p>`;
  return show(pageRequest, { title: 'Set a new password', body, status });
}

function codeEnded(pageRequest: PageRequest): Response | Promise<Response> {
  const body = html`<p role="alert">No code is valid here any more: it was too old, or wrong too often, or it was used.</p>
    <p><a class="button" href="${pageUrl('reset-password', pageRequest)}">Ask for a new one</a></p>`;
  return show(pageRequest, { title: 'The code is no longer valid', body, status: 400 });
}
