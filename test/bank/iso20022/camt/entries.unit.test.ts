import { describe, expect, test } from 'vitest';
import { credits, outcomes, readSpec, references, unmatched } from './reading.ts';
import { masterIban, messages, payerIban, versions, virtualIban } from './statement-xml.ts';
import type { EntrySpec } from './statement-xml.ts';

const kinds = versions.flatMap((version) => messages.map((message) => ({ version, message })));

describe.each(kinds)('$message version $version', (kind) => {
  const read = (...entries: EntrySpec[]) => readSpec({ ...kind, entries });

  test('a booked credit is one credit with every fact', async () => {
    const transaction = {
      refs: { AcctSvcrRef: 'BANK-1', EndToEndId: 'E2E-1' },
      payer: { name: 'Ada Lovelace', iban: payerIban, address: '12 St James Square, London' },
      creditorIban: virtualIban,
      ustrd: ['gnosis:0x12'],
      structured: 'RF18 5390 0754 7034',
    };
    expect(credits(await read({ transactions: [transaction] }))).toEqual([
      {
        reference: `${masterIban}:BANK-1`,
        iban: virtualIban,
        amount: 10_000n,
        currency: 'eur',
        payer: { name: 'Ada Lovelace', iban: payerIban, address: '12 St James Square, London' },
        remittance: 'gnosis:0x12',
        structuredReference: 'RF18539007547034',
        endToEndId: 'E2E-1',
        bookedOn: '2026-11-20',
      },
    ]);
  });

  test('without a creditor account the statement account is credited', async () => {
    expect(credits(await read({ transactions: [{ ustrd: ['x'] }] }))[0]?.iban).toBe(masterIban);
  });

  test('an entry without details is one credit, with the words of the bank', async () => {
    expect(credits(await read({ info: 'Cash deposit' }))).toMatchObject([
      { iban: masterIban, amount: 10_000n, remittance: 'Cash deposit' },
    ]);
  });

  test('the transactions of a batch are credited one by one', async () => {
    const transactions = [
      { amount: '60.00', creditorIban: virtualIban, ustrd: ['a'] },
      { amount: '40.00', ustrd: ['b'] },
    ];
    expect(credits(await read({ batch: '2', transactions, info: 'Batch' }))).toMatchObject([
      { amount: 6000n, iban: virtualIban, remittance: 'a' },
      { amount: 4000n, iban: masterIban, remittance: 'b' },
    ]);
  });

  test.each<[string, EntrySpec, string[]]>([
    ['debit', { direction: 'DBIT' }, ['debit']],
    ['pending', { status: 'PDNG' }, ['not_booked']],
    ['information', { status: 'INFO' }, ['not_booked']],
    ['unknown status', { status: 'MAYB' }, ['status_unknown']],
    ['unknown direction', { direction: 'BOTH' }, ['direction_unknown']],
    ['explicitly no reversal', { reversal: false }, ['credit']],
    ['reversed credit', { direction: 'DBIT', reversal: true }, ['credit_reversed']],
    ['reversed debit', { reversal: true }, ['debit_reversed']],
    ['returned payment', { transactions: [{ returnReason: 'AC04' }] }, ['payment_returned']],
    ['return told by the code of the entry', { code: ['ICDT', 'RRTN'] }, ['payment_returned']],
    ['return told by the code of the transaction', { transactions: [{ code: ['RCDT', 'RRTN'], ustrd: ['x'] }] }, ['payment_returned']],
    ['instant payment', { code: ['RRCT', 'ESCT'] }, ['credit']],
    ['unsupported currency', { currency: 'CHF' }, ['currency_unsupported']],
    ['zero', { amount: '0' }, ['amount_zero']],
    ['batch without details', { batch: '3' }, ['batch_without_details']],
    ['batch of one without details', { batch: '1' }, ['credit']],
    ['details in another message', { detailsIn: 'camt.054.001.08' }, ['details_in_other_message']],
    ['wrong sum', { transactions: [{ amount: '60' }, { amount: '39' }] }, ['sum_differs']],
    ['wrong single amount', { transactions: [{ amount: '99.00' }] }, ['sum_differs']],
    ['one transaction without an amount', { transactions: [{ amount: '60' }, { ustrd: ['x'] }] }, ['transaction_amount_missing']],
    [
      'one transaction in another currency',
      { transactions: [{ amount: '60' }, { amount: '40', currency: 'USD' }] },
      ['transaction_amount_missing'],
    ],
    ['single transaction in another currency', { transactions: [{ amount: '120', currency: 'USD' }] }, ['credit']],
    ['charges deducted from one', { amount: '95', transactions: [{ amount: '100', charges: '5' }] }, ['credit']],
    ['zero transaction in a batch', { transactions: [{ amount: '0' }, { amount: '100' }] }, ['amount_zero', 'credit']],
    ['invalid virtual IBAN', { transactions: [{ creditorIban: 'NL00AGDH9619008421' }] }, ['iban_invalid']],
  ])('%s', async (_name, entry, expected) => {
    expect(outcomes(await read(entry))).toEqual(expected);
  });

  test('charges of each transaction are deducted when the entry is net', async () => {
    const transactions = [
      { amount: '60', charges: '1' },
      { amount: '40', charges: '0.50' },
    ];
    expect(credits(await read({ amount: '98.50', transactions })).map(({ amount }) => amount)).toEqual([5900n, 3950n]);
  });

  test('a wrong sum keeps the money of the whole entry, and says both sums', async () => {
    const [money] = unmatched(await read({ reference: 'E1', transactions: [{ amount: '60' }, { amount: '39' }] }));
    expect(money).toMatchObject({ amount: 10_000n, currency: 'eur', reference: `${masterIban}:E1` });
    expect(money?.detail).toMatch(/99\.00 EUR .*100\.00 EUR/);
  });

  test('a returned payment hands on the reason and the references of the original', async () => {
    const refs = { MsgId: 'M', PmtInfId: 'P', InstrId: 'I', EndToEndId: '0123456789abcdef0123456789abcdef', TxId: 'T' };
    // The parties are those of the original payment: the creditor is whom we had paid.
    const [money] = unmatched(await read({ transactions: [{ refs, returnReason: 'AC04', creditorIban: payerIban }] }));
    expect(money?.iban).toBe(masterIban);
    expect(money?.returned).toEqual({
      reason: 'AC04',
      description: 'AC04 closed account number',
      originalEndToEndId: '0123456789abcdef0123456789abcdef',
      originalInstructionId: 'I',
      originalTransactionId: 'T',
      originalPaymentInformationId: 'P',
      originalMessageId: 'M',
    });
  });

  test('a returned payment in an unsupported currency is still told as a return', async () => {
    const [money] = unmatched(await read({ currency: 'CHF', transactions: [{ returnReason: 'AC04' }] }));
    expect(money).toMatchObject({ reason: 'currency_unsupported', currency: 'chf', returned: { reason: 'AC04' } });
  });

  test.each([
    ['1000', 100_000n],
    ['1000.5', 100_050n],
    ['1000.50000', 100_050n],
    ['.5', 50n],
    ['+1.20', 120n],
    ['0.01', 1n],
  ])('the amount %s', async (amount, expected) => {
    expect(credits(await read({ amount })).map((credit) => credit.amount)).toEqual([expected]);
  });

  test.each([
    ['1000,50', 'amount_malformed'],
    ['1.000,50', 'amount_malformed'],
    ['-5', 'amount_malformed'],
    ['1e3', 'amount_malformed'],
    ['', 'amount_malformed'],
    ['10.005', 'amount_too_precise'],
    ['1000000000000001', 'amount_too_large'],
  ])('the amount "%s" is kept for an operator as %s', async (amount, reason) => {
    const [money, ...others] = unmatched(await read({ amount }));
    expect(others).toEqual([]);
    expect(money).toMatchObject({ reason, currency: 'eur' });
    expect(money?.amount).toBeUndefined();
  });

  test('a reference that says there is none is none', async () => {
    const items = await read({ transactions: [{ refs: { EndToEndId: 'NOTPROVIDED' } }] });
    expect(credits(items)).toHaveLength(1);
    expect(credits(items)[0]).not.toHaveProperty('endToEndId');
  });

  test('every item tells its entry', async () => {
    const items = await read({}, { direction: 'DBIT' }, { reference: 'E3', transactions: [{ amount: '60' }, { amount: '40' }] });
    expect(items.map(({ entry }) => [entry.number, entry.transactionCount, entry.reference])).toEqual([
      [1, 0, undefined],
      [2, 0, undefined],
      [3, 2, `${masterIban}:E3`],
      [3, 2, `${masterIban}:E3`],
    ]);
    expect(items[1]?.entry.line).toBe(Number(items[0]?.entry.line) + 1);
  });
});

