import { html } from 'hono/html';
import { countRecoveryCodes, makeRecoveryCodes } from '../../../ledger/access/factors/recovery-codes.ts';
import { inOpenSession, type SignedInUser } from '../../../ledger/access/sessions.ts';
import { userSubject } from '../../../ledger/access/subject.ts';
import { announceFactor } from '../factors/announce-factor.ts';
import { type PageRequest, goTo, pageUrl, renderForm, show } from '../page-request.ts';

/** `GET /account/recovery-codes`: offers new codes. */
export async function showRecoveryCodes(pageRequest: PageRequest, user: SignedInUser): Promise<Response> {
  const left = await countRecoveryCodes(pageRequest.deps.ledger, userSubject(user.id));
  const body = html`<p>Each code stands in once for a passkey or your app. ${left} of your codes are left.</p>
    <p>New codes replace them all.</p>
    ${renderForm('recovery-codes', pageRequest, html`<button>Make new codes</button>`)}
    <p><a href="${pageUrl('factors', pageRequest)}">Back</a></p>`;
  return show(pageRequest, { title: 'Recovery codes', body });
}

/** `POST /account/recovery-codes`: makes new codes and shows them, this once. */
export async function submitRecoveryCodes(pageRequest: PageRequest, user: SignedInUser): Promise<Response> {
  const codes = await inOpenSession(pageRequest.deps.ledger, user, async (tx) => {
    const made = await makeRecoveryCodes(tx, userSubject(user.id));
    await announceFactor(tx, pageRequest, { email: user.email, change: 'recovery-codes-made' });
    return made;
  });
  return codes ? showCodes(pageRequest, codes) : goTo('sign-in', pageRequest);
}

/** Shows the codes of a user who has just got a factor and has none yet; `undefined` when there are some. */
export async function showFirstRecoveryCodes(pageRequest: PageRequest, user: SignedInUser): Promise<Response | undefined> {
  const left = await countRecoveryCodes(pageRequest.deps.ledger, userSubject(user.id));
  if (left > 0) return undefined;
  const codes = await inOpenSession(pageRequest.deps.ledger, user, (tx) => makeRecoveryCodes(tx, userSubject(user.id)));
  return codes ? showCodes(pageRequest, codes) : goTo('sign-in', pageRequest);
}

function showCodes(pageRequest: PageRequest, codes: string[]): Response | Promise<Response> {
  const body = html`<p>Write these down, or print this page. Each code stands in once for a passkey or your app, when you have lost it.</p>
    <ul class="codes">
      ${codes.map((code) => html`<li>${code}</li>`)}
    </ul>
    <p class="hint">They are shown this once. Whoever has one of them and your password can sign in.</p>
    <p><a class="button" href="${pageUrl('factors', pageRequest)}">I have them</a></p>`;
  return show(pageRequest, { title: 'Your recovery codes', body });
}
