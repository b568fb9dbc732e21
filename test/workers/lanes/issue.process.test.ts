import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NewCredit } from '../../../src/ledger/bank/match-credits.ts';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { createBalanceReader } from '../../../src/indexed/balances.ts';
import { viewsSchema } from '../../../src/indexed/schema-names.ts';
import { runIndexer } from '../../../src/workers/indexer/run-indexer.ts';
import { recordCredits } from '../../../src/ledger/bank/credits.ts';
import { newestSettledLeg } from '../../../src/ledger/lanes/decided-legs.ts';
import { createLedger, type Ledger } from '../../../src/ledger/ledger.ts';
import { wakesNobody } from '../../../src/ledger/wake-ups.ts';
import { createPool } from '../../../src/platform/database.ts';
import { minorUnits, toTokenUnits } from '../../../src/platform/money.ts';
import type { Running } from '../../../src/platform/loop.ts';
import { runChainWorker } from '../../../src/workers/run-chain-worker.ts';
import { createCustomer, type TestCustomer } from '../../support/customer.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { startTestNetwork, type TestNetwork } from '../../support/chain/network.ts';
import { until } from '../../support/until.ts';

let database: TestDatabase;
let network: TestNetwork;
let ledger: Ledger;
let customer: TestCustomer;
let running: Running[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  network = await startTestNetwork({ databaseUrl: database.url });
  ledger = createLedger(createPool({ connectionString: database.url }), wakesNobody);
  customer = await createCustomer(ledger, 'chiado');
  running = [await runChainWorker(network.settings, 'chiado'), await runIndexer(network.settings, 'chiado')];
});

afterAll(async () => {
  await Promise.all(running.map((part) => part.close()));
  await ledger?.destroy();
  await network?.stop();
  await database?.drop();
});

function credit(amount: bigint): NewCredit {
  return {
    reference: randomUUID(),
    bankAccount: 'sandbox',
    iban: customer.iban,
    currency: 'eur',
    amount: minorUnits(amount),
    payer: { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' },
    remittance: 'Rent for May',
  };
}

function record(credits: NewCredit[]) {
  return recordCredits(ledger, credits, { source: 'test', defaultMemo: 'Powered by Mintrail', tokens: ['chiado:eur'] });
}

function orderStates(ids: (string | null)[]) {
  return ledger
    .selectFrom('orders')
    .where('id', 'in', ids as string[])
    .selectAll()
    .execute();
}

async function processed(ids: (string | null)[]) {
  return until('all orders are processed', async () => {
    const orders = await orderStates(ids);
    return orders.every((order) => order.state === 'processed') ? orders : undefined;
  });
}

const balanceOf = (account: `0x${string}`) =>
  network.rpc.readContract({
    address: network.tokens.eur as `0x${string}`,
    abi: eMoneyTokenAbi,
    functionName: 'balanceOf',
    args: [account],
  });

describe('a bank credit', () => {
  it('becomes tokens, and its order is processed with the hash of the transaction that issued them', async () => {
    const [recorded] = await record([credit(1050n)]);
    const [order] = await processed([recorded?.orderId ?? null]);
    expect(order).toMatchObject({ state: 'processed', amount: 1050n, memo: 'Rent for May', address: customer.address });
    const receipt = await network.rpc.getTransactionReceipt({ hash: order?.txHashes[0] as `0x${string}` });
    expect(receipt.status).toBe('success');
    expect(await balanceOf(customer.address)).toBe(toTokenUnits(minorUnits(1050n)));
    const events = await ledger
      .selectFrom('events')
      .where('subject', '=', order?.id as string)
      .orderBy('id')
      .select('type')
      .execute();
    expect(events.map((event) => event.type)).toEqual(['order.created', 'order.updated']);
  });

  it('of many at once is issued exactly once each, in few transactions', async () => {
    const before = await balanceOf(customer.address);
    const recorded = await record(Array.from({ length: 500 }, (_, index) => credit(BigInt(index + 1))));
    await processed(recorded.map((row) => row.orderId));
    expect((await balanceOf(customer.address)) - before).toBe(toTokenUnits(minorUnits((500n * 501n) / 2n)));
    const issued = await network.rpc.getContractEvents({
      address: network.tokens.eur as `0x${string}`,
      abi: eMoneyTokenAbi,
      eventName: 'Issued',
      fromBlock: 0n,
    });
    const ids = issued.map((log) => log.args.orderId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBe(501);
    const { count } = await ledger
      .selectFrom('transactions')
      .select((eb) => eb.fn.countAll<bigint>().as('count'))
      .executeTakeFirstOrThrow();
    expect(Number(count)).toBeLessThan(10);
  });

  it('is indexed with its sequence number', async () => {
    const pool = createPool({ connectionString: database.url });
    const { rows } = await pool.query<{ sequences: string }>(
      `select count(distinct o.sequence) as sequences from "${viewsSchema('chiado')}".outcome o join legs l on l.order_id::text = o.order_id
       where l.sequence = o.sequence and o.message_hash is null`,
    );
    expect(Number(rows[0]?.sequences)).toBe(501);
    await pool.end();
  });

  it('shows in the indexed balance as on the chain', async () => {
    const pool = createPool({ connectionString: database.url });
    const read = createBalanceReader(ledger, network.settings, newestSettledLeg);
    expect(await read('chiado', customer.address, ['eur'])).toEqual({ eur: await balanceOf(customer.address) });
    await pool.end();
  });
});
