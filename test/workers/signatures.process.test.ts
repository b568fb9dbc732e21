import { type Address, hashMessage, parseAbi } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCustomer } from '../support/customer.ts';
import { execute, fundedAccount } from '../support/chain/local-chain.ts';
import {
  approveWithSafe,
  createSafe,
  deploySafeSuite,
  predictSafe,
  safeApproval,
  type SafeSuite,
  signWithSafe,
} from '../support/chain/safe.ts';
import { deployWallet, signWithPredictedSafe } from '../support/chain/wallets.ts';
import { setUpSignatureChecks, type SignatureChecks, textOf } from './signature-checks.ts';

const [anna, jon, sara] = [fundedAccount(2), fundedAccount(3), fundedAccount(4)];
const linkText = 'I hereby declare that I am the address owner.';
const waiting = 'placed, waiting waiting, order.created';
const ready = 'placed, ready waiting, order.created';
const rejected = 'rejected, refused void, order.created order.updated';

let stage: SignatureChecks;
let suite: SafeSuite;
let safe: Address;
let salt = 0;

async function setUp(confirmations: string, slotsInAnEpoch?: number): Promise<void> {
  stage = await setUpSignatureChecks({ CHIADO_CONFIRMATIONS: confirmations }, slotsInAnEpoch);
  suite = await deploySafeSuite(stage.chain, stage.network.anvil.url, '1.4.1');
  await makeSafe();
}

/** A Safe that has signed nothing yet. */
async function makeSafe(): Promise<void> {
  salt += 1;
  const owners = [anna, jon, sara].map(({ address }) => address);
  safe = await createSafe(stage.chain, suite, { owners, threshold: 2, saltNonce: salt });
}

const reorganise = (depth: number) => stage.chain.request({ method: 'anvil_reorg', params: [depth, []] } as never);
const approve = (text: string) => approveWithSafe(stage.chain, suite, safe, [anna, jon], text);

