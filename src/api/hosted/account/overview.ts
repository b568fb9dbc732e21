import { html } from 'hono/html';
import { getAddress } from 'viem';
import type { SignedInUser } from '../../../ledger/access/sessions.ts';
import { type LinkedAddress, listAddresses } from '../../../ledger/customers/addresses.ts';
import { findProfile } from '../../../ledger/customers/profile-sections.ts';
import type { Page } from '../../../ledger/page.ts';
import type { ProfileState } from '../../../schema/states.ts';
import type { Html } from '../page.ts';
import { type PageName, type PageRequest, pageUrl, renderForm, show } from '../page-request.ts';
import { nextPage } from '../steps.ts';

/** Addresses on the page at most; of more it says how many there are. */
const maxAddresses = 20;

/** `GET /account/overview`: who the user is, how far the onboarding is, what comes next, and the linked addresses. */
export async function showOverview(pageRequest: PageRequest, user: SignedInUser): Promise<Response> {
  const { ledger } = pageRequest.deps;
  const profile = user.defaultProfile === null ? undefined : await findProfile(ledger, user.defaultProfile);
  const next = await nextPage(pageRequest, user.id);
  const addresses = profile === undefined ? undefined : await listAddresses(ledger, profile.id, undefined, { limit: maxAddresses });
  const body = html`<p>${user.email}</p>
    <h2>Verification</h2>
    ${profile?.kind === 'corporate' ? html`<p>${profile.name}</p>` : ''}
    <p>${stateTexts[profile?.state ?? 'created']}</p>
    ${renderNext(pageRequest, next)}
    <p><a href="${pageUrl('progress', pageRequest)}">See every step</a></p>
    ${addresses === undefined || addresses.total === 0 ? '' : renderAddresses(pageRequest, addresses)}
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

function renderAddresses(pageRequest: PageRequest, { rows, total }: Page<LinkedAddress>): Html {
  const more = total - rows.length;
  return html`<h2>Your addresses</h2>
    <ul>
      ${rows.map(({ address, chains }) => html`<li><span class="address">${getAddress(address)}</span> on ${chains.join(', ')}</li>`)}
      ${more > 0 ? html`<li>and ${more} more</li>` : ''}
    </ul>
    <p>
      <a href="${pageUrl('address', pageRequest)}">Link another address</a>
      <a href="${pageUrl('addresses', pageRequest)}">Remove one</a>
    </p>`;
}

const nextTexts: Partial<Record<PageName, string>> = {
  details: 'Tell us who you are',
  form: 'Go on with your money',
  verification: 'Send your documents',
  address: 'Link an address',
};
