import { afterEach, describe, expect, it } from 'vitest';
import { settleLegs } from '../../../src/ledger/orders/settling/settle-legs.ts';
import { startSteppedLane, type SteppedLane } from '../../support/chain/stepped-lane.ts';

let lane: SteppedLane;
afterEach(() => lane?.close());

describe('a lane at rest', () => {
  it('asks the ledger twice in a block and its node once, and works on and closes as before when there is something', async () => {
    lane = await startSteppedLane();
    const settled = async () => (await lane.transactions()).filter(({ state }) => state === 'settled').length;
    const process = async () => {
      await lane.credit(100n);
      await lane.turn();
      await lane.blocks(1);
      const [leg] = await lane.ledger.selectFrom('legs').where('state', '=', 'sent').select('id').execute();
      const hash = (await lane.attempts()).at(-1)?.hash as string;
      await settleLegs(lane.ledger, [{ legId: leg?.id as string, txHash: hash, blockNumber: 1n, refused: null }]);
      await lane.blocks(14);
    };
    for (const transactions of [1, 2]) {
      await process();
      expect(await settled()).toBe(transactions);
      const before = { statements: lane.statements(), requests: lane.node.requests() };
      await lane.blocks(8);
      // Twice a block, and on a slow machine the check of the lock, every five seconds.
      expect(lane.statements() - before.statements).toBeLessThan(8 * 3);
      expect(lane.node.requests() - before.requests).toBe(8);
    }
  });
});

describe('a busy lane', () => {
  it('asks its node little in a block, besides what it asks for each transaction', async () => {
    lane = await startSteppedLane();
    const [blocks, perBlock] = [6, 3];
    const load = async () => {
      for (let sent = 0; sent < perBlock; sent += 1) {
        await lane.credit(100n);
        await lane.turn();
      }
      await lane.blocks(1);
    };
    // Until as many transactions are closed in a block as are sent.
    for (let block = 0; block < 16; block += 1) await load();
    const before = lane.node.requests();
    for (let block = 0; block < blocks; block += 1) await load();
    const requests = (lane.node.requests() - before) / blocks;
    // The count, the fees (2) and a trial; for each transaction that it is sent, and its receipt; now and then the balance. Nothing to close them.
    expect(requests).toBeLessThan(4 + 2 * perBlock + 1);
  });

  it('sees what is in a block before it sends more than it sends in that time', async () => {
    lane = await startSteppedLane({ env: { CHIADO_MAX_BATCH: '1' }, minesWhileSigning: true });
    for (let credit = 0; credit < 3; credit += 1) await lane.credit(100n);
    const states = async () => (await lane.transactions()).map(({ state }) => state);
    await lane.turn();
    expect(await states()).toEqual(['sent']);
    await lane.blocks(1);
    expect(await states()).toEqual(['mined', 'sent']);
  });
});
