import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { schemaFolder, schemasPresent } from '../bank/iso20022/schema-folder.ts';
import { contents, testRail } from './bank-rail.ts';

const rail = testRail();
/** To whom the payment of both sample statements goes. */
rail.customer.iban = 'NL56AGDH9619008421';

const importSample = (name: string) => rail.import('', { name, chunks: createReadStream(join(schemaFolder, name)) });

describe.skipIf(!schemasPresent())('the public samples', () => {
  it('become orders, once, and their debits nothing', async () => {
    // The two statements are one, in two versions of its message: the same Id, number, period and moment, the second a copy.
    const names = ['camt053.v2.minimal.xml', 'camt053.v8.xml', 'camt054.v8.xml'];
    const reports = [];
    for (const name of names) reports.push(await importSample(name));
    expect(reports.map(({ message, counts }) => [message, counts.issued, counts.skipped])).toEqual([
      ['camt.053', 1, 0],
      ['camt.053', 0, 0],
      ['camt.054', 0, 1],
    ]);
    const orders = await rail.ledger.selectFrom('orders').selectAll().execute();
    expect(orders).toHaveLength(1);
    for (const order of orders) {
      expect(order).toMatchObject({ amount: 885n, currency: 'eur', address: rail.customer.address, referenceNumber: '4654654654654654' });
      expect(order.counterpart).toEqual({
        identifier: { standard: 'iban', iban: rail.customer.iban },
        details: { name: 'NAME NAME', address: 'ADDR ADDR 10, 2000 ANTWERPEN, NL' },
      });
    }
    for (const name of names) expect((await importSample(name)).state).toBe('already_imported');
  });

  it('so does each transaction of a notification in their shape, with its batch booked as a credit to the customer', async () => {
    // In the sample the batch is a debit in SEK of payments that were sent, and its transactions are in CHF to two IBANs.
    const credited = readFileSync(join(schemaFolder, 'camt054.v8.xml'), 'utf8')
      .replace('<Amt Ccy="SEK">200000</Amt>', '<Amt Ccy="EUR">9.5</Amt>')
      .replaceAll('<CdtDbtInd>DBIT</CdtDbtInd>', '<CdtDbtInd>CRDT</CdtDbtInd>')
      .replaceAll('<Cd>ICDT</Cd>', '<Cd>RCDT</Cd>')
      .replaceAll('Ccy="CHF"', 'Ccy="EUR"')
      .replaceAll(/CH4112345003131313131|CH7212345003232323232/g, rail.customer.iban);
    expect(await rail.import(credited)).toMatchObject({
      counts: { entries: 1, issued: 3, unmatched: 0 },
      sums: { issued: { eur: '9.50' } },
    });
    const { orders } = await contents(rail.ledger);
    expect(orders.map(({ amount }) => Number(amount)).toSorted((one, other) => one - other)).toEqual([310, 320, 320]);
  });
});
