import { Registry } from 'prom-client';
import type { Address, Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eMoneyTokenAbi } from '../../abis/eMoneyToken.ts';
import { createBalanceReader } from '../../src/indexed/balances.ts';
import { readProgress } from '../../src/indexed/progress.ts';
import { viewsSchema } from '../../src/indexed/schema-names.ts';
import { newestSettledLeg } from '../../src/ledger/lanes/decided-legs.ts';
import { lowerAddress } from '../../src/platform/addresses.ts';
import { createPool } from '../../src/platform/database.ts';
import type { Running } from '../../src/platform/loop.ts';
import { minorUnits, toTokenUnits } from '../../src/platform/money.ts';
import { loadSettings } from '../../src/platform/settings.ts';
import { runIndexer } from '../../src/workers/indexer/run-indexer.ts';
import { runChainWorker } from '../../src/workers/run-chain-worker.ts';
import { execute } from '../support/chain/local-chain.ts';
import { type FaultyRpc, startFaultyRpc } from '../support/chain/rpc-faults.ts';
import { deployWallet } from '../support/chain/wallets.ts';
import { startTestNetwork } from '../support/chain/network.ts';
import { creditTo, issueCredits } from '../support/credits.ts';
import { createCustomer, newCustomer, type TestCustomer } from '../support/customer.ts';
import { placeTestRedemption } from '../support/redemptions.ts';
import { until } from '../support/until.ts';
import { testLedger } from '../support/test-ledger.ts';
import { forWholeFile } from '../support/for-whole-file.ts';

const confirmations = 3;

const database = testLedger();
const { ledger } = database;
const network = forWholeFile(() =>
  startTestNetwork({ databaseUrl: database.url, mines: false, env: { CHIADO_CONFIRMATIONS: String(confirmations) } }),
);
let customer: TestCustomer;
let running: Running[] = [];
/** The only endpoint of the worker. */
let node: FaultyRpc;
/** The only endpoint of the indexer. */
let indexersNode: FaultyRpc;
const registry = new Registry();
const pool = () => createPool({ connectionString: database.url });

beforeAll(async () => {
  customer = await createCustomer(ledger, 'chiado');
  node = await startFaultyRpc(network.anvil.url);
  indexersNode = await startFaultyRpc(network.anvil.url);
  const settingsOver = ({ url }: FaultyRpc) => loadSettings({ ...network.env, CHIADO_RPC_URLS: url });
  running = [await runChainWorker(settingsOver(node), 'chiado', { registry }), await runIndexer(settingsOver(indexersNode), 'chiado')];
  await until('the indexer is ready', async () => {
    const rows = await ledger.selectFrom('heartbeats').where('component', '=', 'indexer').select('facts').execute();
    return rows.some(({ facts }) => facts.ok === true) || undefined;
  });
});

afterAll(async () => {
  await Promise.all(running.map((part) => part.close()));
  await Promise.all([node?.close(), indexersNode?.close()]);
});

const credit = async (amount: bigint, to = customer) => (await issueCredits(ledger, [creditTo(to.iban, amount)]))[0] as string;
const order = (id: string) => ledger.selectFrom('orders').where('id', '=', id).selectAll().executeTakeFirstOrThrow();
const token = () => network.tokens.eur as Address;
const balance = () =>
  network.rpc.readContract({ address: token(), abi: eMoneyTokenAbi, functionName: 'balanceOf', args: [customer.address] });
const mine = (blocks = 1) => network.rpc.mine({ blocks });

/** Mines until it is so, and no faster than the blocks are indexed. */
const mineUntil = (what: string, done: () => Promise<boolean>) =>
  until(what, async () => {
    const indexed = await readProgress(ledger, 'chiado');
    if ((indexed?.block ?? 0n) >= (await network.rpc.getBlockNumber({ cacheTime: 0 }))) await mine();
    return (await done()) || undefined;
  });
const processed = (ids: string[]) =>
  mineUntil('all orders are processed', async () => {
    const open = await ledger.selectFrom('orders').where('id', 'in', ids).where('state', '!=', 'processed').select('id').execute();
    return open.length === 0;
  });

