import { html } from 'hono/html';
import { getAddress, isAddress } from 'viem';
import type { LinkedAddress } from '../../../ledger/customers/addresses.ts';
import { listOwnAddresses, maxOwnAddresses, releaseOwnAddress } from '../../../ledger/customers/own-addresses.ts';
import type { SignedInUser } from '../../../ledger/access/sessions.ts';
import { lowerAddress } from '../../../platform/addresses.ts';
import type { Html } from '../page.ts';
import { type PageRequest, goTo, pageUrl, renderForm, show } from '../page-request.ts';

/** `GET /account/addresses`: the addresses that are linked to the user, the latest first, each of which can be removed. */
export async function showAddresses(pageRequest: PageRequest, user: SignedInUser): Promise<Response> {
  const addresses = await listOwnAddresses(pageRequest.deps.ledger, user.id);
  const body = html`<p>
      Whoever has the key of one of these can receive your money, and may sign in as you. Remove any that is not yours. If your IBAN leads
      to it, incoming money waits until the IBAN has another address.
    </p>
    ${addresses.length === 0 ? html`<p>You have none yet.</p>` : ''} ${addresses.map((address) => renderAddress(pageRequest, address))}
    ${addresses.length < maxOwnAddresses ? '' : html`<p class="hint">These are the latest ${maxOwnAddresses}.</p>`}
    <p><a href="${pageUrl('overview', pageRequest)}">Back to your account</a></p>`;
  return show(pageRequest, { title: 'Your addresses', body });
}

/** `POST /account/addresses`: removes one. */
export async function submitAddresses(pageRequest: PageRequest, user: SignedInUser): Promise<Response> {
  const address = pageRequest.form.get('remove') ?? '';
  if (isAddress(address, { strict: false })) await releaseOwnAddress(pageRequest.deps.ledger, lowerAddress(address), user.id);
  return goTo('addresses', pageRequest);
}

function renderAddress(pageRequest: PageRequest, { address, chains }: LinkedAddress): Html {
  return html`<section>
    <p><span class="address">${getAddress(address)}</span> on ${chains.join(', ')}</p>
    ${renderForm('addresses', pageRequest, html`<button class="link" name="remove" value="${address}">Remove this address</button>`)}
  </section>`;
}
