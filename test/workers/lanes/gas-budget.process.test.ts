import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Address } from 'viem';
import { startSteppedLane, type SteppedLane } from '../../support/chain/stepped-lane.ts';
import { createRedeemer, giveTokens, placeTestRedemption } from '../../support/redemptions.ts';

let lane: SteppedLane;

beforeEach(async () => {
  // The second redemption by a key exceeds it, and is the last that goes: one takes about 46,000 gas by its bound.
  lane = await startSteppedLane({ env: { CHIADO_GAS_BUDGET: '80000' } });
});

afterEach(() => lane.close());

const states = async (profile: string) => {
  const rows = await lane.ledger
    .selectFrom('legs')
    .innerJoin('orders', 'orders.id', 'legs.orderId')
    .where('orders.profile', '=', profile)
    .where('legs.kind', '=', 'redeem')
    .orderBy('legs.id')
    .select(['legs.state', 'heldUntil', 'claimedBy'])
    .execute();
  return rows.map(({ state, heldUntil, claimedBy }) => ({ state, isHeld: heldUntil !== null, isClaimed: claimedBy !== null }));
};
const sent = { state: 'sent', isHeld: false, isClaimed: false };
const held = { state: 'ready', isHeld: true, isClaimed: false };

it('what exceeds the gas budget of a profile waits until midnight, and holds up nobody', async () => {
  const [busy, quiet] = [await createRedeemer(lane.ledger), await createRedeemer(lane.ledger)];
  await giveTokens(lane.network.rpc, lane.network.tokens.eur as Address, [busy.address, quiet.address]);
  for (let order = 0; order < 5; order += 1) await placeTestRedemption(lane.ledger, 'chiado', busy);
  await placeTestRedemption(lane.ledger, 'chiado', quiet);
  await lane.blocks(1);
  expect(await states(busy.profile)).toEqual([sent, sent, held, held, held]);
  expect(await states(quiet.profile)).toEqual([sent]);
  // The burns of legs with a token are looked up in the index.
  const withToken = await lane.ledger.selectFrom('legs').where('token', 'is not', null).select('state').execute();
  expect(withToken.map(({ state }) => state)).toEqual(['sent', 'sent', 'sent']);
  const [alarm] = lane.alarmsOf('gas_budget');
  expect(alarm).toContain('3 redemptions of 1 profiles wait for midnight UTC');
  expect(alarm).toContain(busy.profile);
  expect(alarm).toContain('raise CHIADO_GAS_BUDGET and restart the worker');

  await lane.restart();
  await lane.blocks(1);
  expect(await states(busy.profile)).toEqual([sent, sent, held, held, held]);
  await placeTestRedemption(lane.ledger, 'chiado', busy);
  await lane.blocks(1);
  expect((await states(busy.profile))[5]).toEqual(held);

  lane.clock.ahead = 24 * 3_600_000;
  await lane.blocks(1);
  expect(await states(busy.profile)).toEqual([sent, sent, sent, sent, held, held]);
  lane.clock.ahead += 24 * 3_600_000;
  await lane.blocks(1);
  expect((await states(busy.profile)).every(({ state }) => state === 'sent')).toBe(true);
  expect(lane.alarmsOf('gas_budget')).toEqual([]);
});
