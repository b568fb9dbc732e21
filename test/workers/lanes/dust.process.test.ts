import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { recordCredits } from '../../../src/ledger/bank/credits.ts';
import { countHeldLegs, releaseDust } from '../../../src/ledger/lanes/held-legs.ts';
import { countOpenLegs } from '../../../src/ledger/lanes/open-legs.ts';
import { orderBody } from '../../../src/wire/order.ts';
import { startSteppedLane, type SteppedLane } from '../../support/chain/stepped-lane.ts';
import { creditTo } from '../../support/credits.ts';

let lane: SteppedLane;

beforeEach(async () => {
  lane = await startSteppedLane();
});
afterEach(() => lane.close());

const hour = 3_600;

/** Credits the customer as a bank's report does where dust waits for an hour of the lane's clock. */
async function credit(amount: bigint): Promise<string> {
  const options = {
    source: 'test',
    defaultMemo: 'memo',
    tokens: ['chiado:eur'],
    dustWaitSeconds: hour + Math.ceil(lane.clock.ahead / 1_000),
  };
  const [recorded] = await recordCredits(lane.ledger, [creditTo(lane.customer.iban, amount)], options);
  return recorded?.orderId as string;
}

const legsOfTransactions = async () => {
  const { rows } = await sql<{ legs: number }>`
    select count(*)::int as legs from legs where transaction is not null group by transaction order by legs`.execute(lane.ledger);
  return rows.map(({ legs }) => legs);
};

it('credits below one euro wait for an hour, say so, and are issued in one transaction', async () => {
  const orders: string[] = [];
  for (let cent = 1n; cent <= 5n; cent += 1n) orders.push(await credit(cent));
  await lane.blocks(2);
  expect(await legsOfTransactions()).toEqual([]);
  const order = await lane.ledger
    .selectFrom('orders')
    .where('id', '=', orders[0] as string)
    .selectAll()
    .executeTakeFirstOrThrow();
  expect(orderBody(order).meta).toMatchObject({
    heldUntil: expect.any(String) as string,
    heldReason: expect.stringContaining('share a transaction') as string,
  });
  expect(await countHeldLegs(lane.ledger, ['chiado'])).toMatchObject([{ chain: 'chiado', reason: 'dust', count: 5, profiles: [] }]);
  expect(await countOpenLegs(lane.ledger)).toContainEqual(
    expect.objectContaining({ kind: 'issue', chain: 'chiado', state: 'dust', count: 5 }),
  );

  lane.clock.ahead = (hour / 2) * 1_000;
  await credit(6n);
  await lane.blocks(1);
  expect(await legsOfTransactions()).toEqual([]);
  lane.clock.ahead = hour * 1_000;
  // With what is due goes what is not.
  await lane.blocks(2);
  expect(await legsOfTransactions()).toEqual([6]);
  expect(await lane.balance()).toBe(21n);
  const issued = await lane.ledger
    .selectFrom('orders')
    .where('id', '=', orders[0] as string)
    .selectAll()
    .executeTakeFirstOrThrow();
  expect(orderBody(issued).meta).not.toHaveProperty('heldUntil');
});

it('what is issued anyway takes dust of its currency along', async () => {
  await credit(99n);
  await credit(1n);
  await lane.blocks(1);
  expect(await legsOfTransactions()).toEqual([]);
  await credit(1_00n);
  await lane.blocks(2);
  expect(await legsOfTransactions()).toEqual([3]);
  expect(await lane.balance()).toBe(2_00n);
});

it('an operator releases it before its time', async () => {
  await credit(1n);
  await lane.blocks(1);
  expect(await releaseDust(lane.ledger, 'chiado', ['eur'], 100)).toBe(1);
  await lane.blocks(2);
  expect(await lane.balance()).toBe(1n);
});

it('a credit of a cent each second costs a few transactions, and all are issued', async () => {
  // Over more than an hour; as many as are set by hand come each second.
  const byHand = process.env['DUST_CREDITS'];
  const [count, secondsApart] = byHand === undefined ? [120, 36] : [Number(byHand), 1];
  for (let credits = 0; credits < count; credits += 1) {
    await credit(1n);
    lane.clock.ahead += secondsApart * 1_000;
    await lane.blocks(1);
  }
  lane.clock.ahead += 2 * hour * 1_000;
  for (let block = 0; block < 60 && (await lane.balance()) < BigInt(count); block += 1) await lane.blocks(1);
  expect(await lane.balance()).toBe(BigInt(count));
  const transactions = await legsOfTransactions();
  expect(transactions.reduce((sum, legs) => sum + legs, 0)).toBe(count);
  expect(transactions.length).toBeLessThanOrEqual(25);
});
