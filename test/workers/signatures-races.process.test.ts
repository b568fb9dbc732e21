import { type Address, hashMessage, parseAbi } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { placeBeforeVerdict, decideSignature, requestSignature } from '../../src/ledger/orders/signature-requests.ts';
import { lowerAddress } from '../../src/platform/addresses.ts';
import { execute, fundedAccount } from '../support/chain/local-chain.ts';
import { deployWallet } from '../support/chain/wallets.ts';
import { setUpSignatureChecks, type SignatureChecks, textOf } from './signature-checks.ts';

const anna = fundedAccount(2);
const waiting = 'placed, waiting waiting, order.created';
const ready = 'placed, ready waiting, order.created';
const rejected = 'rejected, refused void, order.created order.updated';
const invalid = { state: 'invalid', reason: 'invalid signature: no' } as const;

let stage: SignatureChecks;
let owned: Address;

beforeAll(async () => {
  stage = await setUpSignatureChecks();
  owned = await deployWallet(stage.chain, 'OwnerWallet', anna.address);
});

afterAll(() => stage.close());

let texts = 1_000;

async function submitted() {
  texts += 1;
  const text = textOf(texts);
  return stage.order({ address: owned, text, signature: await anna.signMessage({ message: text }) });
}

it('a burst of verdicts leaves connections to the other loops of its network', async () => {
  const orders: Awaited<ReturnType<typeof submitted>>[] = [];
  for (let count = 0; count < 6; count += 1) orders.push(await submitted());
  stage.connections.mostInUse = 0;
  const worker = stage.start();
  for (const { request } of orders) await stage.decided(request);
  await worker.close();
  expect(stage.connections.mostInUse, 'of three: one of a decision, one of this test').toBeLessThanOrEqual(2);
});

describe('a verdict and the client that stops waiting for it', () => {
  it('leave one order, ready to send, whichever comes first', async () => {
    const [late, early] = [await submitted(), await submitted()];
    await placeBeforeVerdict(stage.ledger, late.request);
    expect(await stage.orderState(late.order)).toBe(waiting);
    expect(await decideSignature(stage.ledger, late.request, { state: 'valid' })).toEqual({ state: 'valid' });
    await decideSignature(stage.ledger, early.request, { state: 'valid' });
    await placeBeforeVerdict(stage.ledger, early.request);
    for (const { order } of [late, early]) expect(await stage.orderState(order)).toBe(ready);
  });

  it('leave a rejected order, or none, when the signature is invalid', async () => {
    const [late, early] = [await submitted(), await submitted()];
    await placeBeforeVerdict(stage.ledger, late.request);
    await decideSignature(stage.ledger, late.request, invalid);
    await decideSignature(stage.ledger, early.request, invalid);
    await placeBeforeVerdict(stage.ledger, early.request);
    expect(await stage.orderState(late.order)).toBe(rejected);
    expect(await stage.orderState(early.order)).toBeUndefined();
  });

  it('do so at the same moment, too', async () => {
    const outcomes = new Set<string | undefined>();
    for (let round = 0; round < 40; round += 1) {
      const { order, request } = await submitted();
      const verdict = round % 2 === 0 ? ({ state: 'valid' } as const) : invalid;
      const both = [() => placeBeforeVerdict(stage.ledger, request), () => decideSignature(stage.ledger, request, verdict)];
      if (round % 4 > 1) both.reverse();
      await Promise.all(both.map((each) => each()));
      const state = await stage.orderState(order);
      expect(verdict.state === 'valid' ? [ready] : [rejected, undefined]).toContain(state);
      outcomes.add(state);
    }
    expect(outcomes).toContain(ready);
  });
});

it('a second verdict changes nothing, and says so', async () => {
  const { order, request } = await submitted();
  expect(await decideSignature(stage.ledger, request, { state: 'valid' })).toEqual({ state: 'valid' });
  expect(await decideSignature(stage.ledger, request, invalid)).toBeUndefined();
  expect(await stage.orderState(order)).toBe(ready);
});

it('a message that authorises an order already is not asked for again on chain', async () => {
  const first = await stage.order({ address: owned });
  const before = (await stage.requests()).length;
  const second = await stage.order({ address: owned, text: first.text });
  expect(second.request).toBeUndefined();
  expect(await stage.requests()).toHaveLength(before);
  expect(await stage.orderState(second.order)).toBeUndefined();
});

it('two submitted requests for one message are one', async () => {
  const { text } = await submitted();
  const signature = await anna.signMessage({ message: text });
  const again = await stage.order({ address: owned, text, signature });
  expect(again.request).toBeUndefined();
});

it('two workers decide each request once, and one that cannot be recorded holds up no other', async () => {
  const abi = parseAbi(['function approve(bytes32 hash, bool approves)']);
  const approving = await deployWallet(stage.chain, 'ApprovingWallet');
  const broken = await anna.signMessage({ message: textOf(1) });
  // No order has an amount of nothing: recording its verdict fails for ever.
  const poison = await stage.order({ address: owned, text: textOf(1), signature: broken }, { amount: '0' });
  const orders = await Promise.all([...Array.from({ length: 30 }, submitted), stage.order({ address: approving })]);
  const link = await stage.link({
    address: owned,
    signature: await anna.signMessage({ message: 'I am the owner' }),
    text: 'I am the owner',
  });
  await execute(stage.chain, approving, abi, 'approve', [hashMessage(orders.at(-1)?.text as string), true]);

  const before = (await stage.requests()).filter(({ state, kind }) => state === 'pending' && kind === 'order').length;
  const workers = [stage.start(), stage.start()];
  for (const { request } of orders) expect(await stage.decided(request)).toMatchObject({ state: 'valid' });
  for (const { order } of orders) expect(await stage.orderState(order)).toBe(ready);
  expect(await stage.decided(link)).toMatchObject({ state: 'valid' });
  const after = (await stage.requests()).filter(({ state, kind }) => state === 'pending' && kind === 'order');
  expect(after.map(({ id }) => id)).toContain(poison.request);
  expect(workers.reduce((sum, { ready: count }) => sum + count(), 0)).toBe(before - after.length);
});

it('a request of another network is left alone', async () => {
  const draft = { profile: stage.customer.profile, address: owned, chain: 'gnosis' as const, user: stage.customer.user };
  const given = { digest: hashMessage('x'), signature: await anna.signMessage({ message: 'x' }), correlationId: null };
  const id = await requestSignature(stage.ledger, { kind: 'linkAddress', draft: { ...draft, address: lowerAddress(owned) }, ...given });
  const own = await submitted();
  stage.start();
  await stage.decided(own.request);
  expect((await stage.requests()).find((row) => row.id === id)?.state).toBe('pending');
});
