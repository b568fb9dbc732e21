import { InternalRpcError, RpcRequestError, TransactionRejectedRpcError } from 'viem';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createBlockHeights } from '../../src/chain/endpoints/block-heights.ts';
import { createEndpointHealth } from '../../src/chain/endpoints/endpoint-health.ts';
import { firstAnswer } from '../../src/chain/endpoints/first-answer.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Endpoints that each answer after so many milliseconds, or never; what they were asked is counted. */
function start(milliseconds: (number | Error | (() => Promise<string>))[]) {
  const heights = createBlockHeights(1);
  const endpoints = milliseconds.map((delay, index) => {
    const name = `endpoint ${index}`;
    const probe = { blockNumber: async () => '0x1', chainId: async () => 1 };
    const health = createEndpointHealth({ name, probe, heights, rests: true, isAlone: false });
    return { name, health, delay, asked: 0 };
  });
  type Endpoint = (typeof endpoints)[number];
  const answerOf = ({ delay, name }: Endpoint) =>
    typeof delay === 'function'
      ? delay()
      : delay instanceof Error
        ? Promise.reject(delay)
        : new Promise<string>((resolve) => setTimeout(() => resolve(name), delay));
  const ask = async (method = 'eth_call', waitMs = 30_000) => {
    const startedAt = Date.now();
    const answered = firstAnswer(endpoints, { method }, (endpoint) => {
      endpoint.asked += 1;
      return endpoint.health.send({ method }, () => answerOf(endpoint));
    }).then(
      (answer) => ({ answer, ms: Date.now() - startedAt }),
      (error: unknown) => ({ error, ms: Date.now() - startedAt }),
    );
    await vi.advanceTimersByTimeAsync(waitMs);
    return answered;
  };
  return { endpoints, ask };
}

const error = (code: number) => new RpcRequestError({ body: {}, url: '', error: { code, message: 'no' } });

it('is that of the first endpoint while it answers soon, and no other is asked', async () => {
  const { endpoints, ask } = start([100, 10]);
  for (let count = 0; count < 3; count += 1) expect(await ask()).toEqual({ answer: 'endpoint 0', ms: 100 });
  expect(endpoints.map(({ asked }) => asked)).toEqual([3, 0]);
});

it('does not wait for an endpoint that is slow, which is asked last from then on', async () => {
  const { ask } = start([900, 10, 10]);
  expect(await ask()).toEqual({ answer: 'endpoint 1', ms: 410 });
  for (let count = 0; count < 3; count += 1) expect(await ask()).toEqual({ answer: 'endpoint 1', ms: 10 });
});

it('is asked of a slow endpoint first again when that was found to be quick', async () => {
  const { endpoints, ask } = start([900, 10]);
  await ask();
  for (const endpoint of endpoints) endpoint.delay = 10;
  const answers = [];
  for (let count = 0; count < 6; count += 1) answers.push(((await ask()) as { answer: string }).answer);
  expect(answers.at(-1)).toBe('endpoint 0');
});

it('is that of a slow endpoint where the others do not answer', async () => {
  const { ask } = start([2_000, new Error('fetch failed')]);
  expect(await ask()).toEqual({ answer: 'endpoint 0', ms: 2_000 });
  expect(await ask()).toEqual({ answer: 'endpoint 0', ms: 2_000 });
});

it('is what the last one fails with where none answers', async () => {
  const [first, last] = [new Error('fetch failed'), error(-32_000)];
  const { ask } = start([first, last]);
  expect(await ask()).toEqual({ error: last, ms: 0 });
});

it('is at once that a node rejects the transaction', async () => {
  const rejected = new TransactionRejectedRpcError(error(-32_003));
  const { endpoints, ask } = start([rejected, 10]);
  expect(await ask('eth_sendRawTransaction')).toEqual({ error: rejected, ms: 0 });
  expect(endpoints.map(({ asked }) => asked)).toEqual([1, 0]);
});

it('is what a node answers while the others rest', async () => {
  const refusal = error(-32_000);
  const { endpoints, ask } = start([new Error('fetch failed'), refusal]);
  expect(await ask()).toEqual({ error: refusal, ms: 0 });
  expect(endpoints[0]?.health.rest()).toBeDefined();
  expect(await ask()).toEqual({ error: refusal, ms: 0 });
});

it('is asked of one endpoint at a time where all take long', async () => {
  const { endpoints, ask } = start([2_000, 2_000]);
  for (let count = 0; count < 12; count += 1) await ask('eth_getLogs');
  expect(endpoints.reduce((sum, { asked }) => sum + asked, 0)).toBeLessThanOrEqual(16);
});

it.each([-32_603, -32_000])(
  'is asked last of an endpoint that answers a method with an internal error (%i), which is known when it does so again',
  async (code) => {
    const answer = new RpcRequestError({ body: {}, url: '', error: { code, message: 'Internal error' } });
    // As viem throws it.
    const internal = code === InternalRpcError.code ? new InternalRpcError(answer) : answer;
    const { endpoints, ask } = start([internal, 10]);
    const [first] = endpoints as [(typeof endpoints)[number]];
    expect(await ask('eth_call', 1_000)).toMatchObject({ answer: 'endpoint 1' });
    expect(await ask('eth_call', 1_000)).toMatchObject({ answer: 'endpoint 1' });
    expect([first.asked, first.health.failures.has('eth_call'), first.health.failures.has('eth_getLogs')]).toEqual([1, true, false]);
    expect(first.health.failures.lasting()).toBeUndefined();
    await vi.advanceTimersByTimeAsync(8_000);
    for (let count = 0; count < 3; count += 1) await ask('eth_call', 1_000);
    expect(first.health.failures.lasting()).toMatchObject({ method: 'eth_call', failure: internal });
    expect(first.health.rest()).toBeUndefined();
    expect(endpoints[1]?.health.failures.lasting()).toBeUndefined();
  },
);

it.each([
  [-32_000, 'execution reverted: internal'],
  [-32_603, 'header not found'],
  [-32_603, 'nonce too low'],
  [-32_603, 'query returned more than 10000 results'],
  [-32_602, 'internal'],
  [-32_000, 'already known'],
])('says nothing of the endpoint where the request is at fault: %i %s', async (code, message) => {
  const { endpoints, ask } = start([new RpcRequestError({ body: {}, url: '', error: { code, message } }), 10]);
  await ask('eth_call', 1_000);
  expect(endpoints[0]).toMatchObject({ asked: 1 });
  expect(endpoints[0]?.health.failures.has('eth_call')).toBe(false);
});

it('is not asked at each time of a slow endpoint that refuses it', async () => {
  const { endpoints, ask } = start([900, 10]);
  await ask();
  const [slow] = endpoints;
  if (slow)
    slow.delay = async () => {
      await new Promise((resolve) => setTimeout(resolve, 900));
      throw error(-32_000);
    };
  const before = slow?.asked ?? 0;
  for (let count = 0; count < 20; count += 1) await ask('eth_getBlockByHash', 950);
  expect((slow?.asked ?? 0) - before).toBeLessThanOrEqual(3);
});
