import { html } from 'hono/html';
import type { Html } from '../page.ts';
import type { PageRequest } from '../page-request.ts';

/** Names the application for which a user signs in; nothing where people come by themselves. */
export function renderPurpose({ request }: PageRequest): Html {
  return request === undefined ? html`` : html`<p>to continue to <strong>${request.client.name}</strong></p>`;
}
