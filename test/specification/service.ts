import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { errorResponse } from '../../src/api/http/error-response.ts';
import { createAppServer } from '../../src/platform/http/app-server.ts';
import { createLog } from '../../src/platform/log.ts';
import { createDeliverer } from '../../src/webhooks/deliverer.ts';
import { mailServer } from '../api/support/mails.ts';
import { createTestApi, eurToken } from '../api/support/test-api.ts';
import { createTestMaker, swapEnv } from '../api/swap/swap-maker.ts';
import { startWebhookReceiver } from '../support/webhooks/receiver.ts';
import { startTlsFront } from './tls-front.ts';

export const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** Where the service runs. */
export type Environment = 'production' | 'sandbox';

const hooks = 'hooks.partner.example';

/** Networks that a deployment of the environment has: {@link createTestApi} configures those of a sandbox. */
const productionNetworks = {
  CHIADO_TOKENS: '',
  BASESEPOLIA_TOKENS: '',
  GNOSIS_TOKENS: `eur:${eurToken},gbp:0x5cb9073902f2035222b9749f8fb0c9bfe5527108`,
  BASE_TOKENS: 'eur:0x29cc7d5ecfbb63ec1ea4d5a0ab0e6ec1a2b7a0f0',
};

/**
 * The service on a socket, and a receiver of webhooks. In production both are reached by https. The receiver has a public name there, which is resolved to
 * this machine: no delivery of production goes to a loopback address, so the look at the address is the sandbox's. It refuses deliveries that are not signed by the secret
 * `verifiesBy`, where there is one.
 */
export async function startService(environment: Environment, { verifiesBy }: { verifiesBy?: string } = {}) {
  const isProduction = environment === 'production';
  const receiver = await startWebhookReceiver({
    decide: ({ path }) => (path === '/refuses' ? 500 : 200),
    ...(verifiesBy === undefined ? {} : { secret: verifiesBy }),
  });
  const server = createAppServer({
    fetch: async (request, bindings) => api.app.fetch(request, bindings),
    answerError: errorResponse,
    keepAliveSeconds: 75,
    trustedProxies: 0,
    closing: new AbortController().signal,
    log: createLog('silent'),
  });
  await once(server.listen(0, 'localhost'), 'listening');
  const { port } = server.address() as AddressInfo;
  const fronts = isProduction
    ? [await startTlsFront('localhost', port), await startTlsFront(hooks, Number(new URL(receiver.url()).port))]
    : [];
  const url = fronts[0]?.url ?? `http://localhost:${port}`;
  const deliver = createDeliverer(isProduction ? { environment: 'sandbox', resolve: async () => ['127.0.0.1'] } : { environment });
  const desk = createTestMaker();
  const env = { MINTRAIL_ENVIRONMENT: environment, BASE_URL: url, ...(isProduction ? { ...productionNetworks, ...mailServer } : swapEnv) };
  const api = await createTestApi({ env, deliver, ...(isProduction ? {} : { swap: desk }) });
  for (const currency of ['eur', 'usd']) api.fund(desk.signer.address, 1_000_000n, currency, 'arbitrumsepolia');
  return {
    api,
    url,
    environment,
    receiver,
    /** The address of one of the receiver's paths, as a subscriber gives it. */
    hook: (path = '/hook') => (fronts[1] ? `${fronts[1].url}${path}` : receiver.url(path)),
    deliver,
    async close() {
      for (const front of fronts) front.close();
      server.closeAllConnections();
      server.close();
      await receiver.close();
      await api.close();
    },
  };
}

export type Service = Awaited<ReturnType<typeof startService>>;
