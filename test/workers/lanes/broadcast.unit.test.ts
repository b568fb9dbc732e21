import { createPublicClient, custom, type Hex } from 'viem';
import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../../src/chain/endpoints/endpoints.ts';
import { createLog } from '../../../src/platform/log.ts';
import { broadcast } from '../../../src/workers/lanes/broadcast.ts';

const raw: Hex = '0x02c0';
const hash = `0x${'ab'.repeat(32)}`;
const log = createLog('silent');

/** An endpoint that takes a transaction, refuses it with this text, or never answers (`hangs`). */
function endpoint(answer: string | undefined): Endpoint {
  const request = async () => {
    if (answer === 'hangs') return new Promise(() => {});
    if (answer === undefined) return hash;
    throw Object.assign(new Error(answer), { code: -32000 });
  };
  return { name: String(answer), rpc: createPublicClient({ transport: custom({ request }, { retryCount: 0 }) }) };
}

async function result(...answers: (string | undefined)[]) {
  const endpoints = answers.map((answer) => endpoint(answer));
  return (await broadcast({ rpc: endpoint('unused').rpc, endpoints, log }, { raw, hash }))?.kind;
}

describe('a broadcast to several endpoints', () => {
  it('succeeds when one takes it, whatever the others say', async () => {
    expect(await result('exceeds block gas limit', undefined)).toBeUndefined();
    expect(await result('insufficient funds', 'already known', 'Internal error')).toBeUndefined();
  });

  it('does not wait for one that hangs when another has it', async () => {
    expect(await result('hangs', undefined)).toBeUndefined();
    expect(await result('already known', 'hangs')).toBeUndefined();
  });

  it('is refused for good only when all say so that answer', async () => {
    expect(await result('exceeds block gas limit', 'oversized data')).toBe('invalid');
    expect(await result('exceeds block gas limit', 'HTTP request failed')).toBe('invalid');
    expect(await result('exceeds block gas limit', 'transaction underpriced')).toBe('underpriced');
    expect(await result('exceeds block gas limit', 'nonce too low')).toBe('nonce_used');
    expect(await result('exceeds block gas limit', 'nonce too high')).toBe('nonce_gap');
  });

  it('is an outage when none answers, or none in known words', async () => {
    expect(await result('Internal error', 'too many requests')).toBe('unclear');
  });

  it('goes to the only client where there are no endpoints', async () => {
    expect(await broadcast({ rpc: endpoint(undefined).rpc, log }, { raw, hash })).toBeUndefined();
    expect(await broadcast({ rpc: endpoint('insufficient funds').rpc, log }, { raw, hash })).toMatchObject({ kind: 'unfunded' });
  });
});
