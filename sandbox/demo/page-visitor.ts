import { RetryError } from '../../src/platform/errors.ts';

/** A page as the visitor sees it. */
export interface VisitedPage {
  url: URL;
  html: string;
}

/** What is filled into a form: its fields, and its files by the names of their parts. */
export interface FormContent {
  fields?: Record<string, string | string[]>;
  files?: Record<string, File>;
}

/** Visits the hosted pages as a browser without JavaScript does: it keeps cookies, follows redirects and submits forms. */
export interface PageVisitor {
  open: (path: string) => Promise<VisitedPage>;
  /** Submits the form of a page whose action begins with `action`. Throws `not_possible_yet` when the page has none. */
  submit: (page: VisitedPage, action: string, content: FormContent) => Promise<VisitedPage>;
}

/** A visitor of the pages of the API at `apiUrl`. */
export function createPageVisitor(apiUrl: string): PageVisitor {
  const cookies = new Map<string, string>();

  const visit = async (url: URL, body?: URLSearchParams | FormData): Promise<VisitedPage> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const method = body === undefined ? 'GET' : 'POST';
    const response = await fetch(url, { method, body: body ?? null, redirect: 'manual', headers: { cookie, origin: url.origin } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('Location');
    return location === null ? { url, html: await response.text() } : visit(new URL(location, url));
  };

  return {
    open: (path) => visit(new URL(`${apiUrl}${path}`)),
    submit: (page, action, { fields = {}, files = {} }) => {
      const form = new RegExp(`<form[^>]*action="(${action}[^"]*)"[^>]*>.*?name="csrf"\\s+value="([^"]*)"`, 's').exec(page.html);
      if (!form) throw new RetryError({ code: 'not_possible_yet', message: `The page ${page.url.pathname} has no form to ${action}` });
      const [, target = '', csrf = ''] = form;
      const body = Object.keys(files).length === 0 ? new URLSearchParams({ csrf }) : new FormData();
      if (body instanceof FormData) body.append('csrf', csrf);
      for (const [name, value] of Object.entries(fields)) for (const text of [value].flat()) body.append(name, text);
      for (const [name, file] of Object.entries(files)) if (body instanceof FormData) body.append(name, file);
      return visit(new URL(target.replaceAll('&amp;', '&'), page.url), body);
    },
  };
}
