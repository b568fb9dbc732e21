import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { matrix, pathOf, type Row, type AccessCase } from './access-matrix.ts';
import {
  application,
  authorized,
  identifiers,
  invalidTokens,
  missing,
  readOnlyApplication,
  receiver,
  type Resources,
  type Tenant,
  userApplication,
  webhookSecret,
} from './access-matrix-tenants.ts';
import { createTestApi, type TestApi } from '../support/test-api.ts';
import { createTestMaker, swapEnv } from '../swap/swap-maker.ts';

let api: TestApi;
let tenants: Record<CallerName, Tenant>;
let strangers: Record<string, Tenant>;
/** Another user of the application by which `writing` calls. */
let otherUser: Tenant;

/** Nobody, and tokens that are no longer or never were valid; what these name is their own nevertheless. */
const unauthenticated = ['nobody', 'expired', 'revoked', 'disabled', 'garbage'] as const;

/** Those, the types of applications, a private one that may only read, one whose users let it read, and one whose users let it write too. */
const callers = [...unauthenticated, 'private', 'read-only', 'whitelabel', 'reading', 'writing'] as const;
type CallerName = (typeof callers)[number];

const isUnauthenticated = (caller: CallerName) => (unauthenticated as readonly string[]).includes(caller);

beforeAll(async () => {
  const swap = createTestMaker();
  api = await createTestApi({ swap, env: swapEnv });
  api.fund(swap.signer.address, 1_000_000n, 'usd', 'arbitrumsepolia');
  const client = await userApplication(api, ['read', 'write']);
  tenants = {
    nobody: { headers: {}, own: missing() },
    ...(await invalidTokens(api)),
    private: await application(api, 'private'),
    'read-only': await readOnlyApplication(api),
    whitelabel: await application(api, 'whitelabel'),
    reading: await authorized(api, await userApplication(api, ['read'])),
    writing: await authorized(api, client),
  };
  otherUser = await authorized(api, client);
  strangers = {
    'a private application': await application(api, 'private'),
    'another partner': await application(api, 'whitelabel'),
    'a user': await authorized(api, await userApplication(api, ['read', 'write'])),
  };
});
afterAll(() => api.close());

const cases = Object.entries(matrix).flatMap(([endpoint, row]) =>
  row.cases.flatMap((accessCase) =>
    callers.map((caller) => ({ title: accessCase.by ? `${endpoint} by ${accessCase.by}` : endpoint, endpoint, row, accessCase, caller })),
  ),
);

/** What stops a caller whatever is named: the status, and the message where there is one of its own. */
function barrier(caller: CallerName, method: string, { for: who }: Row): { status: number; message: string } | undefined {
  if (who === 'everybody') return undefined;
  if (isUnauthenticated(caller)) return { status: 401, message: 'Not authenticated' };
  if (who === 'partners' && caller !== 'whitelabel')
    return { status: 403, message: 'This endpoint is available to whitelabel partner applications only' };
  if (who === 'servers' && (caller === 'reading' || caller === 'writing'))
    return { status: 403, message: 'This endpoint is available to whitelabel and private applications only' };
  if (method === 'GET') return undefined;
  if (caller === 'read-only') return { status: 403, message: 'This application is registered to read only' };
  return caller === 'reading' ? { status: 403, message: 'The user granted this application read access only' } : undefined;
}

async function ask(caller: CallerName, endpoint: string, accessCase: AccessCase, of: Resources) {
  const [method = '', template = ''] = endpoint.split(' ');
  const { headers, own } = tenants[caller];
  const path = pathOf(template, of) + (accessCase.query?.(of) ?? '');
  const body = await accessCase.body?.(of, own);
  if (body instanceof FormData) {
    const response = await api.app.request(path, { method, headers, body });
    return { status: response.status, text: await response.text() };
  }
  const type = { 'Content-Type': 'application/json' };
  return api.send(method, path, body === undefined ? { headers } : { headers: { ...headers, ...type }, body: JSON.stringify(body) });
}

/** Whose things are foreign to a caller. Whoever is not authenticated is stopped before anything is looked at. */
function strangersOf(caller: CallerName): Record<string, Tenant> {
  if (isUnauthenticated(caller)) return { 'a private application': strangers['a private application']! };
  return caller === 'writing' ? { ...strangers, 'another user of the same application': otherUser } : strangers;
}

/** An answer without the names that the request itself gave. */
function impersonal(text: string, of: Resources): string {
  return identifiers(of).reduce((rest, [name, spelling]) => rest.replaceAll(spelling, `<${name}>`), text);
}