describe('with two blocks on top,', () => {
  beforeAll(() => setUp('2'));
  beforeEach(makeSafe);
  afterEach(() => stage.rest());
  afterAll(() => stage.close());

  it('a submitted signature that is valid places its order, ready to send, in the block in which it is asked', async () => {
    const signature = await signWithSafe(suite, safe, [anna, sara], textOf(1));
    const { order, request } = await stage.order({ address: safe, text: textOf(1), signature });
    expect(await stage.orderState(order)).toBeUndefined();
    const worker = stage.start();
    expect(await stage.decided(request)).toMatchObject({ state: 'valid', reason: null, orderId: order });
    expect(await stage.orderState(order)).toBe(ready);
    expect(worker.ready()).toBe(1);
  });

  it('a submitted signature that is invalid places nothing', async () => {
    const { order, request } = await stage.order({ address: safe, signature: await signWithSafe(suite, safe, [anna], textOf(1)) });
    const worker = stage.start();
    expect(await stage.decided(request)).toMatchObject({ state: 'invalid', reason: expect.stringMatching(/^invalid signature: /) });
    expect(await stage.orderState(order)).toBeUndefined();
    expect(worker.ready()).toBe(0);
  });

  it('a submitted signature links a Safe that is deployed, one that is not yet, and no other', async () => {
    const predicted = await predictSafe(suite, { owners: [anna.address], threshold: 1, saltNonce: 2 });
    const good = [
      await stage.link({ address: safe, signature: await signWithSafe(suite, safe, [jon, sara], linkText) }),
      await stage.link({ address: predicted.address, signature: await signWithPredictedSafe(suite, predicted, [anna], linkText) }),
    ];
    const other = await predictSafe(suite, { owners: [anna.address], threshold: 1, saltNonce: 3 });
    const bad = await stage.link({ address: other.address, signature: await signWithPredictedSafe(suite, other, [jon], linkText) });
    stage.start();
    for (const id of good) expect(await stage.decided(id)).toMatchObject({ state: 'valid' });
    expect(await stage.decided(bad)).toMatchObject({ state: 'invalid' });
    const link = { profile: stage.customer.profile, chain: 'chiado', proof: 'sentence' };
    expect(await stage.links(safe)).toEqual([link]);
    expect(await stage.links(predicted.address)).toEqual([link]);
    expect(await stage.links(other.address)).toEqual([]);
  });

  it('a submitted signature links nothing that another profile has linked meanwhile', async () => {
    const quicker = await createCustomer(stage.ledger, 'chiado');
    const signature = await signWithSafe(suite, safe, [anna, jon], linkText);
    const first = await stage.link({ address: safe, signature }, quicker);
    const second = await stage.link({ address: safe, signature });
    stage.start();
    const states = [await stage.decided(first), await stage.decided(second)];
    const winner = states.find(({ state }) => state === 'valid');
    expect(states.map(({ state }) => state).toSorted()).toEqual(['invalid', 'valid']);
    expect(states.find(({ state }) => state === 'invalid')?.reason).toBe('already linked');
    expect(await stage.links(safe)).toMatchObject([{ profile: winner?.profile, chain: 'chiado' }]);
  });

  it('a signature on chain counts from the confirmed head on', async () => {
    const { head, ready: orders } = stage.start();
    const { order, request, text } = await stage.order({ address: safe });
    const link = await stage.link({ address: safe });
    expect(await stage.orderState(order)).toBe(waiting);
    await stage.mineAndLook(head, 5);
    await approve(text);
    await stage.mineAndLook(head, 0);
    expect(await stage.orderState(order)).toBe(waiting);
    await approve(linkText);
    await stage.mineAndLook(head, 0);
    expect(await stage.orderState(order)).toBe(waiting);
    await stage.mineAndLook(head, 1);
    // The link's has one block on top.
    expect(await stage.decided(request)).toMatchObject({ state: 'valid' });
    expect(await stage.orderState(order)).toBe(ready);
    expect(orders()).toBe(1);
    expect((await stage.requests()).find(({ id }) => id === link)?.state).toBe('pending');
    await stage.mineAndLook(head, 1);
    expect(await stage.decided(link)).toMatchObject({ state: 'valid' });
    expect(await stage.links(safe)).toHaveLength(1);
  });

  it('a signature on chain is withdrawn by a reorganisation before it is confirmed; a later one completes the order', async () => {
    const { head } = stage.start();
    const { order, request, text } = await stage.order({ address: safe });
    await approve(text);
    await stage.mineAndLook(head, 1);
    await reorganise(2);
    await stage.mineAndLook(head, 5);
    expect(await stage.orderState(order)).toBe(waiting);
    await approve(text);
    await stage.mineAndLook(head, 2);
    expect(await stage.decided(request)).toMatchObject({ state: 'valid' });
    expect(await stage.orderState(order)).toBe(ready);
  });

  it('a signature on chain is given up after five days, unless it is there by then', async () => {
    const late = await stage.order({ address: safe });
    const wallet = await deployWallet(stage.chain, 'ApprovingWallet');
    const lateLink = await stage.link({ address: wallet });
    const young = await stage.order({ address: safe });
    const signed = await stage.order({ address: safe });
    for (const id of [late.request, lateLink, signed.request]) await stage.makeOld(id, 5.001);
    await stage.makeOld(young.request, 4.99);
    await approve(signed.text);
    await stage.chain.mine({ blocks: 2 });
    stage.start();
    expect(await stage.decided(late.request)).toMatchObject({ state: 'expired', reason: 'the account did not sign within 5 days' });
    expect(await stage.decided(lateLink)).toMatchObject({ state: 'expired' });
    expect(await stage.decided(signed.request)).toMatchObject({ state: 'valid' });
    expect(await stage.orderState(late.order)).toBe(rejected);
    const { rejectedReason } = await stage.ledger.selectFrom('orders').where('id', '=', late.order).selectAll().executeTakeFirstOrThrow();
    expect(rejectedReason).toBe('the account did not sign within 5 days');
    expect(await stage.links(wallet)).toEqual([]);
    expect(await stage.orderState(young.order)).toBe(waiting);
    expect(await stage.orderState(signed.order)).toBe(ready);
  });

  it('a signature on chain is taken back by its account before it counts', async () => {
    const wallet = await deployWallet(stage.chain, 'ApprovingWallet');
    const abi = parseAbi(['function approve(bytes32 hash, bool approves)']);
    const { order, text } = await stage.order({ address: wallet });
    const { head } = stage.start();
    for (const approves of [true, false]) await execute(stage.chain, wallet, abi, 'approve', [hashMessage(text), approves]);
    await stage.chain.mine({ blocks: 5 });
    await stage.mineAndLook(head, 1);
    expect(await stage.orderState(order)).toBe(waiting);
  });
});

describe('with other blocks on top,', () => {
  afterEach(() => stage.close());

  it('a signature on chain does not count while its transaction is pending, also where no block on top is asked for', async () => {
    await setUp('0');
    const { order, request, text } = await stage.order({ address: safe });
    await stage.chain.sendTransaction({ account: fundedAccount(0), ...(await safeApproval(suite, safe, [anna, jon], text)) });
    const question = { address: safe, abi: parseAbi(['function isValidSignature(bytes32, bytes) view returns (bytes4)']) };
    const asked = { ...question, functionName: 'isValidSignature', args: [hashMessage(text), '0x'] } as const;
    expect(await stage.chain.readContract({ ...asked, blockTag: 'pending' })).toBe('0x1626ba7e');
    const { head } = stage.start();
    await stage.mineAndLook(head, 0);
    expect(await stage.orderState(order)).toBe(waiting);
    await stage.mineAndLook(head, 1);
    expect(await stage.decided(request)).toMatchObject({ state: 'valid' });
  });

  it('a signature on chain counts when its block is finalized, where the policy asks for that', async () => {
    await setUp('finalized', 1);
    const { head } = stage.start();
    const { order, request, text } = await stage.order({ address: safe });
    await approve(text);
    await stage.mineAndLook(head, 1);
    expect(await stage.orderState(order)).toBe(waiting);
    await stage.mineAndLook(head, 1);
    expect(await stage.decided(request)).toMatchObject({ state: 'valid' });
  });
});
