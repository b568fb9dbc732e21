import { html } from 'hono/html';
import { issueCode } from '../../ledger/access/authorization-codes.ts';
import type { SignedInUser } from '../../ledger/access/sessions.ts';
import type { Permission } from '../../ledger/tables.ts';
import { baseUrl } from '../../platform/settings.ts';
import { type AuthorizationAnswer, clientRedirect } from '../oauth/client-redirect.ts';
import type { Html } from './page.ts';
import { type Visit, renderForm, show } from './visit.ts';
import { inTransaction } from '../../ledger/ledger.ts';

const readAccess = [
  'your name and email address',
  'your profile and the state of its verification',
  'your linked addresses and their balances',
  'your IBANs',
  'your orders and payments with their counterparts',
];

const writeAccess = ['link addresses that you prove to own', 'request IBANs for you', 'place the orders that you sign with your wallet'];

/** `GET /authorize/consent`: names the application and the access that it requests. */
export function showConsent(visit: Visit, user: SignedInUser) {
  const { client } = visit.request;
  const decision = html`<button name="decision" value="allow">Allow</button>
    <button name="decision" value="deny" class="secondary">Cancel</button>`;
  const body = html`<p><strong>${client.name}</strong> asks for access to your account.</p>
    <h2>It will see</h2>
    ${list(readAccess)}
    ${
      client.permissions.includes('write')
        ? html`<h2>It may</h2>
            ${list(writeAccess)}`
        : html`<p>It cannot change anything or move money.</p>`
    }
    ${renderPolicies(client)}
    <p class="hint">You will be sent to <span class="address">${destination(visit.request.redirectUri)}</span>.</p>
    ${renderForm('consent', visit, decision)}
    ${renderForm('sign-out', visit, html`<p>Signed in as ${user.email}. <button class="link">Use another account</button></p>`)}`;
  return show(visit, { title: `Allow ${client.name}?`, body });
}

/** `POST /authorize/consent`: redirects to the application, with a code or an error (RFC 9700, section 4.12: by 303). */
export async function submitConsent(visit: Visit, user: SignedInUser): Promise<Response> {
  const { request, deps, context, form } = visit;
  const answer = form.get('decision') === 'allow' ? { code: await grant(visit, user, request.client.permissions) } : denied;
  return context.redirect(clientRedirect(request, baseUrl(deps.settings), answer), 303);
}

const denied: AuthorizationAnswer = { error: 'access_denied', description: 'The user did not allow it' };

async function grant({ deps, request }: Visit, user: SignedInUser, permissions: Permission[]): Promise<string> {
  const { client, redirectUri, codeChallenge } = request;
  return inTransaction(deps.ledger, (tx) =>
    issueCode(tx, {
      user: user.id,
      application: client.id,
      permissions,
      redirectUri,
      codeChallenge,
      method: 'password',
      subject: user.email,
    }),
  );
}

function list(items: readonly string[]): Html {
  return html`<ul>
    ${items.map((item) => html`<li>${item}</li>`)}
  </ul>`;
}

function renderPolicies({ name, privacyPolicyUrl, termsUrl }: Visit['request']['client']): Html {
  const links = [
    ...(privacyPolicyUrl === null ? [] : [html`<a href="${privacyPolicyUrl}" rel="noopener" target="_blank">privacy policy</a>`]),
    ...(termsUrl === null ? [] : [html`<a href="${termsUrl}" rel="noopener" target="_blank">terms of service</a>`]),
  ];
  const [first, second] = links;
  if (first === undefined) return html``;
  return html`<p>How ${name} uses your data is described in its ${first}${second === undefined ? '' : html` and its ${second}`}.</p>`;
}

/** The part of the redirect URI that a user can recognise: its host. */
function destination(redirectUri: string): string {
  const url = URL.parse(redirectUri);
  return url === null || url.host === '' ? redirectUri : url.host;
}
