import { type Hex, parseEther, parseGwei, parseTransaction, size } from 'viem';
import { afterEach, describe, expect, it } from 'vitest';
import { type Chain, chainFacts } from '../../../../src/platform/chains.ts';
import { minorUnits } from '../../../../src/platform/money.ts';
import { operator } from '../../../support/chain/network.ts';
import { startSteppedLane, type SteppedLane } from '../../../support/chain/stepped-lane.ts';
import { placeTestRedemption } from '../../../support/redemptions.ts';
import { until } from '../../../support/until.ts';

let lane: SteppedLane;
afterEach(() => lane?.close());

/** Returns 10^15 wei whatever it is asked: PUSH7, MSTORE, RETURN. */
const expensiveOracle: Hex = '0x66038d7ea4c680005f5260205ff3';

async function start(env: Record<string, string> = {}, chain: Chain = 'chiado'): Promise<void> {
  lane = await startSteppedLane({ env, chain });
}
const setBalance = (value: bigint) => lane.network.rpc.setBalance({ address: operator.address, value });

// The contract refuses them, since nobody signed, which takes as many bytes. With fewer, a batch would rather be bounded by its gas.
const signByNobody = async () => `0x${'00'.repeat(3_000)}` as const;

describe('the gas money of a signer', () => {
  it('must cover its transactions in flight, not only the next', async () => {
    await start();
    await lane.credit(100n);
    await lane.turn();
    const [{ maxFeePerGas } = { maxFeePerGas: 0n }] = await lane.attempts();
    const [{ gasLimit } = { gasLimit: 0n }] = await lane.transactions();
    await setBalance((gasLimit * maxFeePerGas * 7n) / 5n);
    // What a lane knows of the balance is good for some batches.
    await lane.restart();
    await lane.credit(100n);
    await lane.turn();
    expect(await lane.transactions()).toHaveLength(1);
    expect(lane.alarmsOf('gas_money')).toEqual([
      expect.stringMatching(/^0x[0-9a-f]{40} holds [\d.]+ xDAI .*with the 1 in flight: send it at least/),
    ]);
    await setBalance(parseEther('1'));
    await lane.restart();
    await lane.blocks(1);
    expect(await lane.transactions()).toHaveLength(2);
    expect(lane.alarms.list()).toEqual([]);
  });

  it('must cover the publication on Ethereum where that is paid besides the gas', async () => {
    await start({}, 'base');
    await lane.network.rpc.setCode({ address: '0x420000000000000000000000000000000000000f', bytecode: expensiveOracle });
    await setBalance(parseEther('0.0019'));
    await lane.credit(100n);
    await lane.turn();
    expect(await lane.transactions()).toEqual([]);
    expect(lane.alarmsOf('gas_money')).toHaveLength(1);
    await setBalance(parseEther('0.003'));
    await lane.restart();
    await lane.turn();
    expect(await lane.transactions()).toHaveLength(1);
  });
});

describe('a batch', () => {
  it('waits while gas costs more than the ceiling, with an alarm that names it', async () => {
    await start({ CHIADO_FEE_CEILING: '2' });
    await lane.network.rpc.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('10') });
    await lane.network.rpc.mine({ blocks: 1 });
    await lane.credit(100n);
    await lane.turn();
    expect(await lane.transactions()).toEqual([]);
    expect(lane.alarmsOf('fee_ceiling')).toEqual([expect.stringContaining('CHIADO_FEE_CEILING allows 2 gwei')]);
    await lane.network.rpc.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('1') });
    await lane.network.rpc.mine({ blocks: 1 });
    await lane.restart();
    await lane.blocks(2);
    expect(await lane.balance()).toBe(100n);
    expect(lane.alarms.list()).toEqual([]);
  });

  it('goes out in parts when all of it would cost more than a transaction may', async () => {
    await start({ CHIADO_TRANSACTION_FEE_CEILING: '0.0005' });
    for (let order = 0; order < 40; order += 1) await lane.credit(100n);
    await lane.turn();
    await lane.blocks(4);
    const transactions = await lane.transactions();
    expect(transactions.length).toBeGreaterThan(1);
    expect(await lane.balance()).toBe(4_000n);
    const attempts = await lane.attempts();
    for (const { id, gasLimit } of transactions)
      for (const { maxFeePerGas } of attempts.filter(({ transaction }) => transaction === id))
        expect(gasLimit * maxFeePerGas).toBeLessThanOrEqual(parseEther('0.0005'));
  });

  it('of more bytes than the nodes of its network take goes out in parts', async () => {
    await start({ LINEA_MAX_BATCH: '500' }, 'linea');
    const { address, profile } = lane.customer;
    // No dust, whose budget they would use up.
    const redeemer = { address, profile, sign: signByNobody };
    for (let order = 0; order < 100; order += 1) await placeTestRedemption(lane.ledger, 'linea', redeemer, minorUnits(1_00n));
    // How many blocks that takes depends on how soon the lane's estimates come.
    await until('all are sent', async () => {
      await lane.blocks(1);
      const waiting = lane.ledger.selectFrom('legs').select('id').where('kind', '=', 'redeem').where('state', '!=', 'sent');
      return (await waiting.executeTakeFirst()) === undefined || undefined;
    });
    const sizes = (await lane.attempts()).map(({ raw }) => size(parseTransaction(raw as Hex).data ?? '0x'));
    expect(sizes.reduce((sum, bytes) => sum + bytes, 0)).toBeGreaterThan(chainFacts('linea').transactionBytes);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(chainFacts('linea').transactionBytes);
  });
});
