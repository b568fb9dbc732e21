import { html } from 'hono/html';
import { type Consent, listConsents, revokeConsent } from '../../../ledger/access/consents.ts';
import type { SignedInUser } from '../../../ledger/access/sessions.ts';
import { isUuid } from '../../../platform/uuid.ts';
import type { Html } from '../page.ts';
import { type PageRequest, goTo, pageUrl, renderForm, show } from '../page-request.ts';
import { formatDay } from './format-day.ts';

/** `GET /account/applications`: which applications the user lets act for them. */
export async function showApplications(pageRequest: PageRequest, user: SignedInUser): Promise<Response> {
  const consents = await listConsents(pageRequest.deps.ledger, user.id);
  const body = html`<p>
      ${consents.length === 0 ? 'You have given no application access to your account.' : 'You have given these applications access to your account.'}
    </p>
    ${consents.map((consent) => renderConsent(pageRequest, consent))}
    <p><a href="${pageUrl('overview', pageRequest)}">Back to your account</a></p>`;
  return show(pageRequest, { title: 'Connected applications', body });
}

/** `POST /account/applications`: takes the access of one back, at once. */
export async function submitApplications(pageRequest: PageRequest, user: SignedInUser): Promise<Response> {
  const application = pageRequest.form.get('revoke') ?? '';
  if (isUuid(application)) await revokeConsent(pageRequest.deps.ledger, user.id, application);
  return goTo('applications', pageRequest);
}

function renderConsent(pageRequest: PageRequest, { application, name, permissions, grantedAt, lastUsedAt }: Consent): Html {
  const access = permissions.includes('write')
    ? 'It sees your account, may place orders that you sign, and may choose the address at which money to your IBANs arrives.'
    : 'It sees your account.';
  const use = lastUsedAt === null ? 'never used' : `last used ${formatDay(lastUsedAt)}`;
  return html`<section>
    <h2>${name}</h2>
    <p class="hint">${access} Since ${formatDay(grantedAt)}, ${use}.</p>
    ${renderForm('applications', pageRequest, html`<button class="link" name="revoke" value="${application}">Revoke the access of ${name}</button>`)}
  </section>`;
}
