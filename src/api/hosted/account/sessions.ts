import { html } from 'hono/html';
import { endSessionsOf, listSessions, type Session, type SignedInUser } from '../../../ledger/access/sessions.ts';
import { isUuid } from '../../../platform/uuid.ts';
import type { Html } from '../page.ts';
import { type PageRequest, goTo, pageUrl, renderForm, show } from '../page-request.ts';

/** `GET /account/sessions`: the browsers on which the user is signed in. */
export async function showSessions(pageRequest: PageRequest, user: SignedInUser): Promise<Response> {
  const sessions = await listSessions(pageRequest.deps.ledger, user.id);
  const everywhere = html`<button name="end" value="others" class="secondary">Sign out on all other browsers</button>
    <button name="end" value="all" class="secondary">Sign out everywhere</button>`;
  const body = html`${sessions.map((session) => renderSession(pageRequest, session, session.id === user.session))}
    ${renderForm('sessions', pageRequest, everywhere)}
    <p class="hint">
      If you do not recognise one, sign out everywhere and <a href="${pageUrl('password', pageRequest)}">change your password</a>.
    </p>
    <p><a href="${pageUrl('overview', pageRequest)}">Back to your account</a></p>`;
  return show(pageRequest, { title: 'Where you are signed in', body });
}

/** `POST /account/sessions`: ends one session, all others, or all. */
export async function submitSessions(pageRequest: PageRequest, user: SignedInUser): Promise<Response> {
  const { ledger } = pageRequest.deps;
  const end = pageRequest.form.get('end') ?? '';
  if (end === 'all') await endSessionsOf(ledger, user.id);
  else if (end === 'others') await endSessionsOf(ledger, user.id, { kept: user.session });
  else if (isUuid(end)) await endSessionsOf(ledger, user.id, { id: end });
  const isSignedOut = end === 'all' || end === user.session;
  return goTo(isSignedOut ? 'sign-in' : 'sessions', pageRequest);
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
