import { sql } from 'kysely';
import { type Address, hashMessage, parseAbi } from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunningHead } from '../../src/chain/head.ts';
import { putOffSignatures } from '../../src/ledger/orders/due-signatures.ts';
import { placeBeforeVerdict } from '../../src/ledger/orders/signature-requests.ts';
import { lowerAddress } from '../../src/platform/addresses.ts';
import { createCustomer } from '../support/customer.ts';
import { execute, fundedAccount } from '../support/chain/local-chain.ts';
import { type FaultyRpc, type RpcFault, startFaultyRpc } from '../support/chain/rpc-faults.ts';
import { until } from '../support/until.ts';
import { deployWallet } from '../support/chain/wallets.ts';
import { setUpSignatureChecks, type SignatureChecks, textOf } from './signature-checks.ts';

const anna = fundedAccount(2);
const waiting = 'placed, waiting waiting, order.created';
const ready = 'placed, ready waiting, order.created';

let stage: SignatureChecks;
let faulty: FaultyRpc;
/** Signs by Anna's key. */
let owned: Address;
/** Signs on chain. */
let approving: Address;

beforeEach(async () => {
  stage = await setUpSignatureChecks({ CHIADO_CONFIRMATIONS: '2' });
  faulty = await startFaultyRpc(stage.network.anvil.url);
  owned = await deployWallet(stage.chain, 'OwnerWallet', anna.address);
  approving = await deployWallet(stage.chain, 'ApprovingWallet');
});

afterEach(async () => {
  await stage.close();
  await faulty.close();
});

const sign = (text: string) => anna.signMessage({ message: text });
const abi = parseAbi(['function approve(bytes32 hash, bool approves)']);
const approve = (text: string) => execute(stage.chain, approving, abi, 'approve', [hashMessage(text), true]);
const states = async (ids: string[]) => {
  const rows = await stage.requests();
  return ids.map((id) => rows.find((row) => row.id === id)?.state);
};
const asked = (count: number) => until(`the node is asked ${count} times more`, counted(faulty.requests() + count));
const counted = (target: number) => async () => faulty.requests() >= target || undefined;

describe('while a node', () => {
  /** Every other fault makes a verdict unavailable as these do: test/chain/signatures/verify-outage.process.test.ts. */
  const faults: [string, RpcFault][] = [
    ['limits requests', { status: 429 }],
    ['answers null', 'null'],
  ];

  it.each(faults)('%s nothing is decided or given up; when it is back, all is', async (_, fault) => {
    const good = await stage.order({ address: owned, text: textOf(1), signature: await sign(textOf(1)) });
    const bad = await stage.order({ address: owned, text: textOf(2), signature: await sign(textOf(3)) });
    const onChain = await stage.order({ address: approving });
    const unsigned = await stage.order({ address: approving });
    for (const { request } of [good, bad]) await placeBeforeVerdict(stage.ledger, request);
    await approve(onChain.text);
    await stage.chain.mine({ blocks: 2 });
    // Five days run out during the outage.
    const orders = [good, bad, onChain, unsigned];
    const requests = orders.map(({ request }) => request);
    for (const request of requests) await stage.makeOld(request, 6);

    await faulty.fail(fault);
    // The head is known from before the outage.
    const head = headAt(() => newest);
    const newest = await stage.chain.getBlockNumber();
    const { ready: becameReady } = stage.start({ url: faulty.url, head });
    await asked(5);
    expect(await states(requests)).toEqual(['pending', 'pending', 'pending', 'pending']);
    for (const { order } of orders) expect(await stage.orderState(order)).toBe(waiting);

    await faulty.heal();
    for (const request of requests) await stage.decided(request);
    expect(await states(requests)).toEqual(['valid', 'invalid', 'valid', 'expired']);
    expect(await stage.orderState(good.order)).toBe(ready);
    expect(await stage.orderState(onChain.order)).toBe(ready);
    expect(await stage.orderState(bad.order)).toBe('rejected, refused void, order.created order.updated');
    expect(becameReady()).toBe(2);
  });
});

it('a node that lags behind another decides nothing', async () => {
  const text = textOf(1);
  const { request } = await stage.order({ address: fundedAccount(5).address, text, signature: await sign(text) });
  const seen = (await stage.chain.getBlockNumber()) + 3n;
  const head = headAt(() => seen);
  stage.start({ url: faulty.url, head });
  await asked(6);
  expect(await states([request])).toEqual(['pending']);
  await stage.chain.mine({ blocks: 3 });
  expect(await stage.decided(request)).toMatchObject({ state: 'invalid' });
});

it('3,000 signatures that one profile waits for cost a few requests in a block, and another profile waits no longer for its own', async () => {
  const { profile } = stage.customer;
  await sql`
    insert into signature_requests (kind, profile, chain, address, digest, signature, draft, check_at)
    select 'linkAddress', ${profile}, 'chiado', ${lowerAddress(owned)}, '0x' || lpad(to_hex(n), 64, '0'), '0x', '{}', now() - interval '1 day'
    from generate_series(1, 3000) n
  `.execute(stage.ledger);
  const other = await createCustomer(stage.ledger, 'chiado');
  const link = await stage.link({ address: approving, text: textOf(7) }, other);
  // The head is asked elsewhere, so that all that comes here is for signatures.
  const { head } = stage.start();
  stage.start({ url: faulty.url, head });
  await asked(1);
  const before = faulty.requests();
  for (let block = 1; block <= 3; block += 1) {
    await stage.mineAndLook(head, 1);
    // For the price of gas and the sender's money, in one request or two, and for what one call has gas for, twice.
    await until('the node was asked', counted(before + 3 * block));
  }
  // All together: what a turn asks last may come when the next block is there.
  expect(faulty.requests() - before).toBeLessThan(3 * 5);
  await approve(textOf(7));
  await stage.chain.mine({ blocks: 2 });
  expect(await stage.decided(link)).toMatchObject({ state: 'valid' });
  expect(await stage.links(approving)).toMatchObject([{ profile: other.profile, chain: 'chiado' }]);
});

it('a signature on chain is looked for the less often the older its request is', async () => {
  const ages = [60, 3_600, 86_400, 4.999 * 86_400];
  const requests = await Promise.all(ages.map(() => stage.link({ address: approving, text: textOf(8) })));
  for (const [index, id] of requests.entries()) await stage.makeOld(id, (ages[index] as number) / 86_400);
  await putOffSignatures(stage.ledger, requests);
  const rows = await stage.requests();
  const pauses = requests.map((id) => ((rows.find((row) => row.id === id)?.checkAt.getTime() ?? 0) - Date.now()) / 1_000);
  for (const [index, seconds] of [0.3, 18, 432, 86.4].entries()) expect(Math.abs((pauses[index] as number) - seconds)).toBeLessThan(5);
});

/** A head that is known and never rises. */
function headAt(number: () => bigint): RunningHead {
  const fixed = { block: () => undefined, ancestor: () => undefined, reorganisations: () => 0, outage: () => undefined };
  return { ...fixed, number, onBlock: () => ({ close: async () => {} }), close: async () => {} };
}
