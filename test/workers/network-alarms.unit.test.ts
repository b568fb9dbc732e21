import { describe, expect, it } from 'vitest';
import { createLog } from '../../src/platform/log.ts';
import { loadNetwork } from '../../src/platform/settings.ts';
import { createAlarms } from '../../src/workers/alarms.ts';
import type { Outage } from '../../src/chain/head.ts';
import type { SlowMethod } from '../../src/chain/endpoints/answer-times.ts';
import type { Behind, Rest } from '../../src/chain/endpoints/endpoint-health.ts';
import type { MethodFailure } from '../../src/chain/endpoints/method-failures.ts';
import { OtherChainError } from '../../src/chain/endpoints/outages.ts';
import type { LaneFacts } from '../../src/workers/lanes/lane.ts';
import { createNetworkAlarms } from '../../src/workers/network-alarms.ts';

const failuresOf = (lasting: () => MethodFailure | undefined) => ({ note: () => {}, has: () => false, lasting });

function start() {
  const world = {
    now: 0,
    number: 7n as bigint | undefined,
    outage: undefined as Outage | undefined,
    lanes: [] as LaneFacts[],
    rest: undefined as Rest | undefined,
    behind: undefined as Behind | undefined,
    slow: undefined as SlowMethod | undefined,
    failing: undefined as MethodFailure | undefined,
  };
  const alarms = createAlarms(createLog('silent'), () => world.now);
  const check = createNetworkAlarms({
    alarms,
    network: loadNetwork('gnosis', { GNOSIS_TOKENS: `eur:0x${'1'.repeat(40)}` }),
    endpoints: [
      {
        name: 'https://rpc.example',
        health: { rest: () => world.rest, behind: () => world.behind, slow: () => world.slow, failures: failuresOf(() => world.failing) },
      },
      {
        name: 'https://other.example',
        health: { rest: () => undefined, behind: () => undefined, slow: () => undefined, failures: failuresOf(() => undefined) },
      },
    ],
    head: { number: () => world.number, outage: () => world.outage },
    lanes: () => world.lanes,
    now: () => world.now,
  });
  const raised = () => {
    check();
    return alarms.list().map(({ kind, subject, text }) => `${kind} ${subject}: ${text}`);
  };
  return { world, alarms, raised };
}

type World = ReturnType<typeof start>['world'];
const lane: LaneFacts = { signer: '0x1', held: true, inFlight: 0, nonceGaps: 0, outage: null };

describe('the alarms of a network', () => {
  it('say since when the head does not advance, after thirty blocks without one', () => {
    const { world, raised } = start();
    world.now = 149_000;
    expect(raised()).toEqual([]);
    world.now = 150_000;
    expect(raised()).toEqual([expect.stringContaining('head_stalled gnosis: the head stands at block 7 for 150 s')]);
    world.number = 8n;
    expect(raised()).toEqual([]);
  });

  it('say that no endpoint answers since the first did not, whatever the newest answer is, and name the setting', () => {
    const { world, alarms, raised } = start();
    world.now = 60_000;
    world.outage = { text: 'fetch failed', since: 55_000 };
    expect(raised()).toEqual([]);
    world.now = 65_000;
    expect(raised()).toEqual(['chain_unreachable gnosis: no endpoint of GNOSIS_RPC_URLS answers: fetch failed']);
    world.outage = { text: 'timeout', since: 55_000 };
    expect(raised()).toEqual(['chain_unreachable gnosis: no endpoint of GNOSIS_RPC_URLS answers: timeout']);
    expect(alarms.list().map(({ since }) => Date.parse(since))).toEqual([55_000]);
    world.outage = undefined;
    expect(raised()).toEqual([]);
  });

  it('name an endpoint that has not answered for ten seconds, although others do', () => {
    const { world, raised } = start();
    world.rest = { since: 0, failure: new Error('fetch failed') };
    world.now = 9_999;
    expect(raised()).toEqual([]);
    world.now = 10_000;
    expect(raised()).toEqual([
      'endpoint_silent https://rpc.example: https://rpc.example has not answered for 10 s: fetch failed. The others of GNOSIS_RPC_URLS are asked in its place',
    ]);
    world.rest = undefined;
    expect(raised()).toEqual([]);
  });

  it('name an endpoint that is behind the others for ten seconds', () => {
    const { world, raised } = start();
    world.behind = { method: 'eth_blockNumber', since: 0, block: 7n, newest: 99n, looks: 2 };
    world.now = 9_999;
    expect(raised()).toEqual([]);
    world.now = 10_000;
    expect(raised()).toEqual([
      'endpoint_behind https://rpc.example: https://rpc.example is at block 7 by eth_blockNumber, and the others of GNOSIS_RPC_URLS are at 99: it is asked after them',
    ]);
    world.behind = { method: 'eth_blockNumber', since: 0, block: 7n, newest: 99n, looks: 1 };
    expect(raised()).toEqual([]);
  });

  it.each<[string, Partial<World>, Partial<World>, string]>([
    [
      'an endpoint of another chain, at once',
      { rest: { since: 0, failure: new OtherChainError(1) } },
      { rest: undefined },
      'endpoint_of_other_chain https://rpc.example: https://rpc.example is not of gnosis: The endpoint is of another chain: it answers for the chain id 1. It is not asked: correct GNOSIS_RPC_URLS',
    ],
    [
      'an endpoint that does not answer a method as the others do',
      { failing: { method: 'eth_getLogs', since: 0, failure: new Error('it has no logs') } },
      { failing: undefined },
      'endpoint_contradicted https://rpc.example: https://rpc.example does not answer eth_getLogs as the others of GNOSIS_RPC_URLS do, which are asked first: it has no logs',
    ],
    [
      'a signer that does not sign',
      {
        lanes: [
          { ...lane, outage: 'throttled' },
          { ...lane, signer: '0x2' },
        ],
      },
      { lanes: [lane] },
      'signer_silent 0x1: the signer 0x1 does not sign: throttled',
    ],
  ])('name %s, as long as it is so', (_, begun, ended, text) => {
    const { world, raised } = start();
    Object.assign(world, begun);
    expect(raised()).toEqual([expect.stringContaining(text)]);
    Object.assign(world, ended);
    expect(raised()).toEqual([]);
  });

  it('name an endpoint that is slow, but not while it does not answer at all', () => {
    const { world, raised } = start();
    world.slow = { method: 'eth_call', since: 0, milliseconds: 900.4 };
    expect(raised()).toEqual([
      'endpoint_slow https://rpc.example: https://rpc.example takes 900 ms for eth_call. The others of GNOSIS_RPC_URLS are asked first',
    ]);
    world.rest = { since: 0, failure: new Error('fetch failed') };
    expect(raised()).toEqual([]);
  });
});
