import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eMoneyTokenAbi } from '../../abis/eMoneyToken.ts';
import { createLedger, type Ledger } from '../../src/ledger/ledger.ts';
import { createPool } from '../../src/platform/database.ts';
import { createLog } from '../../src/platform/log.ts';
import { minorUnits, toTokenUnits } from '../../src/platform/money.ts';
import { createWaker, type Waker } from '../../src/platform/queue/waker.ts';
import type { Running } from '../../src/platform/loop.ts';
import { importStatement } from '../../src/statements/import-statement.ts';
import { creditOptions } from '../../src/statements/credit-options.ts';
import { runChainWorker } from '../../src/workers/run-chain-worker.ts';
import { runIndexer } from '../../src/workers/indexer/run-indexer.ts';
import { schemaFolder, schemasPresent } from '../bank/iso20022/schema-folder.ts';
import { createCustomer, type TestCustomer } from '../support/customer.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { startTestNetwork, type TestNetwork } from '../support/chain/network.ts';
import { until } from '../support/until.ts';
import { bytes } from './bank-rail.ts';

let database: TestDatabase;
let network: TestNetwork;
let ledger: Ledger;
let customer: TestCustomer;
let waker: Waker;
let running: Running[] = [];

/** To whom the payment of both sample statements goes. */
const creditedIban = 'NL56AGDH9619008421';

describe.skipIf(!schemasPresent())('the public samples', () => {
  beforeAll(async () => {
    database = await createTestDatabase();
    network = await startTestNetwork({ databaseUrl: database.url });
    waker = createWaker(network.settings, createLog('silent'));
    ledger = createLedger(createPool({ connectionString: database.url }), waker);
    customer = await createCustomer(ledger, 'chiado');
    await ledger.updateTable('ibans').set({ iban: creditedIban }).where('iban', '=', customer.iban).execute();
    running = [await runChainWorker(network.settings, 'chiado'), await runIndexer(network.settings, 'chiado'), waker];
  });

  afterAll(async () => {
    await Promise.all(running.map((part) => part.close()));
    await ledger?.destroy();
    await network?.stop();
    await database?.drop();
  });

  it('their credits reach `processed`, and their debits nothing', async () => {
    const reports = [
      await importSample('camt053.v2.minimal.xml'),
      await importSample('camt053.v8.xml'),
      await importSample('camt054.v8.xml'),
    ];
    expect(reports.map(({ message, counts }) => [message, counts.issued, counts.skipped])).toEqual([
      ['camt.053', 1, 0],
      ['camt.053', 1, 0],
      ['camt.054', 0, 1],
    ]);
    const orders = await processed(2);
    for (const order of orders) {
      expect(order).toMatchObject({ amount: 885n, currency: 'eur', address: customer.address, referenceNumber: '4654654654654654' });
      expect(order.counterpart).toEqual({
        identifier: { standard: 'iban', iban: creditedIban },
        details: { name: 'NAME NAME', address: 'ADDR ADDR 10, 2000 ANTWERPEN, NL' },
      });
    }
    expect(await balance()).toBe(toTokenUnits(minorUnits(1770n)));
  });

  it('a notification in the shape of the sample, with its batch booked as a credit to the customer, is processed too', async () => {
    const sample = readFileSync(join(schemaFolder, 'camt054.v8.xml'), 'utf8');
    // In the sample the batch is a debit in SEK of payments that were sent, and its transactions are in CHF to two IBANs.
    const credited = sample
      .replace('<Amt Ccy="SEK">200000</Amt>', '<Amt Ccy="EUR">9.5</Amt>')
      .replaceAll('<CdtDbtInd>DBIT</CdtDbtInd>', '<CdtDbtInd>CRDT</CdtDbtInd>')
      .replaceAll('<Cd>ICDT</Cd>', '<Cd>RCDT</Cd>')
      .replaceAll('Ccy="CHF"', 'Ccy="EUR"')
      .replaceAll(/CH4112345003131313131|CH7212345003232323232/g, creditedIban);
    const report = await importSample('camt054.credit.xml', bytes(credited));
    expect(report).toMatchObject({ counts: { entries: 1, issued: 3, unmatched: 0 }, sums: { issued: { eur: '9.50' } } });
    const orders = await processed(5);
    expect(orders.map(({ amount }) => Number(amount)).sort((one, other) => one - other)).toEqual([310, 320, 320, 885, 885]);
  });

  it('and nothing is issued for them a second time', async () => {
    const before = await balance();
    for (const name of ['camt053.v2.minimal.xml', 'camt053.v8.xml']) expect((await importSample(name)).state).toBe('already_imported');
    expect(await balance()).toBe(before);
  });
});

const balance = () =>
  network.rpc.readContract({
    address: network.tokens.eur as `0x${string}`,
    abi: eMoneyTokenAbi,
    functionName: 'balanceOf',
    args: [customer.address],
  });

const importSample = (name: string, chunks: AsyncIterable<Uint8Array> = createReadStream(join(schemaFolder, name))) =>
  importStatement(ledger, { name, chunks, options: creditOptions(network.settings) });

async function processed(count: number) {
  return until('all orders are processed', async () => {
    const orders = await ledger.selectFrom('orders').orderBy('placedAt').selectAll().execute();
    return orders.length === count && orders.every((order) => order.state === 'processed') ? orders : undefined;
  });
}
