import { randomUUID } from 'node:crypto';
import type { Hex } from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eMoneyTokenAbi } from '../../abis/eMoneyToken.ts';
import { encodeIssue, encodeRedeem, type RedeemItem } from '../../src/chain/token/calls.ts';
import { isAnySequenceUsed } from '../../src/chain/token/used-sequences.ts';
import { readOrderHistory } from '../../src/ledger/orders/order-history.ts';
import { acceptOutcome } from '../../src/ledger/recovery/decide-outcomes.ts';
import { listOpenOutcomes } from '../../src/ledger/recovery/unrecorded-outcomes.ts';
import { lowerAddress } from '../../src/platform/addresses.ts';
import { minorUnits, toTokenUnits } from '../../src/platform/money.ts';
import { fundedAccount } from '../support/chain/local-chain.ts';
import { fund, type Settling, startSettling, steal } from './settling.ts';

let settling: Settling;
beforeEach(async () => void (settling = await startSettling()));
afterEach(() => settling?.stop());

const balance = (account: `0x${string}` = settling.customer.address) =>
  settling.network.rpc.readContract({ address: settling.token, abi: eMoneyTokenAbi, functionName: 'balanceOf', args: [account] });
const sendAndSettle = async () => {
  await settling.send('issue');
  await settling.settle(1);
};
/** What an operator has set aside no longer holds up the issues. Returns how many that were. */
const sendAnew = async () => {
  const count = await settling.setAside();
  await sendAndSettle();
  return count;
};
const alarms = () => settling.alarms.list().filter(({ kind }) => kind !== 'ledger_behind');

/** The customer's redemption as a thief sends it. */
const taken = (order: { message: string; signature: Hex }, changes: Partial<RedeemItem> = {}) => {
  const { message, signature } = order;
  const item = { orderId: randomUUID(), account: settling.customer.address, amount: minorUnits(1_250n), message, signature };
  return encodeRedeem([{ ...item, ...changes }]);
};

/** What a thief issues to an account of their own, or for an order of ours. */
const stolen = (sequence: bigint, changes: { orderId?: string; account?: `0x${string}`; amount?: bigint } = {}) => {
  const { orderId = randomUUID(), account = fundedAccount(6).address, amount = 1n } = changes;
  return encodeIssue([{ orderId, account, amount: minorUnits(amount), sequence }]);
};

describe('sequence numbers that somebody else used up', () => {
  it.each([
    ['an order of their own', () => ({})],
    ['our order with another account', (orderId: string) => ({ orderId, amount: 500n })],
    ['our order with another amount', (orderId: string) => ({ orderId, account: settling.customer.address, amount: 499n })],
  ])('for %s: the leg is sent again under another, and happens once', async (_, changes) => {
    const id = await settling.credit(500n);
    const theft = await steal(settling, stolen(0n, changes(id)));
    const before = await balance();
    await sendAndSettle();
    expect(await settling.leg(id, 'issue')).toMatchObject({ state: 'ready', sequence: null });
    expect(alarms()).toMatchObject([{ kind: 'sequence_used_elsewhere', subject: settling.token }]);
    expect(alarms()[0]?.text).toMatch(new RegExp(`number 0 .*${theft.transactionHash}.*revoke`, 's'));
    const failed = (await readOrderHistory(settling.ledger, id)).find(({ type }) => type === 'transaction.failed');
    expect(failed).toMatchObject({
      txHash: theft.transactionHash,
      reason: 'its sequence number 0 was used by another transaction: it is sent anew with a new number',
    });

    expect(await sendAnew()).toBe(1);
    expect(await settling.order(id)).toMatchObject({ state: 'processed' });
    expect(await settling.leg(id, 'issue')).toMatchObject({ state: 'done', sequence: 1n });
    expect((await balance()) - before).toBe(toTokenUnits(minorUnits(500n)));
  });

  it('for our order with another account: nothing is issued until an operator takes it for the order, or sets it aside', async () => {
    const id = await settling.credit(500n);
    const other = lowerAddress(fundedAccount(6).address);
    await steal(settling, stolen(0n, { orderId: id, amount: 500n }));
    await settling.settle(1);
    expect(settling.alarms.list()).toMatchObject([{ kind: 'ledger_behind', subject: 'chiado' }]);
    expect((await settling.record('issue')).sequences).toEqual([]);
    const [outcome] = await listOpenOutcomes(settling.ledger, 10);
    expect(outcome).toMatchObject({ orderId: id, account: other, order: { account: settling.customer.address, amount: 500n } });
    await acceptOutcome(settling.ledger, outcome?.id ?? '');
    await settling.settle(1);
    expect(await settling.order(id)).toMatchObject({ state: 'processed', address: other });
    expect(settling.alarms.list()).toEqual([]);
    await expect(acceptOutcome(settling.ledger, outcome?.id ?? '')).rejects.toMatchObject({
      code: 'not_possible',
      message: expect.stringContaining('see `mintrail recover`') as string,
    });
  });

  it('for another order with our account and amount: it cannot be set aside, and ends the leg once an operator takes it for the order', async () => {
    const id = await settling.credit(500n);
    await steal(settling, stolen(0n, { account: settling.customer.address, amount: 500n }));
    const before = await balance();
    await sendAndSettle();
    const [outcome] = await listOpenOutcomes(settling.ledger, 10);
    expect(outcome).toMatchObject({ order: null, sameIssue: { orderId: id, state: 'ready' } });
    await expect(settling.setAside()).rejects.toThrow(`mintrail recover accept ${outcome?.id} --order ${id}`);
    await acceptOutcome(settling.ledger, outcome?.id ?? '', id);
    await settling.settle(1);
    expect(await settling.leg(id, 'issue')).toMatchObject({ state: 'done', sequence: 0n });
    expect(await settling.order(id)).toMatchObject({ state: 'processed' });
    expect(await balance()).toBe(before);
  });

  it('by an issue that the contract refused to a thief: the order is not rejected for it', async () => {
    const id = await settling.credit(500n);
    await steal(settling, stolen(0n, { account: settling.token }));
    await sendAndSettle();
    expect(await settling.leg(id, 'issue')).toMatchObject({ state: 'ready' });
    await sendAnew();
    expect(await settling.order(id)).toMatchObject({ state: 'processed' });
  });

  it('are found before the first issue, also where they leave a gap behind the next number', async () => {
    await steal(settling, stolen(9n));
    await steal(settling, stolen(31n));
    const isUsedFrom = (first: bigint) => isAnySequenceUsed(settling.network.rpc, settling.token, first);
    expect(await Promise.all([0n, 9n, 10n, 31n, 32n].map(isUsedFrom))).toEqual([true, true, true, true, false]);
  });

  it('ahead of the ledger cost a leg one more transaction, however many they are', async () => {
    const used = [0n, 1n, 2n, 3n, 5n, 700n, 999_000n];
    for (const sequence of used) await steal(settling, stolen(sequence));
    const id = await settling.credit(500n);
    await sendAndSettle();
    await sendAnew();
    expect(await settling.leg(id, 'issue')).toMatchObject({ state: 'done', sequence: 999_001n });
  });

  it('at the end of all numbers are not skipped to: the next ones are free', async () => {
    await steal(settling, stolen(0n));
    await steal(settling, stolen(2n ** 64n - 1n));
    const id = await settling.credit(500n);
    await sendAndSettle();
    await sendAnew();
    expect(await settling.leg(id, 'issue')).toMatchObject({ state: 'done', sequence: 1n });
  });

  it('for the very same issue count as our own: it happened', async () => {
    const id = await settling.credit(500n);
    const { transactionHash } = await steal(settling, stolen(0n, { orderId: id, account: settling.customer.address, amount: 500n }));
    await sendAndSettle();
    expect(await settling.order(id)).toMatchObject({ state: 'processed', txHashes: [transactionHash] });
  });

  it('are named by an alarm for a day, through a restart of the worker', async () => {
    await settling.credit(500n);
    await steal(settling, stolen(0n));
    await sendAndSettle();
    settling.alarms.clear('sequence_used_elsewhere', settling.token);
    const restarted = settling.settlerWith({});
    await restarted.turn();
    expect(alarms()).toMatchObject([{ kind: 'sequence_used_elsewhere', subject: settling.token }]);
    settling.clock.ahead += 25 * 3_600_000;
    await restarted.turn();
    expect(alarms()).toEqual([]);
  });
});

