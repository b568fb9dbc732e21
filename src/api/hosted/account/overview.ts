import { html } from 'hono/html';
import type { SignedInUser } from '../../../ledger/access/sessions.ts';
import { findProfile } from '../../../ledger/customers/profile-sections.ts';
import type { ProfileState } from '../../../ledger/tables.ts';
import type { Html } from '../page.ts';
import { type PageName, type PageRequest, pageUrl, renderForm, show } from '../page-request.ts';
import { nextPage } from '../steps.ts';

/** `GET /account/overview`: who the user is, how far the onboarding is, and what comes next. */
export async function showOverview(pageRequest: PageRequest, user: SignedInUser): Promise<Response> {
  const profile = user.defaultProfile === null ? undefined : await findProfile(pageRequest.deps.ledger, user.defaultProfile);
  const next = await nextPage(pageRequest, user.id);
  const body = html`<p>${user.email}</p>
    <h2>Verification</h2>
    ${profile?.kind === 'corporate' ? html`<p>${profile.name}</p>` : ''}
    <p>${stateTexts[profile?.state ?? 'created']}</p>
    ${renderNext(pageRequest, next)}
    <p><a href="${pageUrl('progress', pageRequest)}">See every step</a></p>
    <h2>Your account</h2>
    <ul>
      <li><a href="${pageUrl('password', pageRequest)}">Change your password</a></li>
      <li><a href="${pageUrl('factors', pageRequest)}">Passkeys and second factors</a></li>
      <li><a href="${pageUrl('sessions', pageRequest)}">Where you are signed in</a></li>
      <li><a href="${pageUrl('applications', pageRequest)}">Connected applications</a></li>
    </ul>
    ${renderForm('sign-out', pageRequest, html`<button class="secondary">Sign out</button>`)}`;
  return show(pageRequest, { title: user.name, body });
}

const stateTexts: Record<ProfileState, string> = {
  created: 'We need to know who you are before money can move.',
  incomplete: 'Something is still missing.',
  pending: 'Everything is here. We are looking at it, and you need not do anything now.',
  approved: 'You are verified.',
  rejected: 'We looked at everything and cannot have you as a customer.',
};

function renderNext(pageRequest: PageRequest, next: PageName): Html {
  const text = nextTexts[next];
  return text === undefined ? html`` : html`<p><a class="button" href="${pageUrl(next, pageRequest)}">${text}</a></p>`;
}

const nextTexts: Partial<Record<PageName, string>> = {
  details: 'Tell us who you are',
  form: 'Go on with your money',
  verification: 'Send your documents',
  address: 'Link an address',
};
