import { html } from 'hono/html';
import { type AssertionError, finishAssertion, startAssertion } from '../../../ledger/access/factors/passkey-ceremonies.ts';
import { assertionTexts } from '../factors/check-factor.ts';
import { renderPasskeyForm } from '../factors/factor-forms.ts';
import { browserHash, relyingParty } from '../factors/relying-party.ts';
import { renderProblem } from '../fields.ts';
import { type PageRequest, pageUrl, show } from '../page-request.ts';
import { afterPasskey } from './complete-sign-in.ts';
import { renderPurpose } from './purpose.ts';

/** `GET .../passkey`: signs in by a passkey alone, which the device chooses. */
export async function showPasskey(pageRequest: PageRequest, problem?: string): Promise<Response> {
  const awaited = { holder: browserHash(pageRequest), purpose: 'sign-in' } as const;
  const options = await startAssertion(pageRequest.deps.ledger, relyingParty(pageRequest), awaited);
  const form = renderPasskeyForm('passkey', pageRequest, { ceremony: 'get', options, label: 'Use a passkey' });
  const body = html`${renderPurpose(pageRequest)} ${renderProblem(problem)}
    <p>Your device asks for your fingerprint, your face or its code.</p>
    ${form}
    <p><a href="${pageUrl('sign-in', pageRequest)}">Sign in with your password</a></p>`;
  return show(pageRequest, { title: 'Sign in with a passkey', body, withPasskey: true, status: problem === undefined ? 200 : 400 });
}

/**
 * `POST .../passkey`. The authenticator has verified its user, so no second factor is due. Attempts are not counted: nobody guesses a signature, and
 * a count could only lock out whoever shares the network address.
 */
export async function submitPasskey(pageRequest: PageRequest): Promise<Response> {
  const { form } = pageRequest;
  const assertion = { holder: browserHash(pageRequest), purpose: 'sign-in', kind: 'user', answer: form.get('answer') ?? '' } as const;
  const signed = await afterPasskey<AssertionError>(pageRequest, (tx) => finishAssertion(tx, relyingParty(pageRequest), assertion));
  return typeof signed === 'string' ? showPasskey(pageRequest, assertionTexts[signed]) : signed;
}
