import { html } from 'hono/html';
import { recordProof } from '../../../ledger/access/factors/recent-proofs.ts';
import { authenticateUser } from '../../../ledger/access/passwords.ts';
import type { SignedInUser } from '../../../ledger/access/sessions.ts';
import { type AttemptSubject, forgetSignInAttempts } from '../../../ledger/access/sign-in-attempts.ts';
import { userSubject } from '../../../ledger/access/subject.ts';
import { checkFactor, readFactorMethod } from '../factors/check-factor.ts';
import { renderFactorForms } from '../factors/factor-forms.ts';
import { renderFields, renderProblem } from '../fields.ts';
import { type PageRequest, goTo, renderForm, show } from '../page-request.ts';
import { attemptSubjects, countAttempt, factorSubjects } from '../sign-in/attempts.ts';
import { passwordField } from '../sign-in/credentials.ts';
import type { ProvenPage } from '../signed-in.ts';

const accountPages: readonly string[] = [
  'passkeys',
  'add-passkey',
  'authenticator',
  'recovery-codes',
  'address',
  'addresses',
] satisfies ProvenPage[];

/** `GET .../prove`: asks for the password or a factor before a change of how the user signs in. */
export function showProve(pageRequest: PageRequest, user: SignedInUser): Promise<Response> {
  return provePage(pageRequest, user, new URL(pageRequest.context.req.url).searchParams.get('next'));
}

/** `POST .../prove`: goes on to the page that asked for the proof. */
export async function submitProve(pageRequest: PageRequest, user: SignedInUser): Promise<Response> {
  const { deps, form } = pageRequest;
  const next = form.get('next');
  const method = readFactorMethod(form);
  const subjects: AttemptSubject[] =
    method === undefined ? await attemptSubjects(pageRequest, user.email) : await factorSubjects(pageRequest, user.email, method);
  const tooMany = await countAttempt(pageRequest, subjects);
  if (tooMany !== undefined) return provePage(pageRequest, user, next, { problem: tooMany, status: 429 });
  const problem =
    method === undefined
      ? await checkPassword(pageRequest, user)
      : await checkFactor(pageRequest, { subject: userSubject(user.id), email: user.email, method, purpose: 'proof' });
  if (problem !== undefined) return provePage(pageRequest, user, next, { problem, status: 400 });
  await forgetSignInAttempts(deps.ledger, subjects);
  await recordProof(deps.ledger, user.session);
  // Below `/authorize` no other page asks for a proof.
  if (pageRequest.request !== undefined) return goTo('address', pageRequest);
  return goTo(next !== null && accountPages.includes(next) ? (next as ProvenPage) : 'factors', pageRequest);
}

async function checkPassword({ deps, form }: PageRequest, { id, email }: SignedInUser): Promise<string | undefined> {
  const proved = await authenticateUser(deps.ledger, email, form.get('password') ?? '');
  return proved?.subject.id === id ? undefined : 'The password is wrong.';
}

async function provePage(
  pageRequest: PageRequest,
  user: SignedInUser,
  next: string | null,
  { problem, status = 200 }: { problem?: string; status?: 200 | 400 | 429 } = {},
): Promise<Response> {
  const hidden = html`<input type="hidden" name="next" value="${next ?? ''}" />`;
  const { content, withPasskey } = await renderFactorForms('prove', pageRequest, {
    subject: userSubject(user.id),
    purpose: 'proof',
    hidden,
  });
  const password = html`${hidden} ${renderFields([passwordField], { values: {}, problems: {} })}
    <button class="secondary">Continue with your password</button>`;
  const body = html`<p>Nobody else may change how you sign in. Prove that it is you, ${user.email}.</p>
    ${renderProblem(problem)} ${content} ${renderForm('prove', pageRequest, password)}`;
  return show(pageRequest, { title: 'Is it you?', body, withPasskey, status });
}
