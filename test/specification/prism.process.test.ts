import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { application, type Application } from '../api/access/access-matrix-tenants.ts';
import { matrix, pathOf } from '../api/access/access-matrix.ts';
import { createTestApi, type TestApi } from '../api/support/test-api.ts';
import { createTestMaker, swapEnv } from '../api/swap/swap-maker.ts';
import { type Prism, startPrism } from './prism.ts';

const requests = Object.entries(matrix).flatMap(([endpoint, { for: who, cases }]) =>
  cases.map((request) => ({ endpoint, by: '', kind: who === 'partners' ? ('whitelabel' as const) : ('private' as const), ...request })),
);

/** `npm run prism` alone fetches it. */
describe.skipIf(process.env['PRISM'] !== 'on')(
  'a request of the access matrix and its answer, compared with the OpenAPI document by Prism',
  () => {
    let api: TestApi;
    let prism: Prism;
    let callers: Record<'private' | 'whitelabel', Application>;

    beforeAll(async () => {
      const swap = createTestMaker();
      api = await createTestApi({ swap, env: swapEnv });
      api.fund(swap.signer.address, 1_000_000n, 'usd', 'arbitrumsepolia');
      callers = { private: await application(api, 'private'), whitelabel: await application(api, 'whitelabel') };
      prism = await startPrism(api);
      api.sendBy(prism.request);
    });
    afterAll(async () => {
      await prism?.close();
      await api?.close();
    });

    it.each(requests)('$endpoint $by', async ({ endpoint, kind, query, body: bodyOf, own: status }) => {
      const [method = '', template = ''] = endpoint.split(' ');
      const { headers, own } = callers[kind];
      const path = pathOf(template, own) + (query?.(own) ?? '');
      const body = await bodyOf?.(own, own);
      const json = { headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
      const sent = body instanceof FormData ? { headers, body } : body === undefined ? { headers } : json;
      const answer = await api.request(path, { method, ...sent });
      expect(answer.status, await answer.text()).toBe(status);
    });
  },
);
