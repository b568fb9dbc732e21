import { html } from 'hono/html';
import { z } from 'zod';
import { authenticateUser } from '../../../ledger/access/passwords.ts';
import type { SignedInUser } from '../../../ledger/access/sessions.ts';
import { forgetSignInAttempts } from '../../../ledger/access/sign-in-attempts.ts';
import { changePassword } from '../../../ledger/accounts/change-password.ts';
import { deviceSecret } from '../browser.ts';
import { type Field, type FormState, renderFields, renderProblem } from '../fields.ts';
import { type PageRequest, pageUrl, renderForm, show } from '../page-request.ts';
import { readForm } from '../read-form.ts';
import { attemptSubjects, countAttempt } from '../sign-in/attempts.ts';
import { guessableProblem, newPassword, newPasswordField, passwordField, signInForm } from '../sign-in/credentials.ts';
import { signInSource } from '../sign-in-source.ts';

const currentPasswordField: Field = { ...passwordField, name: 'currentPassword', label: 'Your password today' };
const fields = [currentPasswordField, { ...newPasswordField, label: 'Your new password' }];
const passwordForm = z.object({ currentPassword: signInForm.shape.password, password: newPassword });

/** `GET /account/password`. */
export function showPassword(pageRequest: PageRequest): Response | Promise<Response> {
  return passwordPage(pageRequest, { values: {}, problems: {} });
}

/** `POST /account/password`: with the password of today, so that nobody changes it who finds a browser signed in (OWASP ASVS 4, 2.1.6). */
export async function submitPassword(pageRequest: PageRequest, user: SignedInUser): Promise<Response> {
  const { context, deps, form } = pageRequest;
  const read = readForm(passwordForm, form);
  if ('problems' in read) return passwordPage(pageRequest, read, { status: 400 });
  const { currentPassword, password } = read.data;
  const guessable = await guessableProblem(pageRequest, { ...user, password });
  if (guessable !== undefined) return passwordPage(pageRequest, { values: {}, problems: { password: guessable } }, { status: 400 });
  const subjects = await attemptSubjects(pageRequest, user.email);
  const tooMany = await countAttempt(pageRequest, subjects);
  if (tooMany !== undefined) return passwordPage(pageRequest, { values: {}, problems: {} }, { status: 429, problem: tooMany });
  const wrong = () => passwordPage(pageRequest, { values: {}, problems: { currentPassword: 'is wrong' } }, { status: 400 });
  const proof = await authenticateUser(deps.ledger, user.email, currentPassword);
  if (proof?.subject.id !== user.id) return wrong();
  await forgetSignInAttempts(deps.ledger, subjects);
  const source = signInSource(context, deps.settings);
  const device = deviceSecret(context, deps.settings);
  if (!(await changePassword(deps.ledger, deps.sealer, { user, device, proof, password, source }))) return wrong();
  const body = html`<p>Your new password is valid, and you are signed out on all other browsers.</p>
    <p>
      Applications to which you gave access keep it. <a href="${pageUrl('applications', pageRequest)}">Look at them</a> if somebody else
      knew your password.
    </p>
    <p><a class="button" href="${pageUrl('overview', pageRequest)}">To your account</a></p>`;
  return show(pageRequest, { title: 'Your password is changed', body });
}

function passwordPage(
  pageRequest: PageRequest,
  formState: FormState,
  { status = 200, problem }: { status?: 200 | 400 | 429; problem?: string } = {},
): Response | Promise<Response> {
  const form = html`${renderProblem(problem)} ${renderFields(fields, formState)} <button>Change it</button>`;
  const body = html`${renderForm('password', pageRequest, form)}
    <p><a href="${pageUrl('overview', pageRequest)}">Back to your account</a></p>`;
  return show(pageRequest, { title: 'Change your password', body, status });
}
