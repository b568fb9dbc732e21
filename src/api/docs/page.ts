import { html, raw } from 'hono/html';
import type { Html } from '../http/html.ts';
import type { Guide } from './guides.ts';
import type { Chapter } from './reference.ts';

/** The content security policy of the pages: files and answers of this service, and nothing that stands in the page itself. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface PageContent {
  title: string;
  serviceName: string;
  /** The way from the page to the base URL, so that a service below a path works too. */
  root: string;
  guides: readonly Guide[];
  chapters: readonly Chapter[];
  /** Name of the guide that the page shows; without it the page is the reference. */
  guide?: string;
  body: Html;
  /** Names of scripts below `/docs`, besides that of all pages. */
  scripts?: readonly string[];
}

/** A page of the documentation: search above, the way to all others beside the content. */
export async function page({ title, serviceName, root, guides, chapters, guide, body, scripts = [] }: PageContent): Promise<string> {
  return String(
    await html`<!doctype html>
      <html lang="en" data-root="${root}">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>${title}</title>
          <link rel="stylesheet" href="${root}/docs/pages.css" />
          <link rel="icon" href="${root}/docs/favicon.svg" type="image/svg+xml" />
          ${['pages.js', ...scripts].map((name) => html`<script type="module" src="${root}/docs/${name}"></script>`)}
        </head>
        <body class="${guide === undefined ? 'reference' : 'guide'}">
          <header>
            <a class="service" href="${root}/docs">${serviceName}</a>
            <form role="search">
              <input type="search" id="search" aria-label="Search guides and reference" placeholder="Search" autocomplete="off" />
              <div id="hits" hidden></div>
              <p class="visually-hidden" role="status"></p>
            </form>
            <button type="button" popovertarget="contents">Contents</button>
          </header>
          <nav id="contents" popover aria-label="Documentation">
            <h2>Guides</h2>
            <ul>
              ${guides.map(({ name, title: text }) => link(`${root}/docs/guides/${name}`, text, name === guide))}
            </ul>
            <h2>Reference</h2>
            <ul>
              ${chapters.map(
                ({ name, id, routes }) =>
                  html`<li>
                    <a href="${root}/docs#${id}">${name}</a>${
                      guide === undefined
                        ? html`<ul>
                            ${routes.map(({ operation }) => link(`#${operation.operationId}`, operation.summary))}
                          </ul>`
                        : ''
                    }
                  </li>`,
              )}
            </ul>
          </nav>
          ${body}
        </body>
      </html>`,
  );
}

function link(href: string, text: string, isCurrent = false): Html {
  return html`<li><a href="${href}" ${isCurrent ? raw(' aria-current="page"') : ''}>${text}</a></li>`;
}
