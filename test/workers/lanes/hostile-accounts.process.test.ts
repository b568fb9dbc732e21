import type { Address } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLedger, type Ledger } from '../../../src/ledger/ledger.ts';
import { wakesNobody } from '../../../src/ledger/wake-ups.ts';
import { createPool } from '../../../src/platform/database.ts';
import type { Running } from '../../../src/platform/loop.ts';
import { runIndexer } from '../../../src/workers/indexer/run-indexer.ts';
import { runChainWorker } from '../../../src/workers/run-chain-worker.ts';
import { localAccount } from '../../support/chain/local-chain.ts';
import { startTestNetwork, type TestNetwork } from '../../support/chain/network.ts';
import { deployWallet } from '../../support/chain/wallets.ts';
import { createCustomer } from '../../support/customer.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { giveTokens, placeTestRedemption, type Redeemer } from '../../support/redemptions.ts';
import { until } from '../../support/until.ts';

let database: TestDatabase;
let network: TestNetwork;
let ledger: Ledger;
let running: Running[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  network = await startTestNetwork({ databaseUrl: database.url });
  ledger = createLedger(createPool({ connectionString: database.url }), wakesNobody);
});

afterAll(async () => {
  await Promise.all(running.map((part) => part.close()));
  await ledger.destroy();
  await network.stop();
  await database.drop();
});

const token = () => network.tokens.eur as Address;

/** A redeemer with a profile of their own: by key, or by a wallet whose owner signs. */
async function redeemer(wallet?: 'OwnerWallet' | 'BurningWallet'): Promise<Redeemer> {
  const { profile } = await createCustomer(ledger, 'chiado');
  const key = localAccount(generatePrivateKey());
  const sign = (message: string) => key.signMessage({ message });
  if (!wallet) return { address: key.address, profile, sign };
  const address = await deployWallet(network.rpc, wallet, wallet === 'OwnerWallet' ? key.address : undefined);
  return { address, profile, sign, signature: 'by contract' };
}

const statesOf = async (ids: string[]) =>
  (await ledger.selectFrom('orders').where('id', 'in', ids).select(['state', 'rejectedReason']).execute()).map(
    ({ state, rejectedReason }) => rejectedReason ?? state,
  );

it('accounts that burn their gas hold up nobody: honest orders are processed within 10 blocks, theirs are rejected', async () => {
  const honest = await Promise.all(Array.from({ length: 20 }, () => redeemer()));
  honest.push(await redeemer('OwnerWallet'), await redeemer('OwnerWallet'));
  const hostile = [await redeemer('BurningWallet'), await redeemer('BurningWallet'), await redeemer('BurningWallet')];
  await giveTokens(
    network.rpc,
    token(),
    [...honest, ...hostile].map(({ address }) => address),
  );
  const orders: Record<'honest' | 'hostile', string[]> = { honest: [], hostile: [] };
  for (const [index, account] of honest.entries()) {
    orders.honest.push(await placeTestRedemption(ledger, 'chiado', account));
    const burner = hostile[index % 7];
    if (burner && index % 7 < 3) orders.hostile.push(await placeTestRedemption(ledger, 'chiado', burner));
  }

  running = [await runIndexer(network.settings, 'chiado'), await runChainWorker(network.settings, 'chiado')];
  await until(
    'the first transaction is sent',
    async () => (await ledger.selectFrom('transactions').select('id').execute()).length > 0 || undefined,
  );
  const start = await network.rpc.getBlockNumber();
  const legs = () =>
    ledger.selectFrom('legs').where('orderId', 'in', orders.honest).where('kind', '=', 'redeem').select(['state', 'blockNumber']).execute();
  await until('the honest are carried out', async () => (await legs()).every(({ state }) => state === 'done') || undefined);
  for (const { blockNumber } of await legs()) expect(Number((blockNumber ?? 0n) - start)).toBeLessThanOrEqual(10);

  const first = orders.hostile.slice(0, 3);
  await until(
    'one order of each is rejected',
    async () => (await statesOf(first)).every((state) => state.includes('signature')) || undefined,
  );
  // One of each was burnt: the others waited until it was settled, and wait for their account's backoff now.
  const burnt = await ledger
    .selectFrom('legs')
    .where('orderId', 'in', orders.hostile)
    .where('transaction', 'is not', null)
    .select('account')
    .execute();
  expect(burnt).toHaveLength(hostile.length);
  expect(new Set(burnt.map(({ account }) => account))).toEqual(new Set(hostile.map(({ address }) => address.toLowerCase())));
  const transactions = await ledger.selectFrom('transactions').select('state').execute();
  expect(transactions.filter(({ state }) => state === 'reverted')).toEqual([]);
});
