import { randomUUID } from 'node:crypto';
import type { Address } from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { encodeIssue } from '../../../src/chain/token/calls.ts';
import { settleLegs } from '../../../src/ledger/orders/settling/settle-legs.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { createPool } from '../../../src/platform/database.ts';
import { minorUnits, toTokenUnits } from '../../../src/platform/money.ts';
import { execute, transact } from '../../support/chain/local-chain.ts';
import { operator } from '../../support/chain/network.ts';
import type { Lie } from '../../support/chain/rpc-faults.ts';
import { startSteppedLane, type SteppedLane } from '../../support/chain/stepped-lane.ts';

let lane: SteppedLane;

beforeEach(async () => {
  lane = await startSteppedLane({ currencies: ['eur', 'gbp'], mintAllowance: toTokenUnits(minorUnits(100_000n)) });
});

afterEach(() => lane?.close());

const token = () => lane.network.tokens.eur as Address;
const asAdmin = (name: 'pause' | 'unpause') => execute(lane.network.rpc, token(), eMoneyTokenAbi, name, []);
const states = async () => (await lane.transactions()).map(({ state }) => state);
const legs = () => lane.ledger.selectFrom('legs').orderBy('id').select(['state', 'sequence', 'claimedBy']).execute();
/** Nobody waits for the pause between two probes of what is parked. */
const probe = () => {
  lane.clock.ahead += 10_000;
  return lane.turn();
};

/** Of all calls only the trial of the batch. */
const trialFails: Lie = (result, [call]) => {
  if ((call as { data?: string }).data?.startsWith(encodeIssue([]).slice(0, 10))) throw new Error('the connection is gone');
  return result;
};

