import { type Hex, parseGwei, parseTransaction, size } from 'viem';
import { afterEach, describe, expect, it } from 'vitest';
import { operator } from '../../support/chain/network.ts';
import { correlationId, startSteppedLane, type SteppedLane } from '../../support/chain/stepped-lane.ts';

let lane: SteppedLane;
afterEach(() => lane?.close());

const parsed = (raw: string) => parseTransaction(raw as Hex) as { to?: Hex; gas: bigint; maxFeePerGas: bigint; nonce: number };
const isSelfTransfer = (raw: string) => parsed(raw).to?.toLowerCase() === operator.address.toLowerCase();
const costOf = (raw: string) => parsed(raw).gas * parsed(raw).maxFeePerGas;
const highestOffer = async () =>
  (await lane.attempts()).reduce((high, { maxFeePerGas }) => (maxFeePerGas > high ? maxFeePerGas : high), 0n);
const states = async () => (await lane.transactions()).map(({ kind, state }) => `${kind} ${state}`);

/** Calldata of a batch of one issue: selector, offset, length, and 54 bytes in two words. */
const oneIssueBytes = 4 + 4 * 32;
const isLong = (raw: string) => size(parseTransaction(raw as Hex).data ?? '0x') > oneIssueBytes;

/** Sends one order while nothing is wrong. */
async function sendOne(env: Record<string, string> = {}): Promise<{ hash: Hex; maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }> {
  lane = await startSteppedLane({ env });
  await lane.credit(100n);
  await lane.turn();
  const [first] = await lane.attempts();
  if (!first) throw new Error('nothing was sent');
  return { ...first, hash: first.hash as Hex };
}

/** Blocks with a base fee that stays high: a block that is not full lowers it. */
async function expensiveBlocks(count: number, baseFeePerGas: bigint): Promise<void> {
  for (let block = 0; block < count; block += 1) {
    await lane.network.rpc.setNextBlockBaseFeePerGas({ baseFeePerGas });
    await lane.blocks(1);
  }
}

