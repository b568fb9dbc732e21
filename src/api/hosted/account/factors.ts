import { html } from 'hono/html';
import { countRecoveryCodes } from '../../../ledger/access/factors/recovery-codes.ts';
import { findSecondFactors, isDue } from '../../../ledger/access/factors/second-factors.ts';
import type { SignedInUser } from '../../../ledger/access/sessions.ts';
import { userSubject } from '../../../ledger/access/subject.ts';
import { type PageRequest, pageUrl, show } from '../page-request.ts';

/** `GET /account/factors`: what the user has besides the password. */
export async function showFactors(pageRequest: PageRequest, user: SignedInUser): Promise<Response> {
  const { ledger } = pageRequest.deps;
  const factors = await findSecondFactors(ledger, userSubject(user.id));
  const codes = await countRecoveryCodes(ledger, userSubject(user.id));
  const { passkeys, hasTotp } = factors;
  const link = (page: 'passkeys' | 'authenticator' | 'recovery-codes', text: string) =>
    html`<p><a href="${pageUrl(page, pageRequest)}">${text}</a></p>`;
  const body = html`<p>
      ${isDue(factors) ? 'After your password you are asked for one of these.' : 'Your password alone opens your account. Add something that nobody can copy.'}
    </p>
    <h2>Passkeys</h2>
    <p>
      ${passkeys === 0 ? 'None yet. A passkey signs you in without the password, and no other site can ask for it.' : countText(passkeys, 'passkey')}
    </p>
    ${link('passkeys', passkeys === 0 ? 'Add a passkey' : 'Look after your passkeys')}
    <h2>Authenticator app</h2>
    <p>${hasTotp ? 'Your app makes the codes.' : 'None. An app on your phone makes a code for each sign-in.'}</p>
    ${link('authenticator', hasTotp ? 'Remove it' : 'Set up an app')}
    ${
      isDue(factors)
        ? html`<h2>Recovery codes</h2>
            <p>
              ${codes === 0 ? 'None are left.' : `${countText(codes, 'code')} left, for the day on which you have lost everything else.`}
            </p>
            ${link('recovery-codes', 'Make new codes')}`
        : ''
    }
    <p><a href="${pageUrl('overview', pageRequest)}">Back to your account</a></p>`;
  return show(pageRequest, { title: 'Passkeys and second factors', body });
}

function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