describe('a message that somebody else sent', () => {
  beforeEach(async () => fund(settling, 10_000n));

  it('with a false signature refuses nothing: the order is processed', async () => {
    const order = await settling.redeem(1_250n);
    const { hash, raw } = await settling.record('redeem');
    const theft = await steal(settling, taken(order, { orderId: order.id, signature: `0x${'11'.repeat(65)}` }));
    await settling.settle(1);
    expect(await settling.leg(order.id, 'redeem')).toMatchObject({ state: 'sent' });
    expect(alarms()).toMatchObject([{ kind: 'outcome_disagrees' }]);
    expect(alarms()[0]?.text).toContain(theft.transactionHash);
    await settling.broadcast(raw);
    await settling.settle(1);
    expect(await settling.leg(order.id, 'redeem')).toMatchObject({ state: 'done', txHash: hash });
    expect(alarms()).toEqual([]);
  });

  it('with a wrong amount refuses nothing', async () => {
    const order = await settling.redeem(1_250n);
    const { raw } = await settling.record('redeem');
    await steal(settling, taken(order, { orderId: order.id, amount: minorUnits(1n) }));
    await settling.settle(1);
    expect(await settling.leg(order.id, 'redeem')).toMatchObject({ state: 'sent' });
    await settling.broadcast(raw);
    await settling.settle(1);
    expect(await settling.leg(order.id, 'redeem')).toMatchObject({ state: 'done' });
  });

  it('and the holder signed is burnt, under whichever order id: it is paid out once', async () => {
    const order = await settling.redeem(1_250n);
    const { raw } = await settling.record('redeem');
    const { transactionHash } = await steal(settling, taken(order));
    await settling.broadcast(raw);
    await settling.settle(1);
    expect(await settling.leg(order.id, 'redeem')).toMatchObject({ state: 'done', txHash: transactionHash });
    expect(await settling.leg(order.id, 'payout')).toMatchObject({ state: 'ready' });
  });

  it('and the contract refused for good is refused, too', async () => {
    const order = await settling.redeem(99_999n);
    await settling.record('redeem');
    await steal(settling, taken(order, { amount: minorUnits(99_999n) }));
    await settling.settle(1);
    expect(await settling.order(order.id)).toMatchObject({
      state: 'rejected',
      rejectedReason: 'the account holds less than the amount',
    });
  });

  it('does not hide our own refusal of a false signature', async () => {
    const order = await settling.redeem(1_250n, { signature: `0x${'22'.repeat(65)}` });
    const hash = await settling.send('redeem');
    await settling.settle(1);
    expect(await settling.order(order.id)).toMatchObject({
      state: 'rejected',
      rejectedReason: 'the signature is invalid',
      txHashes: [hash],
    });
  });
});
