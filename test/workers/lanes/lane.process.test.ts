import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { settleLegs } from '../../../src/ledger/orders/settling/settle-legs.ts';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { followHead, type RunningHead } from '../../../src/chain/head.ts';
import { createRpc, type Rpc } from '../../../src/chain/rpc.ts';
import { createKeySigner } from '../../../src/chain/signers/raw-key.ts';
import { recordCredits } from '../../../src/ledger/bank/credits.ts';
import { createLedger, type Ledger } from '../../../src/ledger/ledger.ts';
import { wakesNobody } from '../../../src/ledger/wake-ups.ts';
import { createPool } from '../../../src/platform/database.ts';
import { createLog } from '../../../src/platform/log.ts';
import { minorUnits, toTokenUnits } from '../../../src/platform/money.ts';
import { type Alarms, createAlarms } from '../../../src/workers/alarms.ts';
import { type RunningLane, startLane } from '../../../src/workers/lanes/lane.ts';
import { createCustomer, type TestCustomer } from '../../support/customer.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { execute, fundedAccount } from '../../support/chain/local-chain.ts';
import { operator, startTestNetwork, type TestNetwork } from '../../support/chain/network.ts';
import { startFaultyRpc } from '../../support/chain/rpc-faults.ts';
import { until } from '../../support/until.ts';

let database: TestDatabase;
let network: TestNetwork;
let pool: Pool;
let ledger: Ledger;
let customer: TestCustomer;
let alarms: Alarms;
let lanes: { lane: RunningLane; head: RunningHead }[];
const log = createLog(process.env.TEST_LOG_LEVEL ?? 'silent');

beforeEach(async () => {
  database = await createTestDatabase();
  network = await startTestNetwork({
    databaseUrl: database.url,
    currencies: ['eur', 'gbp'],
    mines: false,
    mintAllowance: toTokenUnits(minorUnits(100_000n)),
  });
  pool = createPool({ connectionString: database.url });
  ledger = createLedger(pool, wakesNobody);
  customer = await createCustomer(ledger, 'chiado');
  alarms = createAlarms(log);
  lanes = [];
});

afterEach(async () => {
  for (const { lane, head } of lanes) await Promise.all([lane.close(), head.close()]);
  await ledger?.destroy();
  await network?.stop();
  await database?.drop();
});

function start(rpc: Rpc = createRpc(settings())): RunningLane {
  const head = followHead(rpc, 50, log);
  const signer = createKeySigner(operator.privateKey);
  const lane = startLane({ ledger, directPool: pool, rpc, signer, network: settings(), head, log, alarms });
  lanes.push({ lane, head });
  return lane;
}

const settings = () => network.settings.networks.chiado as NonNullable<typeof network.settings.networks.chiado>;

async function credit(amount: bigint, currency = 'eur') {
  const given = {
    reference: randomUUID(),
    bankAccount: 'sandbox',
    iban: customer.iban,
    currency,
    amount: minorUnits(amount),
    payer: { name: 'Jón' },
  };
  await recordCredits(ledger, [given], { source: 'test', defaultMemo: 'memo', tokens: ['chiado:eur', 'chiado:gbp'] });
}

const transactions = () => ledger.selectFrom('transactions').selectAll().orderBy('nonce').execute();
const attempts = () => ledger.selectFrom('transactionAttempts').selectAll().orderBy('position').execute();
const legs = () => ledger.selectFrom('legs').selectAll().orderBy('id').execute();
const pooled = (hash: string) =>
  network.rpc.getTransaction({ hash: hash as `0x${string}` }).then(
    () => true,
    () => undefined,
  );
const sent = (count: number) =>
  until(`${count} transactions are sent`, async () => ((await transactions()).length === count ? transactions() : undefined));
/** A transaction is recorded before it is broadcast: a block that is made meanwhile would miss it. */
const inPool = async (count: number) => {
  await sent(count);
  await until(`${count} transactions are in the pool`, async () => {
    const known = await Promise.all((await attempts()).map(({ hash }) => pooled(hash)));
    return known.every(Boolean) || undefined;
  });
};
const stateIs = (state: string) =>
  until(`the transaction is ${state}`, async () => (await transactions()).find((transaction) => transaction.state === state));

function balance(currency: 'eur' | 'gbp' = 'eur') {
  const address = network.tokens[currency] as `0x${string}`;
  return network.rpc.readContract({ address, abi: eMoneyTokenAbi, functionName: 'balanceOf', args: [customer.address] });
}

const asAdmin = (name: 'pause' | 'unpause', currency: 'eur' | 'gbp' = 'eur') =>
  execute(network.rpc, network.tokens[currency] as `0x${string}`, eMoneyTokenAbi, name, [], { from: fundedAccount(0) });

