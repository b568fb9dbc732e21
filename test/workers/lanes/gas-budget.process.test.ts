import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { type Address, parseEventLogs } from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { inTransaction } from '../../../src/ledger/ledger.ts';
import { forgetGasSpending } from '../../../src/ledger/lanes/gas-spending.ts';
import { releaseOfProfile } from '../../../src/ledger/lanes/held-legs.ts';
import { readOrderHistory } from '../../../src/ledger/orders/order-history.ts';
import { placeDependentOrders } from '../../../src/ledger/orders/settling/dependent-orders.ts';
import { insertRedemption } from '../../../src/ledger/orders/placement/insert-redemptions.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { minorUnits } from '../../../src/platform/money.ts';
import { boundsOf } from '../../../src/problems/bounds.ts';
import { ledgerProblems } from '../../../src/problems/ledger-problems.ts';
import { startSteppedLane, type SteppedLane } from '../../support/chain/stepped-lane.ts';
import { deployWallet } from '../../support/chain/wallets.ts';
import { createCustomer } from '../../support/customer.ts';
import { createRedeemer, giveTokens, placeTestRedemption, unsignedDraft } from '../../support/redemptions.ts';
import { endLegs } from '../../../src/ledger/orders/legs/end-legs.ts';

const day = 24 * 3_600_000;

let lane: SteppedLane;

beforeEach(async () => {
  // So little that whatever has a budget and is sent uses it up.
  lane = await startSteppedLane({ env: { CHIADO_GAS_BUDGET: '0.000000001' } });
  // At noon, so that no midnight comes unless the test says so.
  lane.clock.ahead = (day * 3) / 2 - (Date.now() % day);
});
afterEach(() => lane.close());

