import { type Address, zeroAddress } from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fundedAccount } from '../../support/chain/local-chain.ts';
import { operator } from '../../support/chain/network.ts';
import { startSteppedLane, type SteppedLane } from '../../support/chain/stepped-lane.ts';

let stage: SteppedLane;
beforeEach(async () => {
  stage = await startSteppedLane();
});
afterEach(() => stage?.close());

const states = async () => (await stage.transactions()).map(({ nonce, kind, state }) => `${nonce} ${kind} ${state}`);
const minedHashes = () => stage.ledger.selectFrom('transactions').select(['hash', 'blockHash']).orderBy('nonce').execute();

/** Another program sends with the lane's key, and is mined first. */
async function steal(nonce: number): Promise<string> {
  const hash = await stage.network.rpc.sendTransaction({
    account: operator,
    to: fundedAccount(5).address,
    value: 1n,
    nonce,
    maxFeePerGas: 10n ** 12n,
    maxPriorityFeePerGas: 10n ** 11n,
  });
  return hash;
}

const withoutReceipts = { lies: { eth_getTransactionReceipt: () => null } };

describe('a stolen nonce', () => {
  it('shows in the block that has it: the legs go out again at once, and the alarm names the thief', async () => {
    await stage.credit(100n);
    await stage.turn();
    const thief = await steal(0);
    await stage.blocks(1);
    expect(await states()).toEqual(['0 issue lost', '1 issue sent']);
    expect(stage.alarmsOf('nonce_used_elsewhere')).toEqual([expect.stringContaining(thief)]);
    await stage.blocks(1);
    expect(await stage.balance()).toBe(100n);
  });

  it('heals in under ten blocks where no node can show who has it', async () => {
    await stage.node.fail({
      lies: {
        eth_getTransactionCount: (count, params) => {
          if (params[1] !== 'latest') throw new Error('missing trie node');
          return count;
        },
      },
    });
    await stage.credit(100n);
    await stage.blocks(1);
    await steal(1);
    await stage.credit(200n);
    await stage.turn();
    await stage.blocks(7);
    // Another transaction of a recent block shows that the node serves receipts.
    await stage.network.rpc.sendTransaction({ account: fundedAccount(6), to: fundedAccount(5).address, value: 1n });
    await stage.blocks(2);
    expect((await states()).slice(1)).toEqual(['1 issue lost', '2 issue sent']);
    await stage.blocks(1);
    expect(await stage.balance()).toBe(300n);
  });

  it('shows after a restart, too, when a reorganisation freed it while nobody held the lane', async () => {
    await stage.credit(100n);
    await stage.turn();
    await stage.blocks(1);
    expect(await states()).toEqual(['0 issue mined']);
    await stage.network.rpc.request({ method: 'anvil_reorg', params: [1, []] } as never);
    await stage.network.rpc.request({ method: 'anvil_dropAllTransactions', params: [] } as never);
    await steal(0);
    await stage.network.rpc.mine({ blocks: 2 });
    await stage.restart();
    await stage.blocks(3);
    expect(await states()).toEqual(['0 issue lost', '1 issue mined']);
    expect(await stage.balance()).toBe(100n);
  });

  it('is no theft when an earlier transaction of this ledger used the nonce', async () => {
    await stage.credit(100n);
    await stage.turn();
    const [{ raw } = { raw: '0x' }] = await stage.attempts();
    await steal(0);
    await stage.blocks(1);
    await stage.network.rpc.request({ method: 'anvil_reorg', params: [1, []] } as never);
    await stage.blocks(1);
    await stage.network.rpc.request({ method: 'anvil_dropAllTransactions', params: [] } as never);
    await stage.network.rpc.sendRawTransaction({ serializedTransaction: raw as `0x${string}` });
    await stage.blocks(4);
    expect(await stage.balance()).toBe(100n);
    expect(stage.alarmsOf('nonce_gap')).toEqual([]);
  });
});

