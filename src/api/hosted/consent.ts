import { html } from 'hono/html';
import { issueCode } from '../../ledger/access/authorization-codes.ts';
import { type SignedInUser, inOpenSession } from '../../ledger/access/sessions.ts';
import { baseUrl } from '../../platform/settings.ts';
import type { AuthorizationRequest } from '../oauth/authorization-request.ts';
import { type AuthorizationAnswer, clientRedirect } from '../oauth/client-redirect.ts';
import type { Html } from './page.ts';
import { type PageRequest, type Pages, authorizationOf, goTo, renderForm, show } from './page-request.ts';
import { signedIn } from './signed-in.ts';
import type { Ledger } from '../../ledger/ledger.ts';

const readAccess = [
  'your name and email address',
  'your profile and the state of its verification',
  'your linked addresses and their balances',
  'your IBANs',
  'your orders and payments with their counterparts',
];

const writeAccess = [
  'link addresses that somebody proves to own, also addresses that are not yours',
  'request IBANs for you, and choose the address at which money to your IBANs arrives: whoever owns that address owns the money',
  'place the orders that you sign with your wallet',
];

/** The page on which a user allows an application's request. It is mounted below `/authorize` only. */
export const consentPages: Pages = { consent: { show: signedIn(showConsent), submit: signedIn(submitConsent) } };

/** `GET /authorize/consent`: names the application and the access that it requests. */
function showConsent(pageRequest: PageRequest, user: SignedInUser) {
  const { client, redirectUri } = authorizationOf(pageRequest);
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
    <p class="hint">You will be sent to <span class="address">${destination(redirectUri)}</span>.</p>
    ${renderForm('consent', pageRequest, decision)}
    ${renderForm('sign-out', pageRequest, html`<p>Signed in as ${user.email}. <button class="link">Use another account</button></p>`)}`;
  return show(pageRequest, { title: `Allow ${client.name}?`, body });
}

/** `POST /authorize/consent`: redirects to the application, with a code or an error (RFC 9700, section 4.12: by 303). */
async function submitConsent(pageRequest: PageRequest, user: SignedInUser): Promise<Response> {
  const { deps, context, form } = pageRequest;
  const request = authorizationOf(pageRequest);
  if (form.get('decision') !== 'allow') return context.redirect(clientRedirect(request, baseUrl(deps.settings), denied), 303);
  const code = await grant(deps.ledger, request, user);
  if (code === undefined) return goTo('sign-in', pageRequest);
  return context.redirect(clientRedirect(request, baseUrl(deps.settings), { code }), 303);
}

const denied: AuthorizationAnswer = { error: 'access_denied', description: 'The user did not allow it' };

/** Issues a code; `undefined` when the session has ended meanwhile, because a reset of the password must leave no access behind. */
async function grant(
  ledger: Ledger,
  { client, redirectUri, codeChallenge }: AuthorizationRequest,
  user: SignedInUser,
): Promise<string | undefined> {
  return inOpenSession(ledger, user, (tx) =>
    issueCode(tx, {
      user: user.id,
      application: client.id,
      permissions: client.permissions,
      redirectUri,
      codeChallenge,
      proof: { method: 'password', subject: user.email },
    }),
  );
}

function list(items: readonly string[]): Html {
  return html`<ul>
    ${items.map((item) => html`<li>${item}</li>`)}
  </ul>`;
}

function renderPolicies({ name, privacyPolicyUrl, termsUrl }: AuthorizationRequest['client']): Html {
  const links = [
    ...(privacyPolicyUrl === null ? [] : [html`<a href="${privacyPolicyUrl}" rel="noopener" target="_blank">privacy policy</a>`]),
    ...(termsUrl === null ? [] : [html`<a href="${termsUrl}" rel="noopener" target="_blank">terms of service</a>`]),
  ];
  const [firstLink, secondLink] = links;
  if (firstLink === undefined) return html``;
  return html`<p>
    How ${name} uses your data is described in its ${firstLink}${secondLink === undefined ? '' : html` and its ${secondLink}`}.
  </p>`;
}

/** The part of the redirect URI that a user can recognise: the host of a page, and all of what starts an app. */
function destination(redirectUri: string): string {
  const url = URL.parse(redirectUri);
  return url === null || url.origin === 'null' ? redirectUri : url.host;
}
