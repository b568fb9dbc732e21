import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApplication } from '../../src/ledger/access/applications.ts';
import { application, authorized, type Tenant } from '../api/access/access-matrix-tenants.ts';
import { privacyPolicyUrl, redirectUri, termsUrl } from '../api/oauth/client.ts';
import { createTestApi } from '../api/support/partner.ts';
import { createTestMaker, swapEnv } from '../api/swap/swap-maker.ts';

export const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** What the rows of docs/api.md are held against: a running service, one application of each type, and what is theirs. */
export async function createWorld() {
  const desk = createTestMaker();
  const api = await createTestApi({ swap: desk, env: swapEnv });
  for (const currency of ['eur', 'usd']) api.fund(desk.signer.address, 1_000_000n, currency, 'arbitrumsepolia');
  const receiver = await openReceiver();
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
    user: await authorized(api, ['read']),
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
    const response = await world.api.app.request(path, { method, headers, body: asked.file });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
  const [type, body] = asked.form
    ? ['application/x-www-form-urlencoded', new URLSearchParams(asked.form).toString()]
    : ['application/json', asked.json === undefined ? undefined : JSON.stringify(asked.json)];
  if (body === undefined) return world.api.send(method, path, { headers });
  return world.api.send(method, path, { headers: { 'Content-Type': type, ...headers }, body });
}

/** One request to the subscriber. */
export interface Received {
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A subscriber on this machine, which keeps what it is sent and answers 200. */
async function openReceiver() {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ url: request.url, headers: request.headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(request.url === '/refuses' ? 500 : 200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return {
    url,
    received,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