describe('the access matrix', () => {
  it('has a row for every endpoint of the document, and for no other', async () => {
    const { paths } = (await api.send('GET', '/openapi.json')).json as { paths: Record<string, Record<string, unknown>> };
    const endpoints = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(Object.keys(matrix).sort()).toEqual(endpoints.sort());
  });

  it('agrees with the document about who needs a token', async () => {
    const { paths } = (await api.send('GET', '/openapi.json')).json as { paths: Record<string, Record<string, { security: object[] }>> };
    for (const [endpoint, row] of Object.entries(matrix)) {
      const [method = '', template = ''] = endpoint.split(' ');
      const security = paths[template]?.[method.toLowerCase()]?.security;
      if (row.for !== 'everybody') expect(security, endpoint).toEqual([{ bearer: [] }]);
      // The credentials of an application may stand in the form.
      else expect(security, endpoint).toEqual(/^\/auth\/(token|revoke)$/.test(template) ? [{ basic: [] }, {}] : []);
    }
  });

  it.each(cases)('$title, called by $caller', async ({ endpoint, row, accessCase, caller }) => {
    const [method = ''] = endpoint.split(' ');
    const { own } = tenants[caller];
    const stopped = barrier(caller, method, row);
    const answer = await ask(caller, endpoint, accessCase, own);
    expect(answer.status, answer.text).toBe(stopped?.status ?? accessCase.own);
    for (const { own: theirs } of Object.values(strangersOf(caller)))
      for (const [name, spelling] of identifiers(theirs)) expect(answer.text, `names ${name} of somebody else`).not.toMatch(spelling);
    if (stopped) expect(JSON.parse(answer.text)).toMatchObject({ message: stopped.message });
    // Whoever is not let in is known by the token alone: one of them asks for what is foreign, too.
    if (accessCase.foreign === undefined || (isUnauthenticated(caller) && caller !== 'expired')) return;

    const none = missing();
    const nothing = await ask(caller, endpoint, accessCase, none);
    expect(nothing.status, nothing.text).toBe(stopped?.status ?? accessCase.missingDiffers?.status ?? accessCase.foreign);
    for (const [name, { own: theirs }] of Object.entries(strangersOf(caller))) {
      const foreign = await ask(caller, endpoint, accessCase, theirs);
      expect(foreign.status, `of ${name}: ${foreign.text}`).toBe(stopped?.status ?? accessCase.foreign);
      if (accessCase.missingDiffers === undefined) expect(impersonal(foreign.text, theirs)).toBe(impersonal(nothing.text, none));
    }
  });

  const byId = cases.filter(
    ({ endpoint, caller, accessCase }) =>
      caller === 'whitelabel' && /\{(orderId|profile|subscription|delivery)\}/.test(endpoint) && accessCase.query === undefined,
  );
  it.each(byId)('$title: an id that is no UUID is answered as one of nothing', async ({ endpoint, accessCase, caller }) => {
    const none = missing();
    const noUuid = { ...none, order: 'no-order', profile: 'no-profile', subscription: 'no-subscription', delivery: 'no-delivery' };
    const [impossible, absent] = [await ask(caller, endpoint, accessCase, noUuid), await ask(caller, endpoint, accessCase, none)];
    expect(impossible.status).toBe(accessCase.foreign);
    expect(impersonal(impossible.text, noUuid)).toBe(impersonal(absent.text, none));
  });

  it('has nothing of the sandbox in production, nor in its document', async () => {
    const production = await createTestApi({ swap: createTestMaker(), env: { ...swapEnv, MINTRAIL_ENVIRONMENT: 'production' } });
    const { headers } = await production.partner('whitelabel');
    const { paths } = (await production.send('GET', '/openapi.json')).json as { paths: object };
    const simulated = Object.keys(matrix).filter((endpoint) => /\/(sandbox|swap)\b/.test(endpoint));
    expect(simulated.length).toBeGreaterThan(9);
    for (const endpoint of simulated) {
      const [method = '', template = ''] = endpoint.split(' ');
      const { status } = await production.send(method, pathOf(template, missing()), { headers });
      expect([endpoint, status, Object.keys(paths)]).toEqual([endpoint, 404, expect.not.arrayContaining([template])]);
    }
    await production.close();
  });

  it.each([
    ['PATCH', ''],
    ['DELETE', ''],
    ['GET', '/deliveries'],
  ])('answers %s of a subscription%s that was deleted as of one that never was', async (method, path) => {
    const { headers, post } = await application(api, 'private');
    const { id } = (await post('/webhooks', { url: await receiver(), secret: webhookSecret })).json;
    await api.send('DELETE', `/webhooks/${id}`, { headers });
    const body = method === 'PATCH' ? { body: '{}', headers: { ...headers, 'Content-Type': 'application/json' } } : { headers };
    const [deleted, never] = [id as string, randomUUID()];
    const answers = await Promise.all([deleted, never].map((name) => api.send(method, `/webhooks/${name}${path}`, body)));
    expect(answers[0]?.status).toBe(404);
    expect(answers[0]?.text.replaceAll(deleted, '<id>')).toBe(answers[1]?.text.replaceAll(never, '<id>'));
  });
});