describe('a transaction that no block takes', () => {
  it('offers no more while the signer has no gas money, however many blocks pass', async () => {
    const { maxFeePerGas, hash } = await sendOne();
    await lane.network.rpc.dropTransaction({ hash });
    await lane.network.rpc.setBalance({ address: operator.address, value: 0n });
    await lane.blocks(60);
    expect(await highestOffer()).toBe(maxFeePerGas);
    expect(lane.alarmsOf('gas_money')).toEqual([expect.stringContaining(operator.address.toLowerCase())]);
    await lane.network.rpc.setBalance({ address: operator.address, value: 10n ** 18n });
    await lane.blocks(10);
    expect(await lane.balance()).toBe(100n);
    expect(await lane.attempts()).toHaveLength(1);
    expect(lane.alarms.list()).toEqual([]);
  });

  it('offers no more when its node takes it and loses it, and is named after a while', async () => {
    const { maxFeePerGas, hash } = await sendOne({ CHIADO_BLOCK_TIME: '5' });
    await lane.network.rpc.dropTransaction({ hash });
    await lane.node.fail({ answers: { eth_sendRawTransaction: hash } });
    await lane.blocks(15);
    expect(lane.alarms.list()).toEqual([]);
    await lane.blocks(15);
    expect(await highestOffer()).toBe(maxFeePerGas);
    expect(lane.alarmsOf('transaction_unmined')).toEqual([expect.stringContaining(hash)]);
    await lane.node.heal();
    await lane.blocks(10);
    expect(await lane.balance()).toBe(100n);
    expect(lane.alarms.list()).toEqual([]);
  });

  it('offers no more, and is tracked, while its node tells no fees', async () => {
    const { maxFeePerGas, hash } = await sendOne();
    await lane.network.rpc.dropTransaction({ hash });
    const outage = new Error('Internal error');
    await lane.node.fail({ answers: { eth_feeHistory: outage, eth_maxPriorityFeePerGas: outage, eth_gasPrice: outage } });
    await lane.blocks(10);
    expect(await states()).toEqual(['issue mined']);
    expect(await highestOffer()).toBe(maxFeePerGas);
  });

  it('offers more, by more than a tenth in both fees, when the base fee has left its offer behind', async () => {
    const first = await sendOne();
    await expensiveBlocks(5, first.maxFeePerGas * 3n);
    const [, second] = await lane.attempts();
    expect((second?.maxFeePerGas ?? 0n) * 10n).toBeGreaterThan(first.maxFeePerGas * 11n);
    expect((second?.maxPriorityFeePerGas ?? 0n) * 10n).toBeGreaterThan(first.maxPriorityFeePerGas * 11n);
    await expensiveBlocks(3, first.maxFeePerGas * 3n);
    expect(await states()).toEqual(['issue mined']);
    expect(await lane.balance()).toBe(100n);
  });

  it('never offers more than the ceiling, and waits there with an alarm until the market falls', async () => {
    await sendOne({ CHIADO_FEE_CEILING: '5' });
    await expensiveBlocks(40, parseGwei('100'));
    expect(await highestOffer()).toBeLessThanOrEqual(parseGwei('5'));
    expect(lane.alarmsOf('fee_ceiling')).toEqual([expect.stringContaining('CHIADO_FEE_CEILING')]);
    expect((await lane.attempts()).length).toBeLessThan(5);
    await expensiveBlocks(4, parseGwei('1'));
    expect(await lane.balance()).toBe(100n);
    expect(lane.alarms.list()).toEqual([]);
  });

  it('offers less when its node lets no transaction cost as much, and is mined', async () => {
    lane = await startSteppedLane();
    let capWei = 0n;
    await lane.node.fail({
      refusesSend(raw) {
        capWei ||= (costOf(raw) * 3n) / 4n;
        return costOf(raw) > capWei ? `tx fee (${costOf(raw)} wei) exceeds the configured cap (${capWei} wei)` : undefined;
      },
    });
    await lane.credit(100n);
    await lane.turn();
    await lane.blocks(5);
    expect(await states()).toEqual(['issue mined']);
    expect(await lane.attempts()).toHaveLength(2);
    expect(await lane.balance()).toBe(100n);
    expect(lane.alarms.list()).toEqual([]);
  });

  it('is cancelled when the market asks for more than its node lets any transaction of its gas cost, and its legs go elsewhere', async () => {
    lane = await startSteppedLane();
    const capWei = parseGwei('100000');
    const text = `tx fee (1 ether) exceeds the configured cap (${capWei} wei)`;
    await lane.node.fail({ refusesSend: (raw) => (costOf(raw) > capWei ? text : undefined) });
    await lane.credit(100n);
    await lane.turn();
    await lane.blocks(12);
    expect((await states())[0]).toBe('cancel mined');
    await lane.node.heal();
    await lane.blocks(12);
    expect(await lane.balance()).toBe(100n);
  });

  it.each([
    ['exceeds block gas limit'],
    [`Transaction 0xab line count for module PRECOMPILE_ECRECOVER_EFFECTIVE_CALLS=600 is above the limit 128`],
  ])(
    'is cancelled by a transfer to its own signer when every node refuses it for good, and its legs go out in another: "%s"',
    async (text) => {
      lane = await startSteppedLane();
      let refused: string | undefined;
      await lane.node.fail({
        refusesSend(raw) {
          refused ??= raw;
          return raw === refused ? text : undefined;
        },
      });
      await lane.credit(100n);
      await lane.turn();
      await lane.blocks(4);
      expect(lane.alarmsOf('transaction_refused')).toEqual([expect.stringContaining(text)]);
      expect(await states()).toEqual(['issue sent']);
      await lane.restart();
      await lane.blocks(8);
      expect(await states()).toEqual(['cancel mined', 'issue mined']);
      expect(lane.loggedFor('transaction cancelled')).toEqual([[correlationId]]);
      const [first, cancellation] = await lane.attempts();
      expect(first?.raw).toBe(refused);
      expect(isSelfTransfer(cancellation?.raw ?? '')).toBe(true);
      expect(await lane.balance()).toBe(100n);
      expect(await lane.ledger.selectFrom('legFailures').select('outcome').execute()).toEqual([{ outcome: 'cancelled' }]);
      expect(lane.alarms.list()).toEqual([]);
    },
  );

  it('is cancelled, and its legs go out in batches of half the size, until the nodes take them', async () => {
    lane = await startSteppedLane();
    await lane.node.fail({ refusesSend: (raw) => (isLong(raw) ? 'oversized data: transaction size 2, limit 1' : undefined) });
    for (let order = 0; order < 4; order += 1) await lane.credit(100n);
    await lane.turn();
    await lane.blocks(30);
    expect(await lane.balance()).toBe(400n);
    const kinds = (await lane.transactions()).map(({ kind }) => kind).toSorted();
    expect(kinds).toEqual(['cancel', 'cancel', 'cancel', 'issue', 'issue', 'issue', 'issue']);
    expect(lane.alarms.list()).toEqual([]);
  });

  it('is not cancelled for a text that is in no list, however often it comes', async () => {
    lane = await startSteppedLane();
    await lane.node.fail({ refusesSend: () => 'the moon is in the wrong phase' });
    await lane.credit(100n);
    await lane.turn();
    await lane.blocks(30);
    expect(await states()).toEqual(['issue sent']);
    expect(await lane.attempts()).toHaveLength(1);
    await lane.node.heal();
    await lane.blocks(10);
    expect(await lane.balance()).toBe(100n);
  });

  it('offers more, up to the ceiling, when a node calls it underpriced', async () => {
    lane = await startSteppedLane({ env: { CHIADO_FEE_CEILING: '4' } });
    await lane.node.fail({ refusesSend: () => 'transaction underpriced: gas tip cap 1, minimum needed 25000000000' });
    await lane.credit(100n);
    await lane.turn();
    const first = await highestOffer();
    await lane.blocks(40);
    expect(await highestOffer()).toBeGreaterThan(first);
    expect(await highestOffer()).toBeLessThanOrEqual(parseGwei('4'));
    for (const text of ['transaction replaced', 'no node takes'])
      expect(new Set(lane.loggedFor(text).flat())).toEqual(new Set([correlationId]));
    expect(lane.alarmsOf('fee_ceiling')).toHaveLength(1);
    await lane.node.heal();
    await lane.blocks(4);
    expect(await lane.balance()).toBe(100n);
    expect(lane.alarms.list()).toEqual([]);
  });
});
