import { readFileSync } from 'node:fs';
import { type Context, Hono } from 'hono';
import { csrf } from 'hono/csrf';
import { html } from 'hono/html';
import { baseUrl } from '../../platform/settings.ts';
import type { ApiDependencies, ApiEnv, AddRoutes } from '../api.ts';
import { errorResponse } from '../http/error-response.ts';
import { notFound } from '../http/errors.ts';
import { accountPages } from './account/pages.ts';
import { showProve, submitProve } from './account/prove.ts';
import { proven, signedIn } from './signed-in.ts';
import { consentPages } from './consent.ts';
import { showAddress, submitAddress } from './onboarding/address.ts';
import { onboardingPages } from './onboarding/pages.ts';
import { sendPage } from './page.ts';
import { type Mount, type PageHandler, type Pages, readPageRequest, readUpload } from './page-request.ts';
import { signInPages } from './sign-in/pages.ts';

/**
 * The hosted pages (docs/api.md, Hosted pages): sign-in, onboarding, consent below `/authorize`, where an application has sent its user, and
 * the account's own below `/account`. Only the pages of a wallet and of passkeys have a script.
 */
export const addHosted: AddRoutes = (api, deps) => {
  api.get('/account', (context) => context.redirect('account/start', 302));
  api.get('/account/', (context) => context.redirect('start', 302));
  api.route('/account', mountPages(deps, 'account', { ...signInPages, ...onboardingPages, ...addressPages, ...accountPages }));
  api.route('/authorize', mountPages(deps, 'authorize', { ...signInPages, ...onboardingPages, ...addressPages, ...consentPages }));
};

/** The last step of the onboarding. An address that is linked here signs its user in, so it needs a recent proof of who that is. */
const addressPages: Pages = {
  address: { show: proven('address', showAddress), submit: proven('address', submitAddress) },
  prove: { show: signedIn(showProve), submit: signedIn(submitProve) },
};

function mountPages(deps: ApiDependencies, mount: Mount, pages: Pages): Hono<ApiEnv> {
  const mounted = new Hono<ApiEnv>();
  const handle = (handler: PageHandler) => async (context: Context<ApiEnv>) => handler(await readPageRequest(context, deps, mount));
  const handleFiles = (handler: PageHandler) => async (context: Context<ApiEnv>) => handler(await readUpload(context, deps, mount));
  // The 307 of `POST /auth` makes a browser post here from the client's page. It changes nothing, so its origin is not checked.
  if (mount === 'authorize')
    mounted.post('/start', (context) => context.redirect(`start?${new URL(context.req.url).searchParams.toString()}`, 303));
  const { origin } = new URL(baseUrl(deps.settings));
  const fromHere = csrf({ origin: (sender, context) => sender === origin || sender === new URL(context.req.url).origin });
  for (const [name, { show, submit, receive }] of Object.entries(pages)) {
    if (show) mounted.get(`/${name}`, handle(show));
    if (submit) mounted.post(`/${name}`, fromHere, handle(submit));
    if (receive) mounted.post(`/${name}`, fromHere, handleFiles(receive));
  }
  mounted.get('/pages.css', asset('pages.css', 'text/css; charset=utf-8'));
  for (const script of ['wallet.js', 'passkey.js']) mounted.get(`/${script}`, asset(script, 'text/javascript; charset=utf-8'));
  mounted.get('*', () => {
    throw notFound('There is no such page.');
  });
  mounted.onError((error, context) => showError(context, deps, mount, error));
  return mounted;
}

function asset(name: string, type: string) {
  const content = readFileSync(new URL(`assets/${name}`, import.meta.url), 'utf8');
  return (context: Context<ApiEnv>) => context.body(content, 200, { 'Content-Type': type, 'Cache-Control': 'public, max-age=3600' });
}

/** Answers a hosted page's request with a page about an error. */
export function showError(
  context: Context<ApiEnv>,
  { settings, log }: Pick<ApiDependencies, 'settings' | 'log'>,
  mount: Mount,
  error: unknown,
) {
  const { status, body, headers } = errorResponse(error);
  const { correlationId } = context.var;
  if (status >= 500) log.error({ correlationId, path: context.req.path, err: error }, 'request failed');
  for (const [name, value] of Object.entries(headers)) context.header(name, value);
  const problems = Object.entries(body.errors ?? {});
  const text = html`${problems.length === 0 ? html`<p role="alert">${body.message}</p>` : ''}
    ${problems.map(([field, problem]) => html`<p role="alert">${field} ${problem}</p>`)}
    <p class="hint">
      If this happens again, tell ${mount === 'authorize' ? 'the application that sent you here' : settings.serviceName}. Reference:
      ${correlationId}
    </p>`;
  return sendPage(context, { service: settings.serviceName, title: 'That did not work', body: text, status });
}
