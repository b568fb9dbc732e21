import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { settleLegs } from '../../../src/ledger/orders/settling/settle-legs.ts';
import { fundedAccount } from '../../support/chain/local-chain.ts';
import { operator } from '../../support/chain/network.ts';
import { startSteppedLane, type SteppedLane } from '../../support/chain/stepped-lane.ts';

let stage: SteppedLane;
beforeEach(async () => {
  stage = await startSteppedLane();
});
afterEach(() => stage?.close());

const states = async () => (await stage.transactions()).map(({ nonce, kind, state }) => `${nonce} ${kind} ${state}`);
const reorganise = (depth: number) => stage.network.rpc.request({ method: 'anvil_reorg', params: [depth, []] } as never);

/** Another program sends with the lane's key. */
const useElsewhere = (nonce: number, fee = 10n ** 11n) =>
  stage.network.rpc.sendTransaction({
    account: operator,
    to: fundedAccount(5).address,
    value: 1n,
    nonce,
    maxFeePerGas: fee * 2n,
    maxPriorityFeePerGas: fee,
  });

/** Another program has used so many nonces, the lane has sent an issue behind them, and a reorganisation removes what was not the lane's. */
async function openGap(width: number): Promise<void> {
  await stage.turn();
  for (let nonce = 0; nonce < width; nonce += 1) await useElsewhere(nonce);
  await stage.blocks(2);
  await stage.credit(100n);
  await stage.turn();
  expect(await states()).toEqual([`${width} issue sent`]);
  await reorganise(2);
}

const lieOnce = (count: bigint) => {
  let lies = 1;
  return stage.node.fail({
    lies: {
      eth_getTransactionCount: (truth) => {
        lies -= 1;
        return lies < 0 ? truth : `0x${count.toString(16)}`;
      },
    },
  });
};

describe('a nonce gap', () => {
  it('does not come from one answer that is too high when the lane is taken', async () => {
    await lieOnce(7n);
    await stage.credit(100n);
    await stage.turn();
    expect(await stage.transactions()).toEqual([]);
    await stage.turn();
    await stage.blocks(1);
    expect(await states()).toEqual(['0 issue mined']);
    expect(await stage.balance()).toBe(100n);
  });

  it('does not come from one answer that is too high while the lane runs', async () => {
    await stage.turn();
    await lieOnce(7n);
    await stage.credit(100n);
    await stage.blocks(1);
    await stage.blocks(1);
    expect(await states()).toEqual(['0 issue mined']);
    expect(stage.alarmsOf('nonce_used_elsewhere')).toEqual([]);
  });

  it('heals when a node has lied for long: what was sent far above is sent again', async () => {
    await stage.node.fail({ lies: { eth_getTransactionCount: () => '0x2625a00' } });
    await stage.credit(100n);
    await stage.blocks(3);
    expect(await states()).toEqual(['40000000 issue sent']);
    await stage.node.heal();
    await stage.blocks(4);
    expect(await states()).toEqual(['0 issue mined', '40000000 issue lost']);
    expect(await stage.balance()).toBe(100n);
    expect(stage.alarmsOf('nonce_gap')).toEqual([]);
  });

  it('after a transaction of another program that a reorganisation removes is filled within two blocks', async () => {
    await openGap(1);
    await stage.blocks(2);
    expect(await states()).toEqual(['0 cancel sent', '1 issue sent']);
    await stage.blocks(2);
    expect(await states()).toEqual(['0 cancel mined', '1 issue mined']);
    expect(await stage.balance()).toBe(100n);
    expect(stage.alarmsOf('nonce_gap')).toEqual([]);
  });

  it('is filled with legs when there are any', async () => {
    await openGap(1);
    await stage.turn();
    await stage.credit(200n);
    await stage.blocks(3);
    expect(await states()).toEqual(['0 issue mined', '1 issue mined']);
    expect(await stage.balance()).toBe(300n);
  });

  it('after a reverted transaction that vanishes is filled, and the revert no longer counts', async () => {
    await stage.credit(100n);
    await stage.turn();
    const address = stage.network.tokens.eur as `0x${string}`;
    const bytecode = (await stage.network.rpc.getCode({ address })) as `0x${string}`;
    await stage.network.rpc.setCode({ address, bytecode: '0xfe' });
    await stage.network.rpc.mine({ blocks: 1 });
    await stage.network.rpc.setCode({ address, bytecode });
    await stage.turn();
    expect(await states()).toEqual(['0 issue reverted', '1 issue sent']);
    await reorganise(1);
    await stage.network.rpc.setCode({ address, bytecode });
    await stage.blocks(2);
    expect(await states()).toEqual(['0 issue lost', '0 cancel sent', '1 issue sent']);
    expect(await stage.ledger.selectFrom('legFailures').select(['outcome', 'txHash']).execute()).toEqual([
      { outcome: 'lost', txHash: null },
    ]);
    await stage.blocks(2);
    expect(await states()).toEqual(['0 issue lost', '0 cancel mined', '1 issue mined']);
    expect(await stage.balance()).toBe(100n);
  });

  it('of many nonces is filled a pool at a time', async () => {
    await openGap(12);
    await stage.blocks(4);
    expect((await states()).filter((state) => state.endsWith('cancel mined'))).toHaveLength(12);
    expect(await stage.balance()).toBe(100n);
  });

  it('does not come from a deep reorganisation: what had been settled is broadcast again', async () => {
    for (const amount of [100n, 200n, 300n]) {
      await stage.credit(amount);
      await stage.blocks(1);
    }
    const legs = await stage.ledger.selectFrom('legs').select('id').execute();
    await settleLegs(
      stage.ledger,
      legs.map(({ id }) => ({ legId: id, txHash: '0x1', blockNumber: 1n, refused: null })),
    );
    await stage.blocks(26);
    expect(await states()).toEqual(['0 issue settled', '1 issue settled', '2 issue settled']);
    await reorganise(29);
    expect(await stage.balance()).toBe(0n);
    await stage.blocks(4);
    expect(await states()).toEqual(['0 issue mined', '1 issue mined', '2 issue mined']);
    expect(await stage.balance()).toBe(600n);
  });
});