describe('a lane', () => {
  it('sends what is ready at once, in one transaction for each currency', async () => {
    await lane.credit(100n);
    await lane.credit(200n);
    await lane.credit(300n, 'gbp');
    await lane.turn();
    expect(await states()).toEqual(['sent', 'sent']);
    await lane.blocks(1);
    expect([await lane.balance(), await lane.balance('gbp')]).toEqual([300n, 300n]);
    expect((await legs()).map(({ sequence }) => sequence)).toEqual([0n, 1n, 0n]);
    expect(await states()).toEqual(['mined', 'mined']);
  });

  it('is parked, and rejects nothing, while the token is paused, and sends when it is not', async () => {
    await asAdmin('pause');
    await lane.credit(100n);
    await lane.credit(100n, 'gbp');
    await lane.turn();
    expect(lane.alarms.list()).toMatchObject([
      {
        kind: 'lane_parked',
        subject: `${operator.address.toLowerCase()} issue eur`,
        text: expect.stringContaining('the token is paused. Its admin resumes it') as string,
        waiting: 'issue',
      },
    ]);
    expect(await lane.ledger.selectFrom('transactions').select('currency').execute()).toEqual([{ currency: 'gbp' }]);
    expect(await lane.ledger.selectFrom('orders').select('state').where('currency', '=', 'eur').execute()).toEqual([{ state: 'placed' }]);
    await asAdmin('unpause');
    await probe();
    expect(await lane.transactions()).toHaveLength(2);
    expect(lane.alarms.list()).toEqual([]);
  });

  it('ends the alarm about a scope that it parked, when another lane has claimed what was ready', async () => {
    await asAdmin('pause');
    await lane.credit(100n);
    await lane.turn();
    expect(lane.alarmsOf('lane_parked')).toHaveLength(1);
    const claimedBy = lowerAddress(`0x${'b'.repeat(40)}`);
    await lane.ledger.updateTable('openLegs').set({ claimedBy }).execute();
    lane.clock.ahead += 70_000;
    await lane.turn();
    expect(lane.alarmsOf('lane_parked')).toEqual([]);
  });

  it('is parked while its mint allowance does not suffice', async () => {
    await lane.credit(100_001n);
    await lane.turn();
    expect(lane.alarmsOf('lane_parked')).toEqual([
      expect.stringMatching(
        /does not send issue eur: the operator 0x\w{40} may issue [\d,]+\.\d\d EURe more, and that is not enough\. Raise it, .*: `mintrail token allowance 0x\w{40} AMOUNT --daily-mint-limit AMOUNT --chain \w+ --currency eur`/,
      ),
    ]);
    expect(await lane.transactions()).toEqual([]);
  });

  it('issues nothing while the contract has used numbers that the ledger has not given out, and goes on behind them', async () => {
    const item = { orderId: randomUUID(), account: lane.customer.address, amount: minorUnits(700n), sequence: 5n };
    await transact(lane.network.rpc, { from: operator, to: token(), data: encodeIssue([item]), gas: 1_000_000n });
    await lane.credit(500n);
    await lane.blocks(4);
    expect(await lane.transactions()).toEqual([]);
    expect(lane.alarmsOf('ledger_behind')).toEqual([expect.stringMatching(/earlier back-up.*operator key/)]);
    // The audit of outcomes has found the issue, and an operator has explained it.
    const explained = { chain: 'chiado' as const, token: lowerAddress(token()), next: 6n };
    await lane.ledger.insertInto('tokenSequences').values(explained).execute();
    await lane.blocks(2);
    expect(await lane.transactions()).toMatchObject([{ kind: 'issue' }]);
    expect(lane.alarmsOf('ledger_behind')).toEqual([]);
    expect(await lane.balance()).toBe(1_200n);
  });

  it.each([
    ['', 0],
    [' after its order was processed', 3],
  ])('sends again what a reorganisation took away%s', async (_, blocksOnTop) => {
    await lane.credit(100n);
    await lane.turn();
    await lane.blocks(1);
    if (blocksOnTop > 0) {
      const { id } = await lane.ledger.selectFrom('legs').select('id').executeTakeFirstOrThrow();
      const [attempt] = await lane.attempts();
      await settleLegs(lane.ledger, [{ legId: id, txHash: attempt?.hash ?? '', blockNumber: 1n, refused: null }]);
      await lane.blocks(blocksOnTop);
    }
    await lane.network.rpc.request({ method: 'anvil_reorg', params: [1 + blocksOnTop, []] } as never);
    expect(await lane.balance()).toBe(0n);
    await lane.blocks(4);
    expect(await lane.balance()).toBe(100n);
    expect(await states()).toEqual(['mined']);
  });

  it('sends what was recorded and never broadcast when it starts', async () => {
    await lane.node.fail({ answers: { eth_sendRawTransaction: new Error('the process died here') } });
    await lane.credit(100n);
    await lane.turn();
    const [attempt] = await lane.attempts();
    await expect(lane.network.rpc.getTransaction({ hash: attempt?.hash as Address })).rejects.toThrow();
    await lane.node.heal();
    await lane.restart();
    await lane.blocks(1);
    expect(await states()).toEqual(['mined']);
    expect(await lane.balance()).toBe(100n);
  });

  it('gives back what it claimed when it dies before anything is recorded', async () => {
    await lane.node.fail({ lies: { eth_call: trialFails } });
    await lane.credit(100n);
    await lane.turn();
    expect(await legs()).toMatchObject([{ state: 'ready', sequence: 0n }]);
    await lane.node.heal();
    await lane.restart();
    expect(await legs()).toEqual([{ state: 'sent', sequence: 0n, claimedBy: null }]);
  });

  it('has a hot spare in a second copy, which takes over when the first is gone', async () => {
    await lane.turn();
    const spare = lane.startSpare();
    await lane.credit(100n);
    await spare.turn();
    expect([await states(), spare.facts().held]).toEqual([[], false]);
    await lane.turn();
    await lane.lane.drop();
    await expect
      .poll(async () => {
        await spare.turn();
        return spare.facts().held;
      })
      .toBe(true);
    await lane.credit(200n);
    await spare.turn();
    expect(await states()).toEqual(['sent', 'sent']);
    await lane.network.rpc.mine({ blocks: 1 });
    expect(await lane.balance()).toBe(300n);
    await spare.drop();
  });

  it('goes on by itself when its database connections were cut', async () => {
    await lane.credit(100n);
    await lane.turn();
    await lane.credit(200n);
    const administrator = createPool({ connectionString: lane.network.env['DATABASE_URL'] as string });
    await administrator.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
    );
    await administrator.end();
    await expect
      .poll(async () => {
        await lane.blocks(1);
        return lane.balance();
      })
      .toBe(300n);
  });
});