describe('a nonce that no transaction of the signer used', () => {
  /** A contract that creates as many empty contracts as the first byte of its call says. */
  const creator: Address = '0x00000000000000000000000000000000000c4ea7';
  const creatorCode = '0x5f355f1a5b80156016575f5f5ff050600190036004565b00' as const;
  const goesFirst = { account: fundedAccount(6), maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 11n, gas: 1_000_000n };

  /** Somebody with the key gives its account the code of a contract, with an authorisation that uses up a nonce. */
  async function delegate(address: Address, nonce: number): Promise<void> {
    const { rpc } = stage.network;
    await rpc.setCode({ address: creator, bytecode: creatorCode });
    const authorization = await operator.signAuthorization({ address, chainId: await rpc.getChainId(), nonce });
    await rpc.sendTransaction({ ...goesFirst, to: fundedAccount(5).address, authorizationList: [authorization] });
  }

  it('is lost in the block that used it, and the alarms name the authorisation', async () => {
    await stage.credit(100n);
    await stage.turn();
    await delegate(creator, 0);
    await stage.blocks(1);
    expect(await states()).toEqual(['0 issue lost', '1 issue sent']);
    expect(stage.alarmsOf('nonce_used_elsewhere')).toEqual([expect.stringContaining('without a transaction of the key')]);
    expect(stage.alarmsOf('signer_has_code')).toEqual([expect.stringContaining(`the code of ${creator} (EIP-7702)`)]);
    await stage.blocks(1);
    expect(await stage.balance()).toBe(100n);
    // Who has the key takes the code away again, which uses up a nonce, too.
    await delegate(zeroAddress, 2);
    await stage.blocks(3);
    expect(stage.alarmsOf('signer_has_code')).toEqual([]);
  });

  it('heals when anybody has the account create contracts, also on a chain without other transactions', async () => {
    await delegate(creator, 0);
    // An unexpected count is asked for twice.
    await stage.blocks(2);
    expect(stage.alarmsOf('signer_has_code')).toHaveLength(1);
    for (const amount of [100n, 200n]) {
      await stage.credit(amount);
      await stage.turn();
    }
    await stage.network.rpc.sendTransaction({ ...goesFirst, to: operator.address, data: '0x03' });
    await stage.network.rpc.mine({ blocks: 20 });
    await stage.blocks(4);
    expect(await stage.balance()).toBe(300n);
    expect(stage.alarmsOf('receipts_missing')).toEqual([]);
  });

  it('is given up on a quiet chain where no node knows earlier counts', async () => {
    await stage.credit(100n);
    await stage.turn();
    await stage.node.fail({
      lies: {
        eth_getTransactionCount: (count, params) => {
          if (params[1] !== 'latest') throw new Error('missing trie node');
          return count;
        },
      },
    });
    await delegate(creator, 0);
    await stage.network.rpc.mine({ blocks: 20 });
    await stage.blocks(12);
    expect(await stage.balance()).toBe(100n);
  });
});

describe('receipts', () => {
  it('that no node serves make nothing lost, and are an outage with an alarm', async () => {
    await stage.credit(100n);
    await stage.turn();
    await stage.node.fail(withoutReceipts);
    await stage.blocks(70);
    expect(await states()).toEqual(['0 issue sent']);
    expect(stage.alarmsOf('receipts_missing')).toEqual([expect.stringContaining('no receipts')]);
    expect(stage.alarmsOf('nonce_used_elsewhere')).toEqual([]);
    await stage.node.heal();
    await stage.blocks(1);
    expect(await states()).toEqual(['0 issue mined']);
    expect(stage.alarmsOf('receipts_missing')).toEqual([]);
  });

  it('of one transaction that fail do not hold up the others', async () => {
    for (const amount of [100n, 200n, 300n]) {
      await stage.credit(amount);
      await stage.turn();
    }
    const [first] = await stage.attempts();
    await stage.node.fail({
      lies: {
        eth_getTransactionReceipt: (receipt, [hash]) => {
          if (hash === first?.hash) throw new Error('header not found');
          return receipt;
        },
      },
    });
    await stage.blocks(1);
    expect(await states()).toEqual(['0 issue sent', '1 issue mined', '2 issue mined']);
    await stage.node.heal();
    await stage.blocks(1);
    expect(await states()).toEqual(['0 issue mined', '1 issue mined', '2 issue mined']);
  });

  it('are looked at again after a reorganisation: the transaction may be in another block', async () => {
    await stage.credit(100n);
    await stage.turn();
    await stage.blocks(1);
    const [before] = await minedHashes();
    const [{ raw } = { raw: '0x' }] = await stage.attempts();
    // The reorganisation puts the transaction into another block, so that the count does not show it.
    await stage.network.rpc.request({ method: 'anvil_reorg', params: [1, [[raw, 0]]] } as never);
    await stage.blocks(3);
    const [after] = await minedHashes();
    expect(after?.hash).toBe(before?.hash);
    expect(after?.blockHash).not.toBe(before?.blockHash);
  });
});

describe('tracking', () => {
  it('takes the same few requests at every block, however many transactions are not settled', async () => {
    for (let round = 0; round < 40; round += 1) {
      await stage.credit(100n);
      await stage.turn();
      await stage.blocks(1);
    }
    expect((await states()).every((state) => state.endsWith('mined'))).toBe(true);
    const before = stage.node.requests();
    await stage.blocks(5);
    expect(stage.node.requests() - before).toBe(5);
  });
});
