import type { Context } from 'hono';
import { html } from 'hono/html';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { ApiEnv } from '../api.ts';
import type { Html } from '../http/html.ts';

export type { Html } from '../http/html.ts';

/** A hosted page: its texts, its status (200 by default), and what its content security policy must allow. */
export interface Page {
  service: string;
  title: string;
  body: Html;
  status?: ContentfulStatusCode;
  /** Where a form of the page may finally redirect, besides our own pages. */
  redirectUri?: string;
  /** Whether the page runs the wallet's script. */
  withWallet?: boolean;
  /** Whether the page runs the script that asks for a passkey. */
  withPasskey?: boolean;
}

/** Sends a page with only the rights that it needs in a browser. */
export function sendPage(context: Context<ApiEnv>, { service, title, body, status = 200, redirectUri, withWallet, withPasskey }: Page) {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} – ${service}</title>
        <link rel="stylesheet" href="pages.css" />
        <link rel="icon" href="data:," />
        ${withWallet === true ? html`<script src="wallet.js" defer></script>` : ''}
        ${withPasskey === true ? html`<script src="passkey.js" defer></script>` : ''}
      </head>
      <body>
        <header><p class="service">${service}</p></header>
        <main>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html>`;
  return context.html(page, status, {
    'Content-Security-Policy': contentSecurityPolicy(redirectUri),
    // With `no-referrer` a browser would send `Origin: null` with our own forms.
    'Referrer-Policy': 'same-origin',
  });
}

/** Chromium applies `form-action` to the redirects after a form too, so the client's origin is in it. */
function contentSecurityPolicy(redirectUri: string | undefined): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    'img-src data:',
    `form-action 'self' ${redirectUri === undefined ? '' : sourceOf(redirectUri)}`.trim(),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function sourceOf(redirectUri: string): string {
  const url = URL.parse(redirectUri);
  const source = url === null ? '' : url.origin === 'null' ? url.protocol : url.origin;
  return /^[a-z0-9+.:/[\]-]+$/i.test(source) ? source : '';
}
