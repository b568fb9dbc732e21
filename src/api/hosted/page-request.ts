import type { Context } from 'hono';
import { html } from 'hono/html';
import { StopError } from '../../platform/errors.ts';
import type { ApiDependencies, ApiEnv } from '../api.ts';
import { type AuthorizationRequest, readAuthorizationRequest, requestQuery } from '../oauth/authorization-request.ts';
import { invalid } from '../http/errors.ts';
import { readFormBody } from '../http/form.ts';
import { type Browser, isOwnForm, readBrowser } from './browser.ts';
import { type Html, type Page, sendPage } from './page.ts';

/** A request to a page, with its browser and the authorization request that it serves. */
export interface PageRequest {
  context: Context<ApiEnv>;
  deps: ApiDependencies;
  browser: Browser;
  /** The request of an application, below `/authorize`; `undefined` below `/account`, where people come by themselves. */
  request: AuthorizationRequest | undefined;
  /** The fields of a submitted form; empty otherwise. */
  form: URLSearchParams;
}

/** Where pages are mounted: those that serve the request of an application, and those of people who come by themselves. */
export type Mount = 'authorize' | 'account';

/** The pages. Below `/authorize` each carries the authorization request in its query; nothing of it is stored. */
export type PageName =
  | 'start'
  | 'overview'
  | 'sign-in'
  | 'sign-up'
  | 'verify-email'
  | 'reset-password'
  | 'new-password'
  | 'password'
  | 'sessions'
  | 'sign-out'
  | 'passkey'
  | 'second-factor'
  | 'prove'
  | 'kind'
  | 'details'
  | 'person'
  | 'form'
  | 'verification'
  | 'progress'
  | 'address'
  | 'addresses'
  | 'consent'
  | 'factors'
  | 'passkeys'
  | 'add-passkey'
  | 'authenticator'
  | 'recovery-codes'
  | 'applications';

/** Shows a page, or takes its form. */
export type PageHandler = (pageRequest: PageRequest) => Response | Promise<Response>;

/** Pages by their names: how each is shown, and how its form is taken. `receive` takes a form with files, and reads its body itself. */
export type Pages = Partial<Record<PageName, { show?: PageHandler; submit?: PageHandler; receive?: PageHandler }>>;

/** Reads a request to a page. Throws `not_allowed` for a form that is not from a page of ours in this browser. */
export async function readPageRequest(context: Context<ApiEnv>, deps: ApiDependencies, mount: Mount): Promise<PageRequest> {
  const pageRequest = await readUpload(context, deps, mount);
  if (context.req.method !== 'POST') return pageRequest;
  const form = await readFormBody(context);
  requireOwnForm(pageRequest, form);
  return { ...pageRequest, form };
}

/** Reads a request to a page except its body. A page that takes files reads them itself, and calls {@link requireOwnForm}. */
export async function readUpload(context: Context<ApiEnv>, deps: ApiDependencies, mount: Mount): Promise<PageRequest> {
  const request = mount === 'authorize' ? await readRequest(context, deps) : undefined;
  return { context, deps, browser: await readBrowser(context, deps), request, form: new URLSearchParams() };
}

/** Throws `not_allowed` for a form that is not from a page of ours in this browser. */
export function requireOwnForm({ browser }: PageRequest, form: URLSearchParams): void {
  if (!isOwnForm(browser, form.get('csrf')))
    throw new StopError({ code: 'not_allowed', message: 'This form is no longer valid. Go back, reload the page and submit it again.' });
}

async function readRequest(context: Context<ApiEnv>, { ledger }: ApiDependencies): Promise<AuthorizationRequest> {
  const request = await readAuthorizationRequest(ledger, new URL(context.req.url).searchParams);
  if ('error' in request) throw invalid({ request: request.description });
  return request;
}

/** The authorization request of a page that is mounted below `/authorize` only. */
export function authorizationOf({ request }: Pick<PageRequest, 'request'>): AuthorizationRequest {
  if (request === undefined) throw new Error('this page serves an authorization request');
  return request;
}

/** What a page is about, in its query beside the authorization request, such as the role of a person. */
export type PageParameters = Record<string, string>;

/** The relative URL of a page, with its parameters and the authorization request in its query. */
export function pageUrl(name: PageName, { request }: Pick<PageRequest, 'request'>, parameters: PageParameters = {}): string {
  const query = [new URLSearchParams(parameters).toString(), request === undefined ? '' : requestQuery(request)];
  const text = query.filter((part) => part !== '').join('&');
  return text === '' ? name : `${name}?${text}`;
}

/** A parameter of the page itself; empty when it is missing. */
export function pageParameter({ context }: Pick<PageRequest, 'context'>, name: string): string {
  return new URL(context.req.url).searchParams.get(name) ?? '';
}

/** Sends the browser to another page. */
export function goTo(name: PageName, pageRequest: PageRequest, parameters?: PageParameters): Response {
  return pageRequest.context.redirect(pageUrl(name, pageRequest, parameters), 303);
}

/** Shows a page of this pageRequest. */
export function show(pageRequest: PageRequest, page: Omit<Page, 'service' | 'redirectUri'>) {
  return sendPage(pageRequest.context, {
    ...page,
    service: pageRequest.deps.settings.serviceName,
    ...(pageRequest.request === undefined ? {} : { redirectUri: pageRequest.request.redirectUri }),
  });
}

/** Renders a form that is submitted to a page, with the token that proves its origin. The token comes first, before any file. */
export function renderForm(name: PageName, pageRequest: PageRequest, content: Html, target: FormTarget = {}): Html {
  const encoding = target.hasFiles === true ? html`enctype="multipart/form-data"` : '';
  return html`<form method="post" action="${pageUrl(name, pageRequest, target.parameters)}" ${encoding} novalidate>
    <input type="hidden" name="csrf" value="${pageRequest.browser.csrfToken}" />
    ${content}
  </form>`;
}

/** What a form adds to the address of its page, and whether it sends files. */
export interface FormTarget {
  parameters?: PageParameters;
  hasFiles?: boolean;
}