const legsOf = async (profile: string) => {
  const rows = await lane.ledger
    .selectFrom('legs')
    .innerJoin('orders', 'orders.id', 'legs.orderId')
    .where('orders.profile', '=', profile)
    .where('legs.kind', 'in', ['redeem', 'issue'])
    .where('legs.chain', '=', 'chiado')
    .orderBy('legs.id')
    .select(['legs.state', 'legs.heldFor', 'legs.token', 'claimedBy'])
    .execute();
  return rows.map(({ state, heldFor, claimedBy }) => ({ state, heldFor, isClaimed: claimedBy !== null }));
};
const sent = { state: 'sent', heldFor: null, isClaimed: false };
const held = { state: 'ready', heldFor: 'gas_budget', isClaimed: false };
const budgetProblems = async () => {
  const problems = await ledgerProblems(lane.ledger, boundsOf(lane.network.settings, new Date()));
  return problems.flatMap(({ kind, text }) => (kind === 'gas_budget' ? [text] : []));
};
describe('dust', () => {
  it('that exceeds the gas budget of a profile waits until midnight, holds up nobody, and says so', async () => {
    const [busy, quiet] = [await createRedeemer(lane.ledger), await createRedeemer(lane.ledger)];
    await giveTokens(lane.network.rpc, lane.network.tokens.eur as Address, [busy.address, quiet.address]);
    const orders = [await placeTestRedemption(lane.ledger, 'chiado', busy)];
    await lane.blocks(1);
    for (let order = 0; order < 3; order += 1) orders.push(await placeTestRedemption(lane.ledger, 'chiado', busy));
    await placeTestRedemption(lane.ledger, 'chiado', busy, minorUnits(1_00n));
    await placeTestRedemption(lane.ledger, 'chiado', quiet);
    await lane.blocks(1);
    // The last is no dust, and no budget counts what a key signs.
    expect(await legsOf(busy.profile)).toEqual([sent, held, held, held, sent]);
    expect(await legsOf(quiet.profile)).toEqual([sent]);
    // The burns of legs with a token are looked up in the index.
    const withToken = await lane.ledger.selectFrom('legs').where('token', 'is not', null).select('state').execute();
    expect(withToken.map(({ state }) => state)).toEqual(['sent', 'sent', 'sent']);
    const [problem] = await budgetProblems();
    expect(problem).toContain('3 orders wait for midnight UTC');
    expect(problem).toContain(busy.profile);

    const history = await readOrderHistory(lane.ledger, orders[1] as string);
    expect(history.map(({ type }) => type)).toContain('order.held');
    const events = await lane.ledger.selectFrom('events').where('type', '=', 'order.held').select(['subject', 'data']).execute();
    expect(events.map(({ subject }) => subject).toSorted()).toEqual(orders.slice(1).toSorted());
    expect(events[0]?.data).toMatchObject({ heldFor: 'gas_budget', heldUntil: expect.stringMatching(/T00:00:00/) as string });

    await lane.restart();
    await lane.blocks(1);
    expect(await legsOf(busy.profile)).toEqual([sent, held, held, held, sent]);

    // The first of the day goes; its cost is known when the next is claimed.
    for (let midnight = 1; midnight <= 3; midnight += 1) {
      lane.clock.ahead += day;
      await lane.blocks(1);
    }
    expect((await legsOf(busy.profile)).every(({ state }) => state === 'sent')).toBe(true);
    expect(await budgetProblems()).toEqual([]);
    const open = await lane.ledger.selectFrom('orders').where('heldUntil', 'is not', null).select('id').execute();
    expect(open).toEqual([]);
  });

  it('that is held goes at once, however much it is, where an operator releases it', async () => {
    const busy = await createRedeemer(lane.ledger);
    await giveTokens(lane.network.rpc, lane.network.tokens.eur as Address, [busy.address]);
    const place = async (orders: number) => {
      for (let order = 0; order < orders; order += 1) await placeTestRedemption(lane.ledger, 'chiado', busy);
      await lane.blocks(1);
    };
    await place(1);
    await place(2);
    expect(await legsOf(busy.profile)).toEqual([sent, held, held]);
    await inTransaction(lane.ledger, (tx) => forgetGasSpending(tx, 'chiado', busy.profile));
    expect(await releaseOfProfile(lane.ledger, 'chiado', busy.profile)).toBe(2);
    await lane.blocks(1);
    const released = { ...sent, heldFor: 'gas_budget' };
    expect(await legsOf(busy.profile)).toEqual([sent, released, released]);
    // The budget has begun anew, and what was released did not count against it.
    await place(1);
    await place(1);
    expect(await legsOf(busy.profile)).toEqual([sent, released, released, sent, held]);
  });
});

it('what contract accounts sign counts', async () => {
  const busy = await createRedeemer(lane.ledger);
  const accounts = await Promise.all(Array.from({ length: 3 }, () => createRedeemer(lane.ledger)));
  const place = (account = accounts[0]) =>
    placeTestRedemption(
      lane.ledger,
      'chiado',
      { ...(account as typeof busy), profile: busy.profile, signature: 'by contract' },
      minorUnits(5_00n),
    );
  await place();
  await lane.blocks(1);
  for (const account of accounts.slice(1)) await place(account);
  await lane.blocks(1);
  expect(await legsOf(busy.profile)).toEqual([sent, held, held]);
});

it('what contract accounts refuse on chain, whatever they answered before, counts too', async () => {
  const busy = await createRedeemer(lane.ledger);
  const { rpc, tokens } = lane.network;
  const fromBlock = await rpc.getBlockNumber();
  const place = async () => {
    const address = await deployWallet(rpc, 'BurningWallet');
    await placeTestRedemption(lane.ledger, 'chiado', { ...busy, address, signature: 'by contract' }, minorUnits(5_00n));
    await lane.blocks(1);
  };
  for (let account = 0; account < 3; account += 1) await place();
  expect((await legsOf(busy.profile)).map(({ heldFor }) => heldFor)).toEqual([null, 'gas_budget', 'gas_budget']);
  const logs = parseEventLogs({
    abi: eMoneyTokenAbi,
    eventName: ['Redeemed', 'RedemptionRefused'],
    logs: await rpc.getLogs({ address: tokens.eur as Address, fromBlock }),
  });
  expect(logs.map(({ eventName }) => eventName)).toEqual(['RedemptionRefused']);
});

