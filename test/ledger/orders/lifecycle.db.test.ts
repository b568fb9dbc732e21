import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { rejectUnsigned } from '../../../src/ledger/orders/lifecycle.ts';
import { settleLegs } from '../../../src/ledger/orders/settling/settle-legs.ts';
import { inTransaction } from '../../../src/ledger/ledger.ts';
import { insertRedemption } from '../../../src/ledger/orders/placement/insert-redemptions.ts';
import { retryGiveBack, stuckOrders } from '../../../src/ledger/orders/stuck-orders.ts';
import type { Counterpart } from '../../../src/schema/column-types.ts';
import type { LegKind } from '../../../src/schema/states.ts';
import { creditTo, issueCredits } from '../../support/credits.ts';
import { createCustomer, type TestCustomer } from '../../support/customer.ts';
import { endLeg } from '../../support/end-leg.ts';
import { testLedger } from '../../support/test-ledger.ts';
import { idOfDependentOrder } from '../../support/derived-order-ids.ts';
import { takeOrderIds } from '../../support/take-order-id.ts';
import { unsignedDraft } from '../../support/redemptions.ts';

const { ledger } = testLedger();
let customer: TestCustomer;
let recipient: TestCustomer;

beforeAll(async () => {
  customer = await createCustomer(ledger, 'chiado');
  recipient = await createCustomer(ledger, 'sepolia');
});

const hash = () => `0x${randomBytes(32).toString('hex')}`;
const toBank: Counterpart = {
  identifier: { standard: 'iban', iban: 'IS140159260076545510730339' },
  details: { name: 'Jón', country: 'IS' },
};
const toChain = (): Counterpart => ({ identifier: { standard: 'chain', address: recipient.address, chain: 'sepolia' }, details: {} });

async function place(
  counterpart: Counterpart,
  { signed = true, id = randomUUID() }: { signed?: boolean; id?: string } = {},
): Promise<string> {
  const draft = unsignedDraft({ id, profile: customer.profile, address: customer.address, counterpart });
  expect(await inTransaction(ledger, (tx) => insertRedemption(tx, draft, signed ? 'by key' : 'awaited'))).toBe(true);
  return draft.id;
}

async function placeCredit(payerIban?: string): Promise<string> {
  const payer = { name: 'Jón', ...(payerIban ? { iban: payerIban } : {}) };
  const [placed = ''] = await issueCredits(ledger, [creditTo(customer.iban, 300n, { payer })]);
  return placed;
}

const order = (id: string) => ledger.selectFrom('orders').where('id', '=', id).selectAll().executeTakeFirstOrThrow();
const legs = (id: string) =>
  ledger
    .selectFrom('legs')
    .where('orderId', '=', id)
    .orderBy('position')
    .select(['id', 'kind', 'state', 'chain', 'account', 'amount'])
    .execute();
const states = async (id: string) => (await legs(id)).map((leg) => `${leg.kind} ${leg.state}`);
const events = async (id: string) =>
  (await ledger.selectFrom('events').where('subject', '=', id).orderBy('id').select('type').execute()).map(({ type }) => type);
const dependent = (source: string) => ledger.selectFrom('orders').where('sourceOrder', '=', source).selectAll().executeTakeFirstOrThrow();

const end = (id: string, kind: LegKind, refused: string | null = null, blockNumber = 1n) =>
  endLeg(ledger, id, kind, { refused, blockNumber });

it('a redemption whose dependent order cannot be placed, because its id is taken, keeps no other from being settled', async () => {
  const [id, other] = [await place(toChain()), await place(toChain())];
  const { digest } = await order(id);
  await takeOrderIds(ledger, customer, [
    await idOfDependentOrder(ledger, { chain: 'chiado', address: customer.address, digest: digest ?? '' }),
  ]);
  const burns = [...(await legs(id)), ...(await legs(other))].filter(({ kind }) => kind === 'redeem');
  await settleLegs(
    ledger,
    burns.map((leg) => ({ legId: leg.id, txHash: hash(), blockNumber: 1n, refused: null })),
  );
  expect(await states(other)).toEqual(['redeem done', 'payout sent']);
  expect(await states(id)).toEqual(['redeem done', 'payout refused', 'issue ready']);
  await end(id, 'issue');
  expect(await order(id)).toMatchObject({ state: 'rejected', rejectedReason: 'the id of its order on the other chain is taken' });
});

