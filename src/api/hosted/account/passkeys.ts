import { html } from 'hono/html';
import { z } from 'zod';
import { finishRegistration, registrationTexts, startRegistration } from '../../../ledger/access/factors/passkey-ceremonies.ts';
import { type Passkey, listPasskeys, maxPasskeys } from '../../../ledger/access/factors/passkeys.ts';
import { removeFactor } from '../../../ledger/access/factors/second-factors.ts';
import { inOpenSession, type SignedInUser } from '../../../ledger/access/sessions.ts';
import { userSubject } from '../../../ledger/access/subject.ts';
import * as input from '../../../wire/input-fields.ts';
import { announceFactor } from '../factors/announce-factor.ts';
import { isUuid } from '../../../platform/uuid.ts';
import { renderPasskeyForm } from '../factors/factor-forms.ts';
import { browserHash, relyingParty } from '../factors/relying-party.ts';
import { type Field, type FormState, renderFields, renderProblem } from '../fields.ts';
import type { Html } from '../page.ts';
import { type PageRequest, goTo, pageUrl, renderForm, show } from '../page-request.ts';
import { readForm } from '../read-form.ts';
import { formatDay } from './format-day.ts';
import { showFirstRecoveryCodes } from './recovery-codes.ts';

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

const nameField: Field = { name: 'name', label: 'Name', autocomplete: 'off', hint: 'Such as the device that keeps it.' };

const nameForm = z.object({ name: input.text(60).refine((name) => name.trim() !== '', 'is required') });

/** `GET /account/add-passkey`. */
export async function showAddPasskey(
  pageRequest: PageRequest,
  user: SignedInUser,
  { formState, problem }: { formState?: FormState; problem?: string } = {},
): Promise<Response> {
  const registrant = { subject: userSubject(user.id), handle: user.id, account: user.email, name: user.name };
  const holder = browserHash(pageRequest);
  const options = await startRegistration(pageRequest.deps.ledger, relyingParty(pageRequest), { holder, registrant });
  const fields = renderFields([nameField], formState ?? { values: {}, problems: {} });
  const form = renderPasskeyForm('add-passkey', pageRequest, { ceremony: 'create', options, label: 'Add it', fields });
  const body = html`<p>Your device keeps the passkey, and asks for your fingerprint, your face or its code whenever you use it.</p>
    ${renderProblem(problem)} ${form}
    <p><a href="${pageUrl('passkeys', pageRequest)}">Back</a></p>`;
  return show(pageRequest, { title: 'Add a passkey', body, withPasskey: true, status: formState === undefined ? 200 : 400 });
}

/** `POST /account/add-passkey`: registers the passkey that the browser has made. */
export async function submitAddPasskey(pageRequest: PageRequest, user: SignedInUser): Promise<Response> {
  const { deps, form } = pageRequest;
  const read = readForm(nameForm, form);
  if ('problems' in read) return showAddPasskey(pageRequest, user, { formState: read });
  const answer = form.get('answer') ?? '';
  const registration = { holder: browserHash(pageRequest), subject: userSubject(user.id), name: read.data.name, answer };
  const added = await inOpenSession(deps.ledger, user, async (tx) => {
    const result = await finishRegistration(tx, relyingParty(pageRequest), registration);
    if (result === 'added') await announceFactor(tx, pageRequest, { email: user.email, change: 'passkey-added' });
    return result;
  });
  if (added === undefined) return goTo('sign-in', pageRequest);
  if (added !== 'added')
    return showAddPasskey(pageRequest, user, { formState: { values: read.data, problems: {} }, problem: registrationTexts[added] });
  return (await showFirstRecoveryCodes(pageRequest, user)) ?? goTo('passkeys', pageRequest);
}
