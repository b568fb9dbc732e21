import { html } from 'hono/html';
import { renderSVG } from 'uqr';
import { removeFactor } from '../../../ledger/access/factors/second-factors.ts';
import { findWaitingTotp, startTotp, useTotpCode } from '../../../ledger/access/factors/totp.ts';
import { hasTotp } from '../../../ledger/access/factors/totp-seeds.ts';
import { inOpenSession, type SignedInUser } from '../../../ledger/access/sessions.ts';
import { userSubject } from '../../../ledger/access/subject.ts';
import { announceFactor } from '../factors/announce-factor.ts';
import { codeField } from '../factors/factor-forms.ts';
import { renderFields } from '../fields.ts';
import { type PageRequest, goTo, pageUrl, renderForm, show } from '../page-request.ts';
import { showFirstRecoveryCodes } from './recovery-codes.ts';

/** `GET /account/authenticator`: the seed for an app, as a QR code and as text, until a code has activated it; afterwards its removal. */
export async function showAuthenticator(pageRequest: PageRequest, user: SignedInUser): Promise<Response> {
  return (await hasTotp(pageRequest.deps.ledger, userSubject(user.id))) ? removalPage(pageRequest) : setUpPage(pageRequest, user);
}

/** `POST /account/authenticator`: activates the app by a code, or removes it. */
export async function submitAuthenticator(pageRequest: PageRequest, user: SignedInUser): Promise<Response> {
  const { deps, form } = pageRequest;
  if (form.has('remove')) {
    await inOpenSession(deps.ledger, user, async (tx) => {
      const isRemoved = await removeFactor(tx, userSubject(user.id), 'totp');
      if (isRemoved) await announceFactor(tx, pageRequest, { email: user.email, change: 'authenticator-removed' });
    });
    return goTo('factors', pageRequest);
  }
  const code = form.get('code') ?? '';
  const isActivated = await inOpenSession(deps.ledger, user, async (tx) => {
    const isRight = await useTotpCode(tx, deps.sealer, { subject: userSubject(user.id), code, activates: true });
    if (isRight) await announceFactor(tx, pageRequest, { email: user.email, change: 'authenticator-added' });
    return isRight;
  });
  if (isActivated === undefined) return goTo('sign-in', pageRequest);
  if (!isActivated) return setUpPage(pageRequest, user, 'is not the one that the app shows now. Is the clock of your phone right?');
  return (await showFirstRecoveryCodes(pageRequest, user)) ?? goTo('factors', pageRequest);
}

async function setUpPage(pageRequest: PageRequest, user: SignedInUser, problem?: string): Promise<Response> {
  const { ledger, sealer, settings } = pageRequest.deps;
  const owner = { subject: userSubject(user.id), account: user.email, service: settings.serviceName };
  // Another request has activated an app meanwhile.
  if (await hasTotp(ledger, owner.subject)) return goTo('factors', pageRequest);
  const totp = (await findWaitingTotp(ledger, sealer, owner)) ?? (await inOpenSession(ledger, user, (tx) => startTotp(tx, sealer, owner)));
  if (totp === undefined) return goTo('sign-in', pageRequest);
  const image = `data:image/svg+xml;base64,${Buffer.from(renderSVG(totp.uri, { border: 2 })).toString('base64')}`;
  const problems: Record<string, string> = problem === undefined ? {} : { code: problem };
  const form = html`${renderFields([codeField], { values: {}, problems })} <button>Activate</button>`;
  const body = html`<p>Scan this with an authenticator app on your phone, and enter the code that it shows.</p>
    <p><img class="qr" src="${image}" alt="QR code of the key below" /></p>
    <p class="hint">Or type this key into the app: <span class="address">${totp.seed.match(/.{4}/g)?.join(' ')}</span></p>
    ${renderForm('authenticator', pageRequest, form)}
    <p><a href="${pageUrl('factors', pageRequest)}">Back</a></p>`;
  return show(pageRequest, { title: 'Set up an app', body, status: problem === undefined ? 200 : 400 });
}

function removalPage(pageRequest: PageRequest): Response | Promise<Response> {
  const body = html`<p>Your app makes a code for each sign-in. To use another app or another phone, remove this one first.</p>
    ${renderForm('authenticator', pageRequest, html`<button class="secondary" name="remove" value="yes">Remove it</button>`)}
    <p><a href="${pageUrl('factors', pageRequest)}">Back</a></p>`;
  return show(pageRequest, { title: 'Your authenticator app', body });
}
