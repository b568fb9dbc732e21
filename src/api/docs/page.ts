import type { Settings } from '../../platform/settings.ts';
import { escapeHtml } from './escape-html.ts';
import type { Guide } from './guides.ts';

const shared = ["default-src 'none'", "img-src 'self' data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"];

/** The content security policy of a guide: a page without scripts. */
export const guidePolicy = [...shared, "style-src 'self'"].join('; ');

/**
 * The content security policy of the reference. The reader's bundle is large and not ours. So outside the sandbox the page gets an origin of its
 * own (`sandbox`): it can read neither cookies nor pages of the service that people sign in to.
 */
export function referencePolicy({ environment }: Pick<Settings, 'environment'>): string {
  // The reader writes its styles into the page, and draws icons and fonts from data of its own.
  const reader = ["script-src 'self'", "style-src 'self' 'unsafe-inline'", "font-src 'self' data:", "connect-src 'self'"];
  const ownOrigin =
    environment === 'sandbox' ? [] : ['sandbox allow-scripts allow-downloads allow-popups allow-top-navigation-by-user-activation'];
  return [...shared, ...reader, ...ownOrigin].join('; ');
}

interface PageContent {
  title: string;
  serviceName: string;
  /** The way from the page to the base URL, so that a service below a path works too. */
  root: string;
  guides: readonly Guide[];
  /** Name of the guide that the page shows; without it the page is the reference. */
  current?: string;
  /** HTML. */
  body: string;
  /** Names of files below `/docs`. */
  scripts?: readonly string[];
}

/** A page of the documentation: the way to all others above, the content below. */
export function page({ title, serviceName, root, guides, current, body, scripts = [] }: PageContent): string {
  const link = (href: string, text: string, isCurrent: boolean): string =>
    `<a href="${root}/${href}"${isCurrent ? ' aria-current="page"' : ''}>${escapeHtml(text)}</a>`;
  const ways = guides.map(({ name, title: text }) => link(`docs/guides/${name}`, text, name === current));
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${escapeHtml(title)}</title>
    <link rel="stylesheet" href="${root}/docs/pages.css">
    <link rel="icon" href="${root}/docs/favicon.svg" type="image/svg+xml">
  </head>
  <body class="${current === undefined ? 'reference' : 'guide'}">
    <header>
      <strong>${escapeHtml(serviceName)}</strong>
      <nav aria-label="Documentation">${[link('docs', 'Reference', current === undefined), ...ways].join('')}</nav>
    </header>
    ${body}
${scripts.map((name) => `    <script src="${root}/docs/${name}"></script>\n`).join('')}  </body>
</html>
`;
}
