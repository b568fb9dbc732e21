import { html } from 'hono/html';
import { chooseProfileKind } from '../../../ledger/customers/profile-drafts.ts';
import type { ProfileView } from '../../../ledger/customers/profile-sections.ts';
import type { Html } from '../page.ts';
import { type PageRequest, goTo, renderForm } from '../page-request.ts';

/** `POST .../kind`: whether the customer is the user or a company that the user acts for. It can be chosen until something was submitted. */
export async function submitKind(pageRequest: PageRequest, profile: ProfileView): Promise<Response> {
  const { deps, context, form } = pageRequest;
  const kind = form.get('kind') === 'corporate' ? 'corporate' : 'personal';
  await chooseProfileKind(deps.ledger, profile.id, kind, context.var.correlationId);
  return goTo('details', pageRequest);
}

/** Offers the other kind of customer, as long as nothing was submitted. */
export function renderKindSwitch(pageRequest: PageRequest, { kind, state }: ProfileView): Html {
  if (state !== 'created') return html``;
  const [text, other, button] =
    kind === 'personal'
      ? ['This account is for you as a person.', 'corporate', 'It is for a company']
      : ['This account is for a company that you act for.', 'personal', 'It is for me as a person'];
  return renderForm(
    'kind',
    pageRequest,
    html`<p class="hint">${text} <button class="link" name="kind" value="${other}">${button}</button></p>`,
  );
}

/** Says why the pages of the onboarding ask, and who learns what. */
export function renderWhy({ request }: PageRequest): Html {
  const name = request?.client.name;
  return html`<p>
    The law requires us to know our customers. ${name === undefined ? '' : `${name} learns your name and the state of your verification.`}
  </p>`;
}
