import { sql } from 'kysely';
import { parseGwei, toHex } from 'viem';
import { afterEach, describe, expect, it } from 'vitest';
import type { Lie, RpcFault } from '../../support/chain/rpc-faults.ts';
import { startSteppedLane, type SteppedLane } from '../../support/chain/stepped-lane.ts';

let lane: SteppedLane;
afterEach(() => lane?.close());

interface FeeHistory {
  baseFeePerGas: string[];
  reward?: string[][];
}

const suggests =
  (tip: bigint): Lie =>
  () =>
    toHex(tip);
const saysBaseFee =
  (baseFee: bigint): Lie =>
  (history) => ({ ...(history as FeeHistory), baseFeePerGas: (history as FeeHistory).baseFeePerGas.map(() => toHex(baseFee)) });
const saysTips =
  (tip: bigint): Lie =>
  (history) => ({ ...(history as FeeHistory), reward: (history as FeeHistory).reward?.map(() => [toHex(tip)]) });

/** A node that says gas costs next to nothing. */
const cheap: RpcFault = { lies: { eth_feeHistory: saysBaseFee(1n), eth_maxPriorityFeePerGas: suggests(0n) } };

/** A node that says gas costs a million gwei. */
const dear: RpcFault = { lies: { eth_feeHistory: saysBaseFee(parseGwei('1000000')) } };

/** Blocks with a base fee of one gwei, which would fall, until there is a balance. Returns how many. */
async function blocksUntilMined(most: number): Promise<number> {
  for (let block = 1; block <= most; block += 1) {
    await lane.network.rpc.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('1') });
    await lane.blocks(1);
    if ((await lane.balance()) > 0n) return block;
  }
  throw new Error(`nothing is mined after ${most} blocks, with ${(await lane.attempts()).length} attempts`);
}

async function sendCheap(): Promise<void> {
  lane = await startSteppedLane();
  await lane.node.fail(cheap);
  await lane.credit(100n);
  await lane.turn();
  expect(await lane.attempts()).toHaveLength(1);
}

describe('a transaction that offers next to nothing, because its node said so', () => {
  it('reaches the market by itself, although the node goes on', async () => {
    await sendCheap();
    await blocksUntilMined(120);
    expect((await lane.attempts()).length).toBeLessThanOrEqual(40);
  });

  it('reaches the market with the next attempt when the node tells it again, however many attempts it has had', async () => {
    await sendCheap();
    await sql`update transaction_attempts set position = 100`.execute(lane.ledger);
    await sql`
      insert into transaction_attempts (hash, transaction, position, raw, max_fee_per_gas, max_priority_fee_per_gas)
      select '0x' || lpad(n::text, 64, '0'), transaction, n, '0x', 1, 0 from transaction_attempts, generate_series(0, 99) n
    `.execute(lane.ledger);
    await lane.node.heal();
    await blocksUntilMined(10);
    expect(await lane.attempts()).toHaveLength(102);
    expect(lane.alarms.list()).toEqual([]);
  });
});

describe('a tip above the ceiling', () => {
  it('stops nothing, even where all recent blocks paid it', async () => {
    lane = await startSteppedLane({ env: { CHIADO_FEE_CEILING: '100' } });
    const tip = parseGwei('300');
    await lane.node.fail({ lies: { eth_feeHistory: saysTips(tip), eth_maxPriorityFeePerGas: suggests(tip) } });
    await lane.credit(100n);
    await lane.turn();
    await blocksUntilMined(5);
    expect(lane.alarms.list()).toEqual([]);
  });
});

describe('of three endpoints', () => {
  it('the first stops nothing with a base fee above the ceiling', async () => {
    lane = await startSteppedLane({ endpoints: 3 });
    await lane.node.fail(dear);
    await lane.credit(100n);
    await lane.turn();
    await blocksUntilMined(5);
    expect(lane.alarms.list()).toEqual([]);
  });

  it('the alarm says what each says when two lie', async () => {
    lane = await startSteppedLane({ endpoints: 3 });
    await lane.nodes[0]?.fail(dear);
    await lane.nodes[2]?.fail(dear);
    await lane.credit(100n);
    await lane.turn();
    expect(await lane.transactions()).toEqual([]);
    expect(lane.alarmsOf('fee_ceiling')).toEqual([expect.stringMatching(/says 1000000 gwei, .*says [\d.]+ gwei/)]);
  });
});

describe('the alarm of the ceiling', () => {
  it('ends when another lane has sent what waited', async () => {
    lane = await startSteppedLane();
    await lane.node.fail(dear);
    await lane.credit(100n);
    await lane.turn();
    expect(lane.alarmsOf('fee_ceiling')).toHaveLength(1);
    await lane.node.heal();
    await sql`update open_legs set claimed_by = '0x0000000000000000000000000000000000000001'`.execute(lane.ledger);
    lane.clock.ahead += 70_000;
    await lane.turn();
    expect(await lane.transactions()).toEqual([]);
    expect(lane.alarms.list()).toEqual([]);
  });
});