/** Mines the transaction of an order, and returns it when the index has it. */
async function indexed(id: string): Promise<Hex> {
  const raw = await until('the transaction is in the pool', async () => {
    const attempts = ledger.selectFrom('legs').innerJoin('transactionAttempts as a', 'a.transaction', 'legs.transaction');
    const attempt = await attempts.where('orderId', '=', id).select(['hash', 'raw']).executeTakeFirst();
    const isKnown = attempt && (await network.rpc.getTransaction({ hash: attempt.hash as Hex }).catch(() => undefined));
    return isKnown ? (attempt.raw as Hex) : undefined;
  });
  await mine();
  const client = pool();
  await until('it is indexed', async () => {
    const { rowCount } = await client.query(`select from "${viewsSchema('chiado')}".outcome where order_id = $1`, [id]);
    return rowCount === 1 || undefined;
  });
  await client.end();
  return raw;
}

describe('a bank credit', () => {
  it('becomes tokens, and its order is pending until the blocks are on top, and then processed with the transaction that issued them', async () => {
    const before = await balance();
    const id = await credit(1050n);
    await indexed(id);
    await mine(confirmations - 1);
    expect((await order(id)).state).toBe('pending');
    await processed([id]);
    const ended = await order(id);
    expect(ended).toMatchObject({ amount: 1050n, memo: 'memo', address: customer.address });
    const receipt = await network.rpc.getTransactionReceipt({ hash: ended.txHashes[0] as Hex });
    expect(receipt.status).toBe('success');
    expect((await network.rpc.getBlockNumber()) - receipt.blockNumber).toBeGreaterThanOrEqual(confirmations);
    expect((await balance()) - before).toBe(toTokenUnits(minorUnits(1050n)));
    const events = await ledger.selectFrom('events').where('subject', '=', id).orderBy('id').select('type').execute();
    expect(events.map(({ type }) => type)).toEqual(['order.created', 'order.updated']);
  });

  it.each(['took away', 'moved into another block'])('is neither lost nor doubled when a reorganisation %s its issue', async (what) => {
    const before = await balance();
    const id = await credit(700n);
    const raw = await indexed(id);
    await mine();
    await network.rpc.request({ method: 'anvil_reorg', params: [2, what === 'took away' ? [] : [[raw, 1]]] } as never);
    if (what === 'took away') expect(await balance()).toBe(before);
    await processed([id]);
    expect((await balance()) - before).toBe(toTokenUnits(minorUnits(700n)));
    const receipt = await network.rpc.getTransactionReceipt({ hash: (await order(id)).txHashes[0] as Hex });
    expect(receipt.status).toBe('success');
  });

  it('of a blocked account is rejected with the reason, and its money kept as unmatched', async () => {
    const blocked = await createCustomer(ledger, 'chiado');
    await execute(network.rpc, token(), eMoneyTokenAbi, 'blockAccount', [blocked.address]);
    const id = await credit(500n, blocked);
    const fine = await credit(100n);
    await processed([fine]);
    await mineUntil('its order has ended', async () => (await order(id)).state === 'rejected');
    expect(await order(id)).toMatchObject({ rejectedReason: 'the account is blocked', txHashes: [expect.stringMatching(/^0x/)] });
    const kept = await ledger.selectFrom('credits').where('iban', '=', blocked.iban).selectAll().executeTakeFirstOrThrow();
    expect(kept).toMatchObject({ state: 'unmatched', reason: 'the token contract refused the issue: the account is blocked' });
  });

  it('of many at once is issued exactly once each, in few transactions, and indexed with its sequence number and balance', async () => {
    const [before, sent] = [await balance(), (await ledger.selectFrom('transactions').select('id').execute()).length];
    const ids = await issueCredits(
      ledger,
      Array.from({ length: 500 }, (_, index) => creditTo(customer.iban, BigInt(index + 1))),
    );
    await processed(ids);
    expect((await balance()) - before).toBe(toTokenUnits(minorUnits((500n * 501n) / 2n)));
    const event = { address: token(), abi: eMoneyTokenAbi, eventName: 'Issued', fromBlock: 0n } as const;
    const issued = (await network.rpc.getContractEvents(event)).map(({ args }) => args.orderId);
    expect(new Set(issued).size).toBe(issued.length);
    expect((await ledger.selectFrom('transactions').select('id').execute()).length - sent).toBeLessThan(10);
    const client = pool();
    const { rows } = await client.query<{ sequences: string }>(
      `select count(distinct o.sequence) as sequences from "${viewsSchema('chiado')}".outcome o join legs l on l.order_id::text = o.order_id
       where l.sequence = o.sequence and o.message_hash is null and l.order_id = any($1)`,
      [ids],
    );
    await client.end();
    expect(Number(rows[0]?.sequences)).toBe(500);
    const read = createBalanceReader(ledger, network.settings, newestSettledLeg);
    expect(await read('chiado', customer.address, ['eur'])).toEqual({ eur: await balance() });
  });
});

