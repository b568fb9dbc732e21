import { html } from 'hono/html';
import { beginReset } from '../../../ledger/accounts/password-reset.ts';
import { requireMail } from '../../../platform/mail.ts';
import { type FormState, renderFields, renderProblem } from '../fields.ts';
import { type PageRequest, goTo, pageUrl, renderForm, show } from '../page-request.ts';
import { readForm } from '../read-form.ts';
import { countMail } from './attempts.ts';
import { emailField, resetForm, suggestedEmail } from './credentials.ts';

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
