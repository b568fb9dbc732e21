import { HttpRequestError, LimitExceededRpcError, RpcRequestError, TimeoutError, toHex } from 'viem';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createBlockHeights } from '../../src/chain/endpoints/block-heights.ts';
import { createEndpointHealth } from '../../src/chain/endpoints/endpoint-health.ts';
import { describeRpcError } from '../../src/chain/node-answer.ts';
import { nodeError, OtherChainError } from '../../src/chain/endpoints/outages.ts';

const refused = new HttpRequestError({ url: '', details: 'fetch failed' });
/** An error that a node answers, as viem throws it. */
function refusedWith(code: number, message: string): Error {
  const answer = new RpcRequestError({ body: {}, url: '', error: { code, message } });
  return code === LimitExceededRpcError.code ? new LimitExceededRpcError(answer) : answer;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** An endpoint of which the test says what it answers; its requests and its probes are counted. */
function start({ chainId }: { chainId?: number } = {}) {
  const world = {
    requests: 0,
    probes: 0,
    chainId: 1,
    chainIds: 0,
    answer: (): Promise<unknown> => Promise.resolve('answer'),
    answerChainId: async (): Promise<number> => world.chainId,
  };
  const heights = createBlockHeights(1);
  const endpoint = createEndpointHealth({
    name: 'an endpoint',
    probe: {
      blockNumber() {
        world.probes += 1;
        return world.answer();
      },
      chainId() {
        world.chainIds += 1;
        return world.answerChainId();
      },
    },
    chainId,
    heights,
    rests: true,
    isAlone: false,
  });
  const send = (method = 'eth_call', params: unknown[] = []) =>
    endpoint
      .send({ method, params }, () => {
        world.requests += 1;
        return world.answer();
      })
      .catch((error: unknown) => error);
  return { world, heights, endpoint, send };
}

/** Answers after so many milliseconds. */
const after = (milliseconds: number) => () => new Promise((resolve) => setTimeout(() => resolve('answer'), milliseconds));

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

  it.each([20, 24, 28, 32, 36, 40])(
    'is well eight seconds after %i in which each try hung, and none of those makes it rest again',
    async (hung) => {
      const { world, endpoint, send } = start({ chainId: 1 });
      world.answer = () => Promise.reject(refused);
      await send();
      world.answer = () => new Promise<never>(() => {});
      for (let seconds = 0; seconds < hung; seconds += 1) {
        await vi.advanceTimersByTimeAsync(1_000);
        await send();
      }
      expect(endpoint.rest()).toBeDefined();
      world.answer = () => Promise.resolve('answer');
      await vi.advanceTimersByTimeAsync(8_000);
      await send();
      await vi.advanceTimersByTimeAsync(0);
      expect(await send()).toBe('answer');
      await vi.advanceTimersByTimeAsync(30_000);
      expect(endpoint.rest()).toBeUndefined();
    },
  );

  it('is well again also where it takes seconds to answer', async () => {
    const { world, endpoint, send } = start();
    world.answer = () => Promise.reject(refused);
    await send();
    world.answer = after(4_000);
    await vi.advanceTimersByTimeAsync(1_000);
    await send();
    await vi.advanceTimersByTimeAsync(4_000);
    expect(endpoint.rest()).toBeUndefined();
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

it('rests when what any node answers is answered with an error, whatever its text', async () => {
  const { world, endpoint, send } = start();
  world.answer = () => Promise.reject(refusedWith(-32_000, 'no'));
  await send('eth_blockNumber');
  expect(endpoint.rest()).toBeDefined();
});

describe('an endpoint that hangs', () => {
  it('rests after five seconds, and is waited for twice as long by a method that took so long before', async () => {
    const { world, endpoint, send } = start();
    for (const patience of [5_000, 10_000, 13_000]) {
      world.answer = () => new Promise<never>(() => {});
      const answer = send();
      await vi.advanceTimersByTimeAsync(patience - 1);
      expect(endpoint.rest()).toBeUndefined();
      await vi.advanceTimersByTimeAsync(1);
      expect(await answer).toBeInstanceOf(TimeoutError);
      world.answer = () => Promise.resolve('answer');
      await vi.advanceTimersByTimeAsync(1_000);
      await send('eth_getBalance');
      await vi.advanceTimersByTimeAsync(0);
      expect(endpoint.rest()).toBeUndefined();
    }
  });

  it('does not rest while it answers other methods, and takes at least as long as a request waits', async () => {
    const { world, endpoint, send } = start();
    await send();
    world.answer = after(8_000);
    const answer = send();
    await vi.advanceTimersByTimeAsync(3_000);
    expect([endpoint.usualMs('eth_call'), endpoint.usualMs('eth_getBalance')]).toEqual([3_000, 3_000]);
    world.answer = () => Promise.resolve('answer');
    await send('eth_getBalance');
    expect([endpoint.usualMs('eth_call'), endpoint.usualMs('eth_getBalance')]).toEqual([3_000, 0]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await answer).toBe('answer');
    expect(endpoint.rest()).toBeUndefined();
  });
});

it('does not rest where one method hangs and others are refused', async () => {
  const { world, endpoint, send } = start();
  world.answer = () => new Promise<never>(() => {});
  void send();
  await vi.advanceTimersByTimeAsync(1);
  world.answer = () => Promise.reject(refusedWith(3, 'execution reverted'));
  await send('eth_estimateGas');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(endpoint.rest()).toBeUndefined();
});

describe('an endpoint that is slow', () => {
  it('is one of which every answer of a method took long for ten seconds', async () => {
    const { world, endpoint, send } = start();
    world.answer = after(900);
    for (let count = 0; count < 11; count += 1) {
      expect(endpoint.slow()).toBeUndefined();
      const answer = send();
      await vi.advanceTimersByTimeAsync(900);
      await answer;
    }
    void send();
    await vi.advanceTimersByTimeAsync(900);
    expect(endpoint.slow()).toEqual({ method: 'eth_call', since: expect.any(Number), milliseconds: 900 });
    world.answer = () => Promise.resolve('answer');
    await send();
    expect(endpoint.slow()).toBeUndefined();
  });

  it.each(['eth_call', 'eth_getLogs'])('is one that does not answer %s for ten seconds', async (method) => {
    const { world, endpoint, send } = start();
    world.answer = () => new Promise<never>(() => {});
    void send(method);
    world.answer = () => Promise.resolve('answer');
    await vi.advanceTimersByTimeAsync(1);
    await send('eth_getBalance');
    await vi.advanceTimersByTimeAsync(9_998);
    expect(endpoint.slow()).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(endpoint.slow()).toMatchObject({ method, milliseconds: 10_000 });
  });

  it('is none that takes long for what takes long by its nature', async () => {
    const { world, endpoint, send } = start();
    world.answer = after(9_000);
    for (let count = 0; count < 3; count += 1) {
      const answer = send('eth_getLogs');
      await vi.advanceTimersByTimeAsync(9_000);
      await answer;
    }
    expect(endpoint.slow()).toBeUndefined();
  });
});

const block = (number: number, hash: string, parentHash: string) =>
  Promise.resolve({ number: `0x${number.toString(16)}`, hash, parentHash });

describe('an endpoint of another chain', () => {
  it('answers nothing, and rests until it is of the chain', async () => {
    const { world, send } = start({ chainId: 1 });
    expect(await send()).toBe('answer');
    world.chainId = 5;
    await vi.advanceTimersByTimeAsync(2_001);
    expect(await send()).toBeInstanceOf(OtherChainError);
    expect(await send()).toBeInstanceOf(OtherChainError);
    world.chainId = 1;
    await vi.advanceTimersByTimeAsync(1_000);
    await send();
    await vi.advanceTimersByTimeAsync(0);
    expect(await send()).toBe('answer');
  });

  it.each<[string, unknown[], unknown]>([
    ['eth_getBalance', ['0x0000000000000000000000000000000000000001', 'latest'], '0x0'],
    ['eth_getTransactionCount', ['0x0000000000000000000000000000000000000001', 'latest'], '0x7'],
    ['eth_call', [{}], '0x'],
    ['eth_blockNumber', [], '0x7'],
    ['eth_getTransactionReceipt', [`0x${'1'.repeat(64)}`], null],
    ['eth_getLogs', [{ blockHash: `0x${'1'.repeat(64)}` }], []],
    ['eth_getBlockByNumber', ['0x7', false], { number: '0x7', hash: '0x77', parentHash: '0x66' }],
    ['eth_getBlockByNumber', ['finalized', false], { number: '0x7', hash: '0x77', parentHash: '0x66' }],
  ])('answers nothing from its first moment on: %s %j', async (method, params, answer) => {
    const { world, send } = start({ chainId: 1 });
    world.answer = () => Promise.resolve(answer);
    expect(await send(method, params)).toBe(answer);
    world.chainId = 5;
    expect(await send(method, params)).toBeInstanceOf(OtherChainError);
  });

  it('answers nothing also where it became that while it was asked of which one it is', async () => {
    const { world, send } = start({ chainId: 1 });
    let answerChain: ((chainId: number) => void) | undefined;
    world.answerChainId = () => new Promise((resolve) => (answerChain = resolve));
    const before = send();
    await vi.advanceTimersByTimeAsync(0);
    world.answerChainId = async () => 5;
    const answers = [send(), send(), send()];
    await vi.advanceTimersByTimeAsync(0);
    answerChain?.(1);
    expect(await before).toBe('answer');
    for (const answer of await Promise.all(answers)) expect(answer).toBeInstanceOf(OtherChainError);
    expect(world.chainIds).toBe(2);
  });

  it('is not asked of its chain for what it has by a hash of the chain, and seldom for what decides nothing', async () => {
    const { world, send } = start({ chainId: 1 });
    for (let count = 0; count < 5; count += 1) await send('eth_getTransactionReceipt', [`0x${'1'.repeat(64)}`]);
    expect(world.chainIds).toBe(0);
    for (let count = 0; count < 5; count += 1) await send('eth_gasPrice');
    expect(world.chainIds).toBe(1);
  });

  it('refuses nothing, nor does one that refuses to say of which chain it is', async () => {
    const { world, send } = start({ chainId: 1 });
    world.answerChainId = () => Promise.reject(refusedWith(-32_000, 'nonce too low'));
    const failure = await send();
    expect(nodeError(failure)).toBeUndefined();
    expect(describeRpcError(failure)).toBe('The endpoint does not say of which chain it is: nonce too low');
  });

  it('refuses no transaction', async () => {
    const { world, send } = start({ chainId: 1 });
    world.chainId = 5;
    world.answer = () => Promise.reject(refusedWith(-32_000, 'nonce too low'));
    expect(await send('eth_sendRawTransaction')).toBeInstanceOf(OtherChainError);
  });

  it('is found by a block that does not follow the one before, and nobody is asked about one that does', async () => {
    const { world, send } = start({ chainId: 1 });
    const latest = () => send('eth_getBlockByNumber', ['latest', false]);
    world.answer = () => block(7, '0x7', '0x6');
    await latest();
    world.answer = () => block(8, '0x8', '0x7');
    for (let count = 0; count < 2; count += 1) {
      await vi.advanceTimersByTimeAsync(5_000);
      expect(await latest()).toMatchObject({ hash: '0x8' });
    }
    expect(world.chainIds).toBe(1);
    world.chainId = 5;
    world.answer = () => block(9, '0x99', '0x88');
    expect(await latest()).toBeInstanceOf(OtherChainError);
  });
});

describe('an endpoint behind the others', () => {
  it('is one that names an old block when another had a newer one before it was asked', async () => {
    const { world, heights, endpoint, send } = start();
    world.answer = () => Promise.resolve('0x64');
    heights.note({ name: 'another', method: 'eth_blockNumber' }, 103n, undefined);
    await send('eth_blockNumber');
    expect(endpoint.behind()).toBeUndefined();
    heights.note({ name: 'another', method: 'eth_blockNumber' }, 104n, undefined);
    await send('eth_blockNumber');
    expect(endpoint.behind()).toMatchObject({ block: 100n, newest: 104n, looks: 1 });
    world.answer = () => Promise.resolve('0x68');
    await send('eth_blockNumber');
    expect(endpoint.behind()).toBeUndefined();
  });

  it('is one whose newest block comes from a cache, though it knows its number', async () => {
    const { world, heights, endpoint, send } = start();
    const old = { number: '0x5a', hash: '0x1', parentHash: '0x0' };
    for (const newest of [100n, 104n, 108n]) {
      heights.note({ name: 'another', method: 'eth_blockNumber' }, newest, undefined);
      world.answer = () => Promise.resolve(toHex(newest));
      await send('eth_blockNumber');
      world.answer = () => Promise.resolve(old);
      await send('eth_getBlockByNumber', ['latest', false]);
      world.answer = () => Promise.resolve(toHex(newest));
      await send('eth_blockNumber');
    }
    expect(endpoint.behind()).toMatchObject({ method: 'eth_getBlockByNumber', block: 90n, newest: 108n, looks: 3 });
    world.answer = () => Promise.resolve({ ...old, number: '0x6c' });
    await send('eth_getBlockByNumber', ['latest', false]);
    expect(endpoint.behind()).toBeUndefined();
  });

  it('is none because one of two others claims blocks that nobody has', async () => {
    const { world, heights, endpoint, send } = start();
    world.answer = () => Promise.resolve('0x64');
    heights.note({ name: 'another', method: 'eth_blockNumber' }, 100n, undefined);
    heights.note({ name: 'a third', method: 'eth_blockNumber' }, 10_000n, undefined);
    await send('eth_blockNumber');
    expect(endpoint.behind()).toBeUndefined();
  });

  it('is none because the only other claims blocks that nobody has, unless it stands still', async () => {
    const { world, heights, endpoint, send } = start();
    heights.note({ name: 'another', method: 'eth_blockNumber' }, 10_000n, undefined);
    world.answer = () => Promise.resolve('0x64');
    await send('eth_blockNumber');
    expect(endpoint.behind()).toBeUndefined();
    await send('eth_blockNumber');
    expect(endpoint.behind()).toBeDefined();
  });
});