describe('a redemption to a bank account', () => {
  it('is burnt, then pending until it is paid out, then processed with the hash of the burn', async () => {
    const id = await place(toBank);
    expect(await states(id)).toEqual(['redeem ready', 'payout waiting']);
    const burn = await end(id, 'redeem');
    expect(await states(id)).toEqual(['redeem done', 'payout ready']);
    expect(await order(id)).toMatchObject({ state: 'pending' });
    expect(await ledger.selectFrom('openOrders').where('id', '=', id).select('state').execute()).toEqual([{ state: 'pending' }]);
    await end(id, 'payout');
    expect(await order(id)).toMatchObject({ state: 'processed', txHashes: [burn] });
    expect(await events(id)).toEqual(['order.created', 'order.updated']);
  });

  it.each<[string, boolean, (id: string, why: string) => Promise<unknown>]>([
    ['the contract refuses the burn', true, (id, why) => end(id, 'redeem', why)],
    ['its signature is invalid', false, (id, why) => inTransaction(ledger, (tx) => rejectUnsigned(tx, id, why))],
  ])('is rejected with the reason when %s, and never paid', async (why, signed, refuse) => {
    const id = await place(toBank, { signed });
    await refuse(id, why);
    expect(await order(id)).toMatchObject({ state: 'rejected', rejectedReason: why });
    expect(await states(id)).toEqual(['redeem refused', 'payout void']);
  });

  it('gets its tokens back when the bank refuses, and is rejected with both hashes once they are', async () => {
    const id = await place(toBank);
    const burn = await end(id, 'redeem');
    await end(id, 'payout', 'AC04 closed account number');
    expect(await states(id)).toEqual(['redeem done', 'payout refused', 'issue ready']);
    expect((await order(id)).state).toBe('pending');
    expect((await legs(id))[2]).toMatchObject({ chain: 'chiado', account: customer.address, amount: 1250n });
    const back = await end(id, 'issue');
    expect(await order(id)).toMatchObject({ state: 'rejected', rejectedReason: 'AC04 closed account number', txHashes: [burn, back] });
    expect(await events(id)).toEqual(['order.created', 'order.updated']);
  });

  it('stays open for the operator when its tokens cannot be given back', async () => {
    const id = await place(toBank);
    await end(id, 'redeem');
    await end(id, 'payout', 'AC04 closed account number');
    await end(id, 'issue', 'the account is blocked');
    expect((await order(id)).state).toBe('pending');
    expect(await events(id)).toEqual(['order.created']);
    expect(await stuckOrders(ledger)).toMatchObject([{ id, reason: 'the account is blocked' }]);

    await retryGiveBack(ledger, id);
    await expect(retryGiveBack(ledger, id)).rejects.toMatchObject({
      code: 'not_possible',
      message: expect.stringContaining('is not stuck') as string,
    });
    expect(await stuckOrders(ledger)).toEqual([]);
    await end(id, 'issue', null, 2n);
    expect(await order(id)).toMatchObject({ state: 'rejected', rejectedReason: 'AC04 closed account number' });
  });

  it('does not refuse the tokens again by the outcome after which an operator gave them back anew', async () => {
    const id = await place(toBank);
    await end(id, 'redeem');
    await end(id, 'payout', 'AC04 closed account number');
    await end(id, 'issue', 'the account is blocked', 5n);
    await retryGiveBack(ledger, id);
    await end(id, 'issue', 'the account is blocked', 5n);
    expect(await states(id)).toEqual(['redeem done', 'payout refused', 'issue ready']);
    await end(id, 'issue', 'the account is blocked', 6n);
    expect(await states(id)).toEqual(['redeem done', 'payout refused', 'issue refused']);
  });

  it('ends a leg once, whatever comes later', async () => {
    const id = await place(toBank);
    const burn = await end(id, 'redeem');
    await end(id, 'redeem', 'the signature is invalid');
    await end(id, 'payout');
    await end(id, 'payout', 'AC04 closed account number');
    expect(await order(id)).toMatchObject({ state: 'processed', txHashes: [burn] });
    expect(await states(id)).toEqual(['redeem done', 'payout done']);
  });

  it('burns nothing while its signature is awaited', async () => {
    const id = await place(toBank, { signed: false });
    expect(await states(id)).toEqual(['redeem waiting', 'payout waiting']);
    await end(id, 'redeem');
    expect(await states(id)).toEqual(['redeem waiting', 'payout waiting']);
  });
});

describe('a redemption to another chain', () => {
  it('is carried out by an issue order there, of the profile that linked the address, and has both hashes', async () => {
    const id = await place(toChain());
    const burn = await end(id, 'redeem');
    expect(await states(id)).toEqual(['redeem done', 'payout sent']);
    const target = await dependent(id);
    expect(target).toMatchObject({
      kind: 'issue',
      chain: 'sepolia',
      address: recipient.address,
      profile: recipient.profile,
      amount: 1250n,
      state: 'placed',
    });
    expect(target.counterpart.identifier).toEqual({ standard: 'chain', address: customer.address, chain: 'chiado' });
    const mint = await end(target.id, 'issue');
    expect(await order(target.id)).toMatchObject({ state: 'processed', txHashes: [mint] });
    expect(await order(id)).toMatchObject({ state: 'processed', txHashes: [burn, mint] });
  });

  it('gives the tokens back on the source when the target refuses', async () => {
    const id = await place(toChain());
    const burn = await end(id, 'redeem');
    const target = await dependent(id);
    await end(target.id, 'issue', 'the account is blocked');
    expect(await order(target.id)).toMatchObject({ state: 'rejected', rejectedReason: 'the account is blocked' });
    expect(await states(id)).toEqual(['redeem done', 'payout refused', 'issue ready']);
    const back = await end(id, 'issue');
    expect(await order(id)).toMatchObject({ state: 'rejected', rejectedReason: 'the account is blocked', txHashes: [burn, back] });
  });
});

describe('an issue that the contract refuses', () => {
  it('is rejected at once and its money goes back to the payer', async () => {
    const id = await placeCredit('IS140159260076545510730339');
    await end(id, 'issue', 'the account is blocked');
    expect(await order(id)).toMatchObject({ state: 'rejected', rejectedReason: 'the account is blocked' });
    expect(await states(id)).toEqual(['issue refused', 'return ready']);
    await end(id, 'return');
    expect(await states(id)).toEqual(['issue refused', 'return done']);
    expect(await events(id)).toEqual(['order.created', 'order.updated']);
  });

  it('waits for the operator when the payer has no known account', async () => {
    const id = await placeCredit();
    await end(id, 'issue', 'the account is blocked');
    const credit = await ledger.selectFrom('credits').where('state', '=', 'unmatched').selectAll().executeTakeFirstOrThrow();
    expect(credit).toMatchObject({
      orderId: null,
      reason: 'the token contract refused the issue: the account is blocked',
      facts: { orderId: id },
    });
  });
});
