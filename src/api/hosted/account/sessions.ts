import { html } from 'hono/html';
import { endSessionsOf, listSessions, type Session, type SignedInUser } from '../../../ledger/access/sessions.ts';
import { signOutEverywhere } from '../../../ledger/access/sign-out.ts';
import { userSubject } from '../../../ledger/access/subject.ts';
import { revokeGrantsOf } from '../../../ledger/access/token-revocation.ts';
import { endHostedRequests } from '../../../ledger/customers/release-address.ts';
import { type Ledger, inTransaction } from '../../../ledger/ledger.ts';
import { isUuid } from '../../../platform/uuid.ts';
import type { Html } from '../page.ts';
import { type PageRequest, goTo, pageUrl, renderForm, show } from '../page-request.ts';

/** `GET /account/sessions`: the browsers on which the user is signed in. */
export async function showSessions(pageRequest: PageRequest, user: SignedInUser): Promise<Response> {
  const sessions = await listSessions(pageRequest.deps.ledger, userSubject(user.id));
  const everywhere = html`<button name="end" value="others" class="secondary">Sign out on all other browsers</button>
    <button name="end" value="all" class="secondary">Sign out everywhere</button>
    <button name="end" value="all-and-applications" class="secondary">Sign out everywhere, and end the access of all applications</button>`;
  const body = html`${sessions.map((session) => renderSession(pageRequest, session, session.id === user.session))}
    ${renderForm('sessions', pageRequest, everywhere)}
    <p class="hint">
      If you do not recognise one, <a href="${pageUrl('password', pageRequest)}">change your password</a>, then sign out everywhere and end
      the access of all applications: <a href="${pageUrl('applications', pageRequest)}">those that you have allowed</a> act for you without
      a browser, and keep their access otherwise. Then look at <a href="${pageUrl('addresses', pageRequest)}">your addresses</a>: whoever
      has the key of one may sign in as you.
    </p>
    <p><a href="${pageUrl('overview', pageRequest)}">Back to your account</a></p>`;
  return show(pageRequest, { title: 'Where you are signed in', body });
}

/** `POST /account/sessions`: ends one session, all others, or all, and with all of them the access of applications if the user wants that. */
export async function submitSessions(pageRequest: PageRequest, user: SignedInUser): Promise<Response> {
  const { ledger } = pageRequest.deps;
  const end = pageRequest.form.get('end') ?? '';
  if (end === 'all') await endSessionsOf(ledger, userSubject(user.id));
  else if (end === 'all-and-applications') await endAllAccess(ledger, user.id);
  else if (end === 'others') await endSessionsOf(ledger, userSubject(user.id), { kept: user.session });
  else if (isUuid(end)) await endSessionsOf(ledger, userSubject(user.id), { id: end });
  const isSignedOut = end.startsWith('all') || end === user.session;
  return goTo(isSignedOut ? 'sign-in' : 'sessions', pageRequest);
}

/** Ends whatever acts for a user by a sign-in: sessions with what they have left waiting, sign-ins that wait, known devices, consents and their tokens. */
async function endAllAccess(ledger: Ledger, user: string): Promise<void> {
  await inTransaction(ledger, async (tx) => {
    await signOutEverywhere(tx, user);
    await endHostedRequests(tx, user);
    await revokeGrantsOf(tx, user);
  });
}

function renderSession(pageRequest: PageRequest, { id, browser, network, createdAt, lastUsedAt }: Session, isCurrent: boolean): Html {
  return html`<section>
    <h2>${browser}${isCurrent ? ' (this one)' : ''}</h2>
    <p class="hint">From ${network}. Signed in ${formatTime(createdAt)}, last used ${formatTime(lastUsedAt)}.</p>
    ${renderForm('sessions', pageRequest, html`<button name="end" value="${id}" class="link">Sign out</button>`)}
  </section>`;
}

function formatTime(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
