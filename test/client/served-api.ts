import { createAdaptorServer } from '@hono/node-server';
import type { AddressInfo } from 'node:net';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type Client, type ClientOptions, createClient, linkMessage, paymentMessage } from '../../client/index.ts';
import { createTestApi, createWallet } from '../api/support/test-api.ts';

/** What stands before an API and now and then answers in its place, as a load balancer does; `true` when it did. */
type Interference = (request: IncomingMessage, response: ServerResponse) => boolean | void;

/** The facade on a socket. */
export async function createServedApi(overrides: Parameters<typeof createTestApi>[0] = {}) {
  const api = await createTestApi(overrides);
  const server = createAdaptorServer({ fetch: (request, bindings) => api.app.fetch(request, bindings) }) as Server;
  const [answer] = server.listeners('request') as [(request: IncomingMessage, response: ServerResponse) => void];
  const heard: { method: string; path: string; headers: IncomingMessage['headers'] }[] = [];
  const state: { interfere: Interference } = { interfere: () => false };
  server.removeAllListeners('request').on('request', (request: IncomingMessage, response: ServerResponse) => {
    heard.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers });
    if (!state.interfere(request, response)) answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  api.deps.settings.baseUrl = url;
  const { clientId, secret, ...partner } = await api.partner();

  const client = (options: Partial<ClientOptions> = {}): Client =>
    createClient({ baseUrl: url, clientId, clientSecret: secret, ...options });

  /** A wallet that is linked and holds tokens, and the body of an order of it to a bank account. */
  const payer = async (iban: string) => {
    const wallet = createWallet();
    const signature = await wallet.signMessage({ message: linkMessage });
    await client().post('/addresses', { body: { address: wallet.address, chain: 'chiado', signature } });
    api.fund(wallet.address, 1_000n);
    const order = async (amount: string, at = new Date()) => {
      const identifier = { standard: 'iban', iban } as const;
      const message = paymentMessage({ currency: 'eur', amount, to: identifier, at });
      return {
        ...({ kind: 'redeem', address: wallet.address, chain: 'chiado', currency: 'eur', amount, message } as const),
        counterpart: { identifier, details: { firstName: 'Max', lastName: 'Mustermann', country: 'DE' } },
        signature: await wallet.signMessage({ message }),
      };
    };
    return { client: client(), wallet, order };
  };

  return {
    ...api,
    url,
    client,
    payer,
    /** Tears every connection. */
    tear: () => server.closeAllConnections(),
    /** A new application of a new user. */
    newPartner: api.partner,
    /** The application as which `client` speaks. */
    partner: { ...partner, clientId, clientSecret: secret },
    /** Every request that came, the first first. */
    heard,
    count: (method: string, path: string) => heard.filter((one) => one.method === method && one.path.startsWith(path)).length,
    interfere: (interfere: Interference) => void (state.interfere = interfere),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await api.close();
    },
  };
}

export type ServedApi = Awaited<ReturnType<typeof createServedApi>>;

/** Interferes with the first requests of a method and path, and lets the rest pass. */
export function first(count: number, method: string, path: string, answer: (response: ServerResponse) => void): Interference {
  let left = count;
  return (request, response) => {
    if (request.method !== method || !request.url?.startsWith(path) || left === 0) return false;
    left -= 1;
    answer(response);
    return true;
  };
}

/** An answer without the body that the API would give. */
export function refusal(status: number, headers: Record<string, string> = {}) {
  return (response: ServerResponse) => void response.writeHead(status, headers).end();
}
