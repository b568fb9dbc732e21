import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readStatement } from '../../../../src/bank/iso20022/camt/read-statement.ts';
import { collect } from './reading.ts';
import { schemaFolder, schemasPresent } from '../schema-folder.ts';

const readSample = async (name: string) => collect(readStatement(createReadStream(join(schemaFolder, name))));

/** Both statements tell the same payment, to an IBAN under the account of the statement. */
const payment = {
  iban: 'NL56AGDH9619008421',
  amount: 885n,
  currency: 'eur',
  payer: { name: 'NAME NAME', iban: 'NL56AGDH9619008421', address: 'ADDR ADDR 10, 2000 ANTWERPEN, NL' },
  structuredReference: '4654654654654654',
  bookedOn: '2014-12-31',
};

describe.skipIf(!schemasPresent())('public samples', () => {
  test('camt.053 version 02: one credit without any reference', async () => {
    const items = await readSample('camt053.v2.minimal.xml');
    expect(items).toEqual([
      {
        kind: 'credit',
        entry: { number: 1, line: 90, transactionCount: 1 },
        credit: { ...payment, reference: expect.stringMatching(/^NL26VAYB8060476890#[0-9a-f]{40}$/) },
      },
    ]);
  });

  test('camt.053 version 08: one credit, whose own amount of 0 SEK is not what was booked', async () => {
    const number = 'AAAASESS-FP-CN_98765/01';
    const reference = `NL26VAYB8060476890:${number}`;
    expect(await readSample('camt053.v8.xml')).toEqual([
      {
        kind: 'credit',
        entry: { number: 1, line: 110, transactionCount: 1, bankNumber: number, reference },
        credit: { ...payment, reference, number, endToEndId: 'MUELL/FINP/RA12345' },
      },
    ]);
  });

  test('camt.054 version 08: one debit, though its transactions are marked as credits', async () => {
    expect(await readSample('camt054.v8.xml')).toMatchObject([
      { kind: 'skipped', entry: { number: 1, transactionCount: 3 }, skipped: { reason: 'debit', amount: 20_000_000n, currency: 'sek' } },
    ]);
  });
});