describe('a redemption', () => {
  it('by an account that burns the gas it is given is rejected with the reason', async () => {
    const address = lowerAddress(await deployWallet(network.rpc, 'BurningWallet'));
    const burner = await createCustomer(ledger, 'chiado', { ...newCustomer(), address });
    await processed([await credit(500n, burner)]);
    const signed = { address, profile: burner.profile, sign: async () => '0x5afe' as const, signature: 'by contract' as const };
    const id = await placeTestRedemption(ledger, 'chiado', signed);
    await mineUntil('its order has ended', async () => (await order(id)).state === 'rejected');
    expect((await order(id)).rejectedReason).toBe('the signature is invalid');
  });
});

const facts = async () =>
  (await ledger.selectFrom('heartbeats').where('component', '=', 'worker').select('facts').executeTakeFirst())?.facts;
const metric = async (line: RegExp) => Number(line.exec(await registry.metrics())?.[1]);

describe('a worker whose node', () => {
  it('is down says so, and goes on when it answers again', async () => {
    await node.fail('refuses');
    const id = await credit(400n);
    await until('it says so', async () => (await facts())?.ok === false || undefined);
    expect(await facts()).toMatchObject({ outage: expect.any(String) as string });
    await mine();
    expect((await order(id)).state).toBe('placed');
    await node.heal();
    await processed([id]);
    await until('it is well', async () => (await facts())?.ok === true || undefined);
  });

  it('says that the newest block is an absurd one believes it not, and goes on', async () => {
    const id = await credit(300n);
    let lies = 0;
    const absurd = (block: unknown, [tag]: readonly unknown[]) => {
      if (tag !== 'latest' || lies >= 10) return block;
      lies += 1;
      return { ...(block as object), number: '0x2625a00', hash: `0x${'1'.repeat(64)}` };
    };
    await node.fail({ lies: { eth_getBlockByNumber: absurd } });
    await until(
      'it doubts that',
      async () => (await metric(/^mintrail_alarms\{[^}]*endpoints_disagree[^}]*\} (\d+)$/m)) === 1 || undefined,
    );
    expect(await metric(/^mintrail_chain_head_block\{[^}]*\} (\d+)$/m)).toBeLessThan(10_000);
    await processed([id]);
    await node.heal();
  });
});

const heartbeat = () =>
  ledger.selectFrom('heartbeats').where('component', '=', 'indexer').select(['facts', 'seenAt']).executeTakeFirstOrThrow();

describe('an indexer whose only endpoint hangs', () => {
  it('says that it does not know the head, writes its heartbeats meanwhile, and is well when the endpoint answers again', async () => {
    await indexersNode.fail('hangs');
    const unsure = await until('it says so', async () => [await heartbeat()].find(({ facts }) => facts.ok === false));
    expect(unsure.facts).toMatchObject({ head: null, since: expect.any(String) as string });
    await until('it writes its next heartbeat', async () => (await heartbeat()).seenAt > unsure.seenAt || undefined);
    await indexersNode.heal();
    await until('it is well', async () => (await heartbeat()).facts.ok === true || undefined);
  });
});
