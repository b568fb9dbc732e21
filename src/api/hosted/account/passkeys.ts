import { html } from 'hono/html';
import { type Passkey, listPasskeys, maxPasskeys } from '../../../ledger/access/factors/passkeys.ts';
import { removeFactor } from '../../../ledger/access/factors/second-factors.ts';
import { inOpenSession, type SignedInUser } from '../../../ledger/access/sessions.ts';
import { userSubject } from '../../../ledger/access/subject.ts';
import { announceFactor } from '../factors/announce-factor.ts';
import { isUuid } from '../../../platform/uuid.ts';
import type { Html } from '../page.ts';
import { type PageRequest, goTo, pageUrl, renderForm, show } from '../page-request.ts';
import { formatDay } from './format-day.ts';

/** `GET /account/passkeys`: lists the user's passkeys. */
export async function showPasskeys(pageRequest: PageRequest, user: SignedInUser): Promise<Response> {
  const passkeys = await listPasskeys(pageRequest.deps.ledger, userSubject(user.id));
  const body = html`${passkeys.length === 0 ? html`<p>You have none yet.</p>` : ''}
    ${passkeys.map((passkey) => renderPasskey(pageRequest, passkey))}
    ${
      passkeys.length < maxPasskeys
        ? html`<p><a class="button" href="${pageUrl('add-passkey', pageRequest)}">Add a passkey</a></p>`
        : html`<p class="hint">You can have at most ${maxPasskeys}.</p>`
    }
    <p><a href="${pageUrl('factors', pageRequest)}">Back</a></p>`;
  return show(pageRequest, { title: 'Your passkeys', body });
}

/** `POST /account/passkeys`: removes one. */
export async function submitPasskeys(pageRequest: PageRequest, user: SignedInUser): Promise<Response> {
  const id = pageRequest.form.get('remove') ?? '';
  if (isUuid(id))
    await inOpenSession(pageRequest.deps.ledger, user, async (tx) => {
      const isRemoved = await removeFactor(tx, userSubject(user.id), { passkey: id });
      if (isRemoved) await announceFactor(tx, pageRequest, { email: user.email, change: 'passkey-removed' });
    });
  return goTo('passkeys', pageRequest);
}

function renderPasskey(pageRequest: PageRequest, { id, name, createdAt, lastUsedAt, isSynchronised }: Passkey): Html {
  const kind = isSynchronised ? 'On all devices of your account there.' : 'On one device.';
  return html`<section>
    <h2>${name}</h2>
    <p class="hint">${kind} Added ${formatDay(createdAt)}, ${lastUsedAt === null ? 'never used' : `last used ${formatDay(lastUsedAt)}`}.</p>
    ${renderForm('passkeys', pageRequest, html`<button class="link" name="remove" value="${id}">Remove ${name}</button>`)}
  </section>`;
}