it('what comes from another network counts for who sent it, and both orders say that it is held', async () => {
  const { ledger } = lane;
  const [sender, receiver] = [await createCustomer(ledger, 'sepolia'), await createCustomer(ledger, 'chiado')];
  /** A redemption on another network that is burnt, so that the order on this one is placed. */
  const send = async () => {
    const id = randomUUID();
    const identifier = { standard: 'chain', chain: 'chiado', address: lowerAddress(receiver.address) } as const;
    const draft = unsignedDraft({
      id,
      profile: sender.profile,
      address: lowerAddress(sender.address),
      chain: 'sepolia',
      counterpart: { identifier, details: {} },
    });
    await inTransaction(ledger, async (tx) => {
      await insertRedemption(tx, draft, 'by key');
      await tx.updateTable('orders').set({ state: 'pending' }).where('id', '=', id).execute();
      await sql`with ${endLegs(sql`where order_id = ${id} and kind = 'redeem'`, sql`'done', '0x1', 1, null::text`)} select from ended`.execute(
        tx,
      );
      await tx.updateTable('openLegs').set({ state: 'ready' }).where('orderId', '=', id).where('kind', '=', 'payout').execute();
      await placeDependentOrders(tx, [id]);
    });
    return id;
  };
  await send();
  await lane.blocks(1);
  const second = await send();
  await lane.credit(5_00n);
  await lane.blocks(1);
  // The orders are the receiver's, whose own credits nothing holds.
  expect(await legsOf(receiver.profile)).toEqual([sent, held]);
  expect(await legsOf(lane.customer.profile)).toEqual([sent]);
  const orders = await ledger.selectFrom('orders').where('heldUntil', 'is not', null).select(['id', 'sourceOrder', 'heldFor']).execute();
  expect(orders).toHaveLength(2);
  expect(orders).toContainEqual({ id: second, sourceOrder: null, heldFor: 'gas_budget' });
  expect(orders).toContainEqual(expect.objectContaining({ sourceOrder: second, heldFor: 'gas_budget' }));
  const spenders = await ledger.selectFrom('gasSpending').select('profile').execute();
  expect(spenders).toEqual([{ profile: sender.profile }]);

  lane.clock.ahead += day;
  await lane.blocks(1);
  expect(await legsOf(receiver.profile)).toEqual([sent, sent]);
  expect(await ledger.selectFrom('orders').where('heldUntil', 'is not', null).select('id').execute()).toEqual([]);
});

it('no number of redemptions that a key signs is held', async () => {
  // 15000 is what a private application sent in a row.
  const count = Number(process.env['SIGNED_REDEMPTIONS'] ?? 50);
  const busy = await createRedeemer(lane.ledger);
  const token = lane.network.tokens.eur as Address;
  await giveTokens(lane.network.rpc, token, [busy.address], minorUnits(BigInt(count) * 1_00n));
  for (let order = 0; order < count; order += 1) await placeTestRedemption(lane.ledger, 'chiado', busy, minorUnits(1_00n));
  const isSent = async () => (await legsOf(busy.profile)).every(({ state }) => state === 'sent');
  const balance = () =>
    lane.network.rpc.readContract({ address: token, abi: eMoneyTokenAbi, functionName: 'balanceOf', args: [busy.address] });
  // Each turn fills the lane; each block makes room for the next.
  for (let turn = 0; turn < count && (await balance()) > 0n; turn += 1) await lane.blocks(1);
  expect(await balance()).toBe(0n);
  expect(await isSent()).toBe(true);
});
