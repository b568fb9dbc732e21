import { HttpRequestError, LimitExceededRpcError, RpcRequestError, TimeoutError } from 'viem';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRestingEndpoint } from '../../src/chain/resting-endpoint.ts';

const never = () => new Promise<never>(() => {});
const refused = new HttpRequestError({ url: '', details: 'fetch failed' });
/** An error that a node answers, as viem throws it. */
function refusedWith(code: number, message: string): Error {
  const answer = new RpcRequestError({ body: {}, url: '', error: { code, message } });
  return code === LimitExceededRpcError.code ? new LimitExceededRpcError(answer) : answer;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** An endpoint of which the test says what it answers; its requests and its probes are counted. */
function start() {
  const world = { requests: 0, probes: 0, answer: (): Promise<unknown> => Promise.resolve('answer') };
  const endpoint = createRestingEndpoint(() => {
    world.probes += 1;
    return world.answer();
  });
  const send = (method = 'eth_call') =>
    endpoint
      .send(method, () => {
        world.requests += 1;
        return world.answer();
      })
      .catch((error: unknown) => error);
  return { world, endpoint, send };
}

describe('an endpoint that does not answer', () => {
  it('is asked nothing until a probe of it is answered, and each request learns at once why', async () => {
    const { world, endpoint, send } = start();
    world.answer = () => Promise.reject(refused);
    expect(await send()).toBe(refused);
    for (let count = 0; count < 5; count += 1) expect(await send()).toBe(refused);
    expect(world).toMatchObject({ requests: 1, probes: 0 });
    expect(endpoint.rest()).toMatchObject({ failure: refused });
    await vi.advanceTimersByTimeAsync(1_000);
    world.answer = () => Promise.resolve('answer');
    expect(await send()).toBe(refused);
    expect(world).toMatchObject({ requests: 1, probes: 1 });
    await vi.advanceTimersByTimeAsync(0);
    expect(await send()).toBe('answer');
    expect(endpoint.rest()).toBeUndefined();
  });

  it('is tried again after pauses that double up to eight seconds, once at a time', async () => {
    const { world, send } = start();
    world.answer = () => Promise.reject(refused);
    await send();
    const pauses: number[] = [];
    for (let seconds = 1, last = 0; seconds <= 40; seconds += 1) {
      await vi.advanceTimersByTimeAsync(1_000);
      const before = world.probes;
      await Promise.all([send(), send()]);
      if (world.probes === before) continue;
      pauses.push(seconds - last);
      last = seconds;
    }
    expect(pauses).toEqual([1, 2, 4, 8, 8, 8, 8]);
  });

  it.each<[string, Error, boolean]>([
    ['a node that asks for fewer requests', refusedWith(-32_005, 'daily request count exceeded, request rate limited'), true],
    ['a node that asks for fewer requests by another code', refusedWith(-32_029, 'Too many requests'), true],
    ['a node that has more results than it answers', refusedWith(-32_005, 'query returned more than 10000 results'), false],
    ...[
      'Limit exceeded',
      'Monthly quota exceeded',
      'compute units limit reached',
      'credits limited to 6000/sec',
      'usage limit reached',
      'Too many connections',
      'Request exceeds defined limit',
      'eth_getLogs is limited: slow down',
    ].map((text): [string, Error, boolean] => [`a node that limits requests: ${text}`, refusedWith(-32_005, text), true]),
    ['a node that limits requests without a code for it', refusedWith(-32_000, 'rate limit exceeded, retry in 10s'), true],
    ...[
      'block range exceeds server capacity',
      'eth_getLogs is limited to a 10,000 range at 25 requests per second',
      'logs matched by query exceeds limit of 10000',
      'query exceeds max results 20000',
      'response size should not greater than 1000 bytes',
    ].map((text): [string, Error, boolean] => [`a node that limits what it answers: ${text}`, refusedWith(-32_005, text), false]),
    ['a contract that reverts with the text of a limit', refusedWith(-32_000, 'execution reverted: rate limit exceeded'), false],
    ['a contract that speaks of a rate', refusedWith(3, 'execution reverted: rate limit exceeded'), false],
    ['too many requests', new HttpRequestError({ url: '', status: 429 }), true],
    ['an error of the server', new HttpRequestError({ url: '', status: 502 }), true],
    ['a request that is too large', new HttpRequestError({ url: '', status: 413 }), false],
    ['a node that refuses', refusedWith(-32_000, 'no'), false],
  ])('or is it: %s', async (_, error, rests) => {
    const { world, endpoint, send } = start();
    world.answer = () => Promise.reject(error);
    await send();
    expect(endpoint.rest() !== undefined).toBe(rests);
  });
});

describe('an endpoint that hangs', () => {
  it('is waited for two seconds by a method that was never answered, and twice as long each time after', async () => {
    const { world, endpoint, send } = start();
    for (const patience of [2_000, 4_000, 8_000, 15_000, 15_000]) {
      world.answer = never;
      const answer = send();
      await vi.advanceTimersByTimeAsync(patience - 1);
      expect(endpoint.rest()).toBeUndefined();
      await vi.advanceTimersByTimeAsync(1);
      expect(await answer).toBeInstanceOf(TimeoutError);
      world.answer = () => Promise.resolve('answer');
      await vi.advanceTimersByTimeAsync(1_000);
      await send();
      await vi.advanceTimersByTimeAsync(0);
      expect(endpoint.rest()).toBeUndefined();
    }
  });

  it('is waited for ten times as long as the method usually takes', async () => {
    const { world, endpoint, send } = start();
    world.answer = () => new Promise((resolve) => setTimeout(resolve, 500));
    for (let count = 0; count < 3; count += 1) {
      const answer = send();
      await vi.advanceTimersByTimeAsync(500);
      await answer;
    }
    world.answer = never;
    const answer = send();
    await vi.advanceTimersByTimeAsync(4_999);
    expect(endpoint.rest()).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(await answer).toBeInstanceOf(TimeoutError);
    expect(endpoint.rest()).toBeDefined();
  });
});
