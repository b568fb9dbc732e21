import { createReadStream } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { identifyMessage } from '../../../../src/bank/iso20022/message-kind.ts';
import { readStatement } from '../../../../src/bank/iso20022/camt/read-statement.ts';
import { readStatusReport } from '../../../../src/bank/iso20022/pain/pain-002.ts';
import { collect, credits, outcomes, unmatched } from '../camt/reading.ts';

/* Files as banks of several countries fill them, with parties, numbers and texts of our own. */

const fileOf = (name: string) => createReadStream(path.join(import.meta.dirname, name)) as AsyncIterable<Uint8Array>;
const read = (name: string) => collect(readStatement(fileOf(name)));

describe('a statement in the style of', () => {
  test('a German savings bank, with the parties in full', async () => {
    const items = await read('de-savings-bank.camt.053.001.08.xml');
    expect(outcomes(items)).toEqual(['credit', 'credit']);
    expect(credits(items)).toMatchObject([
      {
        iban: 'NL56AGDH9619008421',
        amount: 25_000n,
        payer: { name: 'Petra Beispiel', iban: 'DE75512108001245126199' },
        remittance: 'Rechnung 4711',
      },
      { iban: 'NL56AGDH9619008421', amount: 8_000n, payer: { name: 'Karl Muster' } },
    ]);
  });

  test('a Dutch bank in version 02, whose payer has an IBAN with wrong check digits', async () => {
    const items = await read('nl-bank.camt.053.001.02.xml');
    expect(outcomes(items)).toEqual(['credit', 'debit']);
    expect(credits(items)[0]?.payer).toEqual({ name: 'J. de Vries', accountNumber: 'NL00BUNQ1234567890', bic: 'BUNQNL2A' });
  });

  test('a Swiss bank: a notification of a batch with QR references', async () => {
    expect(credits(await read('ch-bank.camt.054.001.08.xml'))).toMatchObject([
      {
        iban: 'CH4431999123000889012',
        amount: 10_000n,
        structuredReference: '210000000003139471430009017',
        payer: { iban: 'CH5604835012345678009' },
      },
      { amount: 5_000n, payer: { name: 'Einzahlung am Schalter', clearingSystem: 'CHBCC', clearingCode: '9000' } },
    ]);
  });

  test('an Austrian bank, in the namespace of STUZZA', async () => {
    expect(credits(await read('at-bank.camt.053.001.02.austrian.003.xml'))).toMatchObject([
      { iban: 'AT611904300234573201', amount: 7_550n, remittance: 'Miete November', endToEndId: 'KD-778' },
    ]);
  });

  test('a British bank, whose payers have sort codes', async () => {
    const payer = { name: 'A N OTHER', accountNumber: '31926819', clearingSystem: 'GBDSC', clearingCode: '200415' };
    expect(credits(await read('gb-bank.camt.053.001.08.xml'))).toMatchObject([{ amount: 2_000n, currency: 'gbp', payer }]);
  });

  test('an American bank in version 14, whose accounts are no IBANs', async () => {
    const payer = { accountNumber: '987-654321', bic: 'CHASUS33', clearingSystem: 'USABA', clearingCode: '021000021' };
    const items = await read('us-bank.camt.053.001.14.xml');
    expect(credits(items)).toMatchObject([{ iban: 'NL56AGDH9619008421', amount: 500_000n, currency: 'usd', payer }]);
    expect(unmatched(items)).toEqual([]);
  });
});

describe('an intraday report in the style of a German savings bank', () => {
  const report = 'de-savings-bank.camt.052.001.08.xml';

  test('is read for its booked entries alone', async () => {
    expect(outcomes(await read(report))).toEqual(['credit', 'not_booked', 'not_booked']);
  });

  test('gives its booked entries the references of the statement', async () => {
    const [[first], [second]] = [credits(await read(report)), credits(await read('de-savings-bank.camt.053.001.08.xml'))];
    expect(first?.reference).toBe(second?.reference);
  });
});

test('a payment status report of a Swiss bank is identified and read', async () => {
  const { message, chunks } = await identifyMessage(fileOf('ch-bank.pain.002.001.03.ch.02.xml'));
  expect(message).toBe('pain.002');
  const statuses = [];
  for await (const status of readStatusReport(chunks)) statuses.push(status);
  expect(statuses).toMatchObject([
    {
      meaning: 'unclear',
      reason: 'AC04 closed account number: Konto saldiert',
      originalMessageId: 'OUR-FILE-1',
      originalEndToEndId: 'P-1',
    },
  ]);
});