async function mineUntil(what: string, done: () => Promise<boolean>) {
  await until(what, async () => {
    await network.rpc.mine({ blocks: 1 });
    return (await done()) || undefined;
  });
}

describe('a lane', () => {
  it('sends what is ready at once, in one transaction for each currency', async () => {
    await credit(100n);
    await credit(200n);
    await credit(300n, 'gbp');
    start();
    await inPool(2);
    await network.rpc.mine({ blocks: 1 });
    expect(await balance()).toBe(toTokenUnits(minorUnits(300n)));
    expect(await balance('gbp')).toBe(toTokenUnits(minorUnits(300n)));
    expect((await legs()).map((leg) => leg.sequence)).toEqual([0n, 1n, 0n]);
    await stateIs('mined');
  });

  it('broadcasts again what was dropped from the pool', async () => {
    start();
    await credit(100n);
    const [transaction] = await sent(1);
    const [attempt] = await attempts();
    await until('it is in the pool', () => pooled(attempt?.hash as string));
    await network.rpc.dropTransaction({ hash: attempt?.hash as `0x${string}` });
    await mineUntil('it is mined', async () => (await transactions())[0]?.state === 'mined');
    expect((await transactions())[0]?.id).toBe(transaction?.id);
    expect(await balance()).toBe(toTokenUnits(minorUnits(100n)));
  });

  it('replaces at the same nonce, with both fees an eighth higher, what the market has left behind', async () => {
    start();
    await credit(100n);
    await inPool(1);
    const [first] = await attempts();
    for (let block = 0; block < 5; block += 1) {
      await network.rpc.setNextBlockBaseFeePerGas({ baseFeePerGas: BigInt(first?.maxFeePerGas ?? 0) * 2n });
      await network.rpc.mine({ blocks: 1 });
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    const [, second] = await until('there is a replacement', async () => ((await attempts()).length > 1 ? attempts() : undefined));
    expect(BigInt(second?.maxFeePerGas ?? 0) * 8n).toBeGreaterThanOrEqual(BigInt(first?.maxFeePerGas ?? 0) * 9n);
    expect(BigInt(second?.maxPriorityFeePerGas ?? 0) * 8n).toBeGreaterThanOrEqual(BigInt(first?.maxPriorityFeePerGas ?? 0) * 9n);
    await mineUntil('it is mined', async () => (await transactions())[0]?.state === 'mined');
    expect(await transactions()).toHaveLength(1);
    expect(await balance()).toBe(toTokenUnits(minorUnits(100n)));
  });

  it('is parked, and rejects nothing, while the token is paused, and sends when it is not', async () => {
    await asAdmin('pause');
    await credit(100n);
    await credit(100n, 'gbp');
    start();
    const [parked] = await until('it is parked', async () => (alarms.list().length > 0 ? alarms.list() : undefined));
    expect(parked).toMatchObject({
      kind: 'lane_parked',
      subject: `${operator.address.toLowerCase()} issue eur`,
      text: expect.stringContaining('the token is paused. Its admin resumes it'),
    });
    await sent(1);
    expect((await transactions())[0]?.currency).toBe('gbp');
    const orders = await ledger.selectFrom('orders').select('state').where('currency', '=', 'eur').execute();
    expect(orders).toEqual([{ state: 'placed' }]);
    await asAdmin('unpause');
    await sent(2);
    expect(alarms.list()).toEqual([]);
  });

  it('is parked while its mint allowance does not suffice', async () => {
    await credit(100_001n);
    start();
    const [parked] = await until('it is parked', async () => (alarms.list().length > 0 ? alarms.list() : undefined));
    expect(parked?.text).toMatch(
      /does not send issue eur: the operator 0x\w{40} may issue [\d,]+\.\d\d EURe more, and that is not enough\. Raise it, .*: `mintrail token allowance 0x\w{40} AMOUNT --daily-mint-limit AMOUNT --chain \w+ --currency eur`/,
    );
    expect(await transactions()).toEqual([]);
  });

  it('is parked as a whole while it cannot pay for gas', async () => {
    await network.rpc.setBalance({ address: operator.address, value: 0n });
    await credit(100n);
    start();
    const [parked] = await until('it is parked', async () => (alarms.list().length > 0 ? alarms.list() : undefined));
    expect(parked?.kind).toBe('gas_money');
    await network.rpc.setBalance({ address: operator.address, value: 10n ** 18n });
    await sent(1);
    expect(alarms.list()).toEqual([]);
  });

  it('makes the legs of a reverted transaction ready again, and issues them once', async () => {
    start();
    await credit(100n);
    await inPool(1);
    const token = network.tokens.eur as `0x${string}`;
    const admin = fundedAccount(0);
    await network.rpc.writeContract({
      account: admin,
      address: token,
      abi: eMoneyTokenAbi,
      functionName: 'pause',
      maxPriorityFeePerGas: 10n ** 11n,
      maxFeePerGas: 10n ** 12n,
    });
    await network.rpc.mine({ blocks: 1 });
    await stateIs('reverted');
    await until('it is parked', async () => alarms.list().length > 0 || undefined);
    await asAdmin('unpause');
    await sent(2);
    await mineUntil('it is mined', async () => (await transactions())[1]?.state === 'mined');
    expect(await balance()).toBe(toTokenUnits(minorUnits(100n)));
    expect((await legs())[0]?.sequence).toBe(0n);
  });

  it('sends again what a reorganisation took away', async () => {
    start();
    await credit(100n);
    await inPool(1);
    await network.rpc.mine({ blocks: 1 });
    await stateIs('mined');
    await network.rpc.request({ method: 'anvil_reorg', params: [1, []] } as never);
    expect(await balance()).toBe(0n);
    await mineUntil('it is issued again', async () => (await balance()) > 0n);
    expect(await balance()).toBe(toTokenUnits(minorUnits(100n)));
    await stateIs('mined');
    expect(await transactions()).toHaveLength(1);
  });

  it('sends again what a reorganisation took away after its order was processed', async () => {
    start();
    await credit(100n);
    await inPool(1);
    await network.rpc.mine({ blocks: 1 });
    const mined = await stateIs('mined');
    const [leg] = await legs();
    await settleLegs(ledger, [{ legId: leg?.id as string, txHash: mined.hash, blockNumber: 1n, refused: null }]);
    await mineUntil('three blocks are on top', async () => (await network.rpc.getBlockNumber()) > (mined.blockNumber ?? 0n) + 2n);
    await network.rpc.request({ method: 'anvil_reorg', params: [4, []] } as never);
    expect(await balance()).toBe(0n);
    await mineUntil('it is issued again', async () => (await balance()) > 0n);
    expect(await balance()).toBe(toTokenUnits(minorUnits(100n)));
  });

  it('sends what was recorded and never broadcast when it starts', async () => {
    const mute = { ...createRpc(settings()), sendRawTransaction: () => Promise.reject(new Error('the process died here')) } as Rpc;
    const first = start(mute);
    await credit(100n);
    await sent(1);
    await first.close();
    expect(await pooled((await attempts())[0]?.hash as string)).toBeUndefined();
    start();
    await until('it is in the pool', async () => pooled((await attempts())[0]?.hash as string));
    await mineUntil('it is mined', async () => (await transactions())[0]?.state === 'mined');
    expect(await balance()).toBe(toTokenUnits(minorUnits(100n)));
  });

  it('gives back what it claimed when it dies before anything is recorded', async () => {
    const mute = { ...createRpc(settings()), estimateGas: () => Promise.reject(new Error('HTTP request failed')) } as Rpc;
    const first = start(mute);
    await credit(100n);
    await until('it is claimed', async () => ((await legs())[0]?.sequence === 0n ? true : undefined));
    await first.close();
    start();
    await sent(1);
    expect((await legs())[0]).toMatchObject({ state: 'sent', sequence: 0n, claimedBy: null });
  });

  it('has a hot spare in a second copy, which takes over when the first is gone', async () => {
    const first = start();
    await until('the first holds the lane', async () => first.facts().held || undefined);
    const second = start();
    await credit(100n);
    await sent(1);
    expect(second.facts().held).toBe(false);
    await first.close();
    await until('the second holds the lane', async () => second.facts().held || undefined);
    await credit(200n);
    await inPool(2);
    await network.rpc.mine({ blocks: 1 });
    expect(await balance()).toBe(toTokenUnits(minorUnits(300n)));
  });

  it('goes on after one absurd newest block', async () => {
    const node = await startFaultyRpc(network.anvil.url);
    start(createRpc({ ...settings(), rpcUrls: [node.url] }));
    await credit(100n);
    await inPool(1);
    let lies = 0;
    const absurd = (block: unknown) => {
      lies += 1;
      return lies > 1 ? block : { ...(block as object), number: '0x2625a00', hash: `0x${'1'.repeat(64)}` };
    };
    await node.fail({ lies: { eth_getBlockByNumber: absurd } });
    await until('the node has lied', async () => lies > 0 || undefined);
    await network.rpc.mine({ blocks: 1 });
    await stateIs('mined');
    await node.close();
  });

  it('goes on by itself when its database connections were cut', async () => {
    start();
    await credit(100n);
    await sent(1);
    await pool
      .query('select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()')
      .catch(() => {});
    await credit(200n);
    await inPool(2);
    await network.rpc.mine({ blocks: 1 });
    expect(await balance()).toBe(toTokenUnits(minorUnits(300n)));
  });
});
