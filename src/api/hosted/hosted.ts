import { readFileSync } from 'node:fs';
import { Hono } from 'hono';
import type { Context } from 'hono';
import { csrf } from 'hono/csrf';
import { html } from 'hono/html';
import type { SignedInUser } from '../../ledger/access/sessions.ts';
import { actAs } from '../../platform/acting.ts';
import { baseUrl } from '../../platform/settings.ts';
import type { ApiDependencies, ApiEnv, AddRoutes } from '../api.ts';
import { errorResponse } from '../http/error-response.ts';
import { showAddress, submitAddress } from './address.ts';
import { signOut } from './browser.ts';
import { showConsent, submitConsent } from './consent.ts';
import { showDetails, submitDetails } from './details.ts';
import { sendPage } from './page.ts';
import { showSignIn, submitSignIn } from './sign-in.ts';
import { showSignUp, submitSignUp } from './sign-up.ts';
import { nextPage } from './steps.ts';
import { type PageRequest, goTo, readPageRequest, pageUrl, show } from './page-request.ts';

type Handler = (pageRequest: PageRequest) => Response | Promise<Response>;

/** The pages of the hosted flow (docs/api.md, Hosted pages): sign-up, sign-in, onboarding, consent. Only the wallet's page has a script. */
export const addHosted: AddRoutes = (api, deps) => {
  const pages = new Hono<ApiEnv>();
  const withPageRequest = (handler: Handler) => async (context: Context<ApiEnv>) => handler(await readPageRequest(context, deps));
  // The 307 of `POST /auth` makes a browser post here from the client's page. It changes nothing, so its origin is not checked.
  pages.post('/start', (context) => context.redirect(`start?${new URL(context.req.url).searchParams.toString()}`, 303));
  pages.get('/start', withPageRequest(showStart));
  const { origin } = new URL(baseUrl(deps.settings));
  pages.use(csrf({ origin: (sender, context) => sender === origin || sender === new URL(context.req.url).origin }));
  pages.get('/sign-in', withPageRequest(showSignIn));
  pages.post('/sign-in', withPageRequest(submitSignIn));
  pages.get('/sign-up', withPageRequest(showSignUp));
  pages.post('/sign-up', withPageRequest(submitSignUp));
  pages.get('/details', withPageRequest(signedIn(showDetails)));
  pages.post('/details', withPageRequest(signedIn(submitDetails)));
  pages.get('/address', withPageRequest(signedIn(showAddress)));
  pages.post('/address', withPageRequest(signedIn(submitAddress)));
  pages.get('/consent', withPageRequest(signedIn(showConsent)));
  pages.post('/consent', withPageRequest(signedIn(submitConsent)));
  pages.post('/sign-out', withPageRequest(submitSignOut));
  pages.get('/pages.css', asset('pages.css', 'text/css; charset=utf-8'));
  pages.get('/wallet.js', asset('wallet.js', 'text/javascript; charset=utf-8'));
  pages.onError((error, context) => showError(context, deps, error));
  api.route('/authorize', pages);
};

/** The first page: the next step of a signed-in user, otherwise what the client asked for, otherwise a choice (docs/api.md, Authorization endpoint). */
async function showStart(pageRequest: PageRequest): Promise<Response> {
  const { browser, request } = pageRequest;
  if (browser.user) return goTo(await nextPage(pageRequest, browser.user.id), pageRequest);
  if (request.authMode !== undefined) return goTo(request.authMode === 'login' ? 'sign-in' : 'sign-up', pageRequest);
  const body = html`<p>
      <strong>${request.client.name}</strong> asks for access to your account at ${pageRequest.deps.settings.serviceName}.
    </p>
    <p class="choices">
      <a class="button" href="${pageUrl('sign-in', pageRequest)}">Sign in</a>
      <a class="button secondary" href="${pageUrl('sign-up', pageRequest)}">Create an account</a>
    </p>`;
  return show(pageRequest, { title: 'Welcome', body });
}

async function submitSignOut(pageRequest: PageRequest): Promise<Response> {
  await signOut(pageRequest.context, pageRequest.deps);
  return goTo('sign-in', pageRequest);
}

/** Requires a signed-in user, who is recorded as the actor of changes. Anybody else is sent to sign in. */
function signedIn(handler: (pageRequest: PageRequest, user: SignedInUser) => Response | Promise<Response>): Handler {
  return (pageRequest) => {
    const { browser, context, request } = pageRequest;
    const { user } = browser;
    if (!user) return goTo('sign-in', pageRequest);
    const { correlationId } = context.var;
    return actAs({ kind: 'user', id: user.id, application: request.client.id, correlationId }, () => handler(pageRequest, user));
  };
}

function asset(name: string, type: string) {
  const content = readFileSync(new URL(`assets/${name}`, import.meta.url), 'utf8');
  return (context: Context<ApiEnv>) => context.body(content, 200, { 'Content-Type': type, 'Cache-Control': 'public, max-age=3600' });
}

function showError(context: Context<ApiEnv>, { settings, log }: ApiDependencies, error: unknown) {
  const { status, body, headers } = errorResponse(error);
  const { correlationId } = context.var;
  if (status >= 500) log.error({ correlationId, path: context.req.path, err: error }, 'request failed');
  for (const [name, value] of Object.entries(headers)) context.header(name, value);
  const problems = Object.entries(body.errors ?? {});
  const text = html`${problems.length === 0 ? html`<p role="alert">${body.message}</p>` : ''}
    ${problems.map(([field, problem]) => html`<p role="alert">${field} ${problem}</p>`)}
    <p class="hint">If this happens again, tell the application that sent you here. Reference: ${correlationId}</p>`;
  return sendPage(context, { service: settings.serviceName, title: 'That did not work', body: text, status });
}
