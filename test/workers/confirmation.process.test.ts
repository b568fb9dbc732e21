import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eMoneyTokenAbi } from '../../abis/eMoneyToken.ts';
import { recordCredits } from '../../src/ledger/bank/credits.ts';
import { createLedger, type Ledger } from '../../src/ledger/ledger.ts';
import { wakesNobody } from '../../src/ledger/wake-ups.ts';
import { createPool } from '../../src/platform/database.ts';
import { minorUnits, toTokenUnits } from '../../src/platform/money.ts';
import type { Running } from '../../src/platform/loop.ts';
import { runChainWorker } from '../../src/workers/run-chain-worker.ts';
import { runIndexer } from '../../src/workers/indexer/run-indexer.ts';
import { createCustomer, type TestCustomer } from '../support/customer.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { execute, fundedAccount } from '../support/chain/local-chain.ts';
import { startTestNetwork, type TestNetwork } from '../support/chain/network.ts';
import { until } from '../support/until.ts';

const confirmations = 3;

let database: TestDatabase;
let network: TestNetwork;
let ledger: Ledger;
let customer: TestCustomer;
let running: Running[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  network = await startTestNetwork({ databaseUrl: database.url, mines: false, env: { CHIADO_CONFIRMATIONS: String(confirmations) } });
  ledger = createLedger(createPool({ connectionString: database.url }), wakesNobody);
  customer = await createCustomer(ledger, 'chiado');
  running = [await runChainWorker(network.settings, 'chiado'), await runIndexer(network.settings, 'chiado')];
  await until('the indexer is ready', async () => (await indexerReady()) || undefined);
});

afterAll(async () => {
  await Promise.all(running.map((part) => part.close()));
  await ledger?.destroy();
  await network?.stop();
  await database?.drop();
});

async function indexerReady(): Promise<boolean> {
  const rows = await ledger.selectFrom('heartbeats').where('component', '=', 'indexer').select('facts').execute();
  return rows.some((row) => row.facts.ok === true);
}

async function placeCredit(amount: bigint, to = customer): Promise<string> {
  const given = {
    reference: randomUUID(),
    bankAccount: 'sandbox',
    iban: to.iban,
    currency: 'eur',
    amount: minorUnits(amount),
    payer: { name: 'Jón' },
  };
  const [recorded] = await recordCredits(ledger, [given], { source: 'test', defaultMemo: 'memo', tokens: ['chiado:eur'] });
  return recorded?.orderId as string;
}

const order = (id: string) => ledger.selectFrom('orders').where('id', '=', id).selectAll().executeTakeFirstOrThrow();
const token = () => network.tokens.eur as `0x${string}`;
const balance = () =>
  network.rpc.readContract({ address: token(), abi: eMoneyTokenAbi, functionName: 'balanceOf', args: [customer.address] });
const mine = (blocks = 1) => network.rpc.mine({ blocks });
const settleTime = () => new Promise((resolve) => setTimeout(resolve, 2_500));

async function minedTransaction(id: string) {
  await until('the transaction is sent', async () => ((await order(id)).state === 'pending' ? true : undefined));
  await new Promise((resolve) => setTimeout(resolve, 300));
  await mine();
}

describe('the confirmation policy', () => {
  it('holds an order pending until the blocks are on top', async () => {
    const id = await placeCredit(100n);
    await minedTransaction(id);
    await mine(confirmations - 1);
    await settleTime();
    expect((await order(id)).state).toBe('pending');
    await mine();
    await until('the order is processed', async () => ((await order(id)).state === 'processed' ? true : undefined));
  });

  it('neither loses nor doubles an issue that a reorganisation took away before it was confirmed', async () => {
    const before = await balance();
    const id = await placeCredit(700n);
    await minedTransaction(id);
    await mine();
    await settleTime();
    await network.rpc.request({ method: 'anvil_reorg', params: [2, []] } as never);
    expect(await balance()).toBe(before);
    const processed = await until('the order is processed', async () => {
      await mine();
      const now = await order(id);
      return now.state === 'processed' ? now : undefined;
    });
    expect((await balance()) - before).toBe(toTokenUnits(minorUnits(700n)));
    const receipt = await network.rpc.getTransactionReceipt({ hash: processed.txHashes[0] as `0x${string}` });
    expect(receipt.status).toBe('success');
  });

  it('follows an issue that a reorganisation moved into another block', async () => {
    const before = await balance();
    const id = await placeCredit(300n);
    await minedTransaction(id);
    const { raw } = await ledger
      .selectFrom('transactionAttempts')
      .select('raw')
      .orderBy('createdAt', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow();
    await mine();
    await settleTime();
    await network.rpc.request({ method: 'anvil_reorg', params: [2, [[raw, 1]]] } as never);
    await until('the order is processed', async () => {
      await mine();
      return (await order(id)).state === 'processed' || undefined;
    });
    expect((await balance()) - before).toBe(toTokenUnits(minorUnits(300n)));
  });

  it('rejects the order of a blocked account with the reason, and keeps its money as unmatched', async () => {
    const blocked = await createCustomer(ledger, 'chiado');
    const admin = fundedAccount(0);
    await execute(network.rpc, token(), eMoneyTokenAbi, 'blockAccount', [blocked.address], { from: admin });
    const id = await placeCredit(500n, blocked);
    const fine = await placeCredit(100n);
    await until('both orders ended', async () => {
      await mine();
      return ((await order(id)).state === 'rejected' && (await order(fine)).state === 'processed') || undefined;
    });
    expect(await order(id)).toMatchObject({ rejectedReason: 'the account is blocked', txHashes: [expect.stringMatching(/^0x/)] });
    const credit = await ledger.selectFrom('credits').where('iban', '=', blocked.iban).selectAll().executeTakeFirstOrThrow();
    expect(credit).toMatchObject({ state: 'unmatched', reason: 'the token contract refused the issue: the account is blocked' });
  });
});
