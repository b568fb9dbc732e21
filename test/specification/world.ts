import { createApplication } from '../../src/ledger/access/applications.ts';
import { application, authorized, userApplication, type Tenant } from '../api/access/access-matrix-tenants.ts';
import { privacyPolicyUrl, redirectUri, termsUrl } from '../api/oauth/client.ts';
import { createTestApi } from '../api/support/test-api.ts';
import { createTestMaker, swapEnv } from '../api/swap/swap-maker.ts';
import { startWebhookReceiver } from '../support/webhooks/receiver.ts';

export const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** What the rows of docs/api.md are held against: a running service, one application of each type, and what is theirs. */
export async function createWorld() {
  const desk = createTestMaker();
  const api = await createTestApi({ swap: desk, env: swapEnv });
  for (const currency of ['eur', 'usd']) api.fund(desk.signer.address, 1_000_000n, currency, 'arbitrumsepolia');
  const receiver = await startWebhookReceiver({ decide: ({ path }) => (path === '/refuses' ? 500 : 200) });
  const whitelabel = await application(api, 'whitelabel');
  const authorizationCode = await createApplication(api.ledger, {
    kind: 'authorization_code',
    name: 'Web',
    owner: whitelabel.user,
    redirectUris: [redirectUri],
    privacyPolicyUrl,
    termsUrl,
  });
  return {
    api,
    receiver,
    whitelabel,
    private: await application(api, 'private'),
    /** A user's application that may only read. */
    user: await authorized(api, await userApplication(api, ['read'])),
    authorizationCode: authorizationCode.id,
    async close() {
      await receiver.close();
      await api.close();
    },
  };
}

export type World = Awaited<ReturnType<typeof createWorld>>;
export type CallerName = 'nobody' | 'whitelabel' | 'private' | 'user';

/** One request, as a client writes it. */
export interface Asked {
  as?: CallerName;
  /** Fills the path's parameters and adds a query; the endpoint's own path when absent. */
  path?: string;
  headers?: Record<string, string>;
  json?: unknown;
  form?: Record<string, string>;
  file?: FormData;
}

export interface Answered {
  status: number;
  headers: Headers;
  text: string;
}

/** Sends a request; JSON answers are compared with the OpenAPI document on the way. */
export async function send(world: World, method: string, path: string, asked: Asked): Promise<Answered> {
  const caller: Partial<Tenant> = asked.as === undefined || asked.as === 'nobody' ? {} : world[asked.as];
  const headers = { ...caller.headers, ...asked.headers };
  if (asked.file) {
    const response = await world.api.request(path, { method, headers, body: asked.file });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
  const [type, body] = asked.form
    ? ['application/x-www-form-urlencoded', new URLSearchParams(asked.form).toString()]
    : ['application/json', asked.json === undefined ? undefined : JSON.stringify(asked.json)];
  if (body === undefined) return world.api.send(method, path, { headers });
  return world.api.send(method, path, { headers: { 'Content-Type': type, ...headers }, body });
}
