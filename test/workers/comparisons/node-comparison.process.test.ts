import { encodeAbiParameters } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createEndpoints } from '../../../src/chain/endpoints/endpoints.ts';
import type { Comparison } from '../../../src/ledger/reserve/comparison.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { type NetworkSettings, networkSettings } from '../../../src/platform/settings.ts';
import { createNodeComparison } from '../../../src/workers/comparisons/node-comparison.ts';
import { type FaultyRpc, type Lie, startFaultyRpc } from '../../support/chain/rpc-faults.ts';
import { fund, type Settling, startSettling } from '../settling.ts';

const confirmations = 3;

let settling: Settling;
let nodes: FaultyRpc[];

beforeAll(async () => {
  settling = await startSettling({ CHIADO_CONFIRMATIONS: String(confirmations) });
  const { url } = settling.network.anvil;
  nodes = await Promise.all([startFaultyRpc(url), startFaultyRpc(url), startFaultyRpc(url)]);
  await fund(settling, 700n);
  await confirm();
});

/** Mines and indexes as many blocks as make a transaction final. */
async function confirm(): Promise<void> {
  await settling.network.rpc.mine({ blocks: confirmations });
  await settling.index.follow();
}

afterEach(() => Promise.all(nodes.map((node) => node.heal())));

afterAll(async () => {
  await Promise.all(nodes.map((node) => node.close()));
  await settling?.stop();
});

function comparisonWith(endpoints: readonly FaultyRpc[], changes: Partial<NetworkSettings> = {}) {
  const rpcUrls = endpoints.map(({ url }) => url);
  const network = { ...networkSettings(settling.network.settings, 'chiado'), rpcUrls, ...changes };
  return createNodeComparison({
    ledger: settling.ledger,
    network,
    endpoints: createEndpoints(network),
    alarms: settling.alarms,
    pauseMs: 10,
  });
}

const supplyIs =
  (amount: bigint): Lie =>
  (result, params) => {
    const [{ data }] = params as [{ data?: string }];
    // totalSupply()
    return data === '0x18160ddd' ? encodeAbiParameters([{ type: 'uint256' }], [amount * 10n ** 16n]) : result;
  };
const lies = (amount: bigint) => ({ lies: { eth_call: supplyIs(amount) } });
const differences = (comparisons: Comparison[]) => comparisons.map(({ difference }) => Number(difference));
const alarms = () => settling.alarms.list().map(({ kind, subject }) => `${kind} ${subject}`);

describe('the indexed supply and the nodes', () => {
  it('are compared at the newest confirmed block of the index', async () => {
    const [first, second] = nodes as [FaultyRpc, FaultyRpc];
    const compare = comparisonWith([first, second]);
    expect(await compare()).toMatchObject([{ comparison: 'nodes', currency: 'eur', expected: 700n, actual: 700n, difference: 0n }]);
    await fund(settling, 50n, 2_000_000n);
    expect(differences(await compare())).toEqual([0]);
    await settling.index.follow();
    expect(await compare()).toMatchObject([{ expected: 700n, actual: 700n }]);
    await confirm();
    expect(await compare()).toMatchObject([{ expected: 750n, actual: 750n }]);
  });

  it('do not differ by what a reorganisation took away that a living indexer has not noticed yet', async () => {
    const compare = comparisonWith(nodes.slice(0, 1));
    await fund(settling, 10n, 3_000_000n);
    await settling.index.follow();
    await settling.network.rpc.request({ method: 'anvil_reorg', params: [1, []] } as never);
    expect(differences(await compare())).toEqual([0]);
    await settling.index.beat();
    expect(differences(await compare())).toEqual([0]);
  });

  it('differ when a quorum of the nodes says so', async () => {
    const [first, second, third] = nodes as [FaultyRpc, FaultyRpc, FaultyRpc];
    await Promise.all([first.fail(lies(900n)), third.fail(lies(900n))]);
    const compare = comparisonWith([first, second, third]);
    await compare();
    await settling.index.beat();
    expect(differences(await compare())).toEqual([150]);
  });

  it('do not differ while the indexer may be down, because its blocks may have been replaced meanwhile', async () => {
    const [first] = nodes as [FaultyRpc];
    const compare = comparisonWith([first]);
    await first.fail(lies(900n));
    expect([await compare(), await compare()]).toEqual([[], []]);
    await settling.index.beat();
    expect(differences(await compare())).toEqual([150]);
    expect(await compare()).toEqual([]);
    await first.heal();
    expect(differences(await compare())).toEqual([0]);
  });

  it('agree about the other tokens while a difference of one waits for the indexer', async () => {
    const [first] = nodes as [FaultyRpc];
    const eur = lowerAddress(settling.token);
    const gbp = lowerAddress(`0x${'11'.repeat(20)}`);
    // The index has no row about the other token.
    const lie: Lie = (result, params) => ((params[0] as { to: string }).to === eur ? result : supplyIs(1n)(result, params));
    await first.fail({ lies: { eth_call: lie } });
    const compare = comparisonWith([first], { tokens: { eur, gbp } });
    expect(await compare()).toMatchObject([{ currency: 'eur', difference: 0n }]);
    await settling.index.beat();
    expect(differences(await compare())).toEqual([0, 1]);
  });

  it('are not compared while fewer than a quorum have the block or its state', async () => {
    const [first, second] = nodes as [FaultyRpc, FaultyRpc];
    await second.fail({ lies: { eth_call: () => new Error('missing trie node') } });
    expect(await comparisonWith([first, second])()).toEqual([]);
    await second.fail({ lies: { eth_getBlockByNumber: () => null } });
    expect(await comparisonWith([first, second])()).toEqual([]);
    expect(alarms()).toEqual([]);
  });

  it('are no breach when one of two nodes lies: an alarm says so when it lasts', async () => {
    const [first, second] = nodes as [FaultyRpc, FaultyRpc];
    await second.fail(lies(1n));
    const compare = comparisonWith([first, second]);
    expect([await compare(), await compare(), alarms()]).toEqual([[], [], []]);
    expect(await compare()).toEqual([]);
    expect(alarms()).toEqual(['endpoints_disagree supply']);
    await second.heal();
    expect(differences(await compare())).toEqual([0]);
    expect(alarms()).toEqual([]);
  });

  it('are compared by two nodes that outvote a third, which is named', async () => {
    const [first, second, third] = nodes as [FaultyRpc, FaultyRpc, FaultyRpc];
    await first.fail(lies(1n));
    const compare = comparisonWith([first, second, third]);
    for (let turn = 0; turn < 3; turn += 1) expect(differences(await compare())).toEqual([0]);
    expect(settling.alarms.list()[0]?.text).toContain(`${new URL(first.url).origin} has 10000000000000000 in the block`);
    await first.heal();
    await compare();
  });

  it('are no breach while a node is on another fork', async () => {
    const [first, second] = nodes as [FaultyRpc, FaultyRpc];
    await second.fail({ lies: { eth_getBlockByNumber: (block) => ({ ...(block as object), hash: `0x${'ab'.repeat(32)}` }) } });
    expect(await comparisonWith([first, second])()).toEqual([]);
  });
});