const readNew = (...entries: EntrySpec[]) => readSpec({ version: '08', entries });

describe('version 08 directions of transactions', () => {
  test('a debit netted inside a credit entry is skipped and the credit is whole', async () => {
    const transactions = [
      { amount: '120', direction: 'CRDT' },
      { amount: '20', direction: 'DBIT' },
    ];
    const items = await readNew({ transactions });
    expect(outcomes(items)).toEqual(['credit', 'debit']);
    expect(credits(items)[0]?.amount).toBe(12_000n);
  });

  test('a credit netted inside a debit entry is money that arrived', async () => {
    const transactions = [
      { amount: '20', direction: 'CRDT' },
      { amount: '120', direction: 'DBIT' },
    ];
    const items = await readNew({ direction: 'DBIT', transactions });
    expect(outcomes(items)).toEqual(['credit', 'debit']);
    expect(credits(items)[0]?.amount).toBe(2000n);
  });

  test('credits inside a debit entry that do not make up its sum are not credited', async () => {
    const transactions = [
      { amount: '20', direction: 'CRDT' },
      { amount: '3', direction: 'DBIT' },
    ];
    expect(outcomes(await readNew({ direction: 'DBIT', transactions }))).toEqual(['debit']);
  });

  test('an only transaction that contradicts the direction of its entry is not credited', async () => {
    expect(outcomes(await readNew({ transactions: [{ amount: '100', direction: 'DBIT' }] }))).toEqual(['sum_differs']);
  });

  test('the status FUTR is not booked, and a proprietary BOOK is', async () => {
    expect(outcomes(await readNew({ status: 'FUTR' }))).toEqual(['not_booked']);
    expect(outcomes(await readNew({ status: '<Prtry>BOOK</Prtry>' }))).toEqual(['credit']);
  });
});

test('one entry of 2,000 transactions is read as 2,000 credits', async () => {
  const transactions = Array.from({ length: 2_000 }, (_, number) => ({ amount: '0.01', ustrd: [`n${number}`] }));
  const items = await readSpec({ entries: [{ amount: '20.00', batch: '2000', transactions }] });
  expect(credits(items)).toHaveLength(2_000);
  expect(new Set(references(items)).size).toBe(2_000);
});
