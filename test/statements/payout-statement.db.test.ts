import { describe, expect, it } from 'vitest';
import { importBankFile } from '../../src/statements/import-file.ts';
import { stream } from '../bank/iso20022/camt/reading.ts';
import { type EntrySpec, statementXml } from '../bank/iso20022/camt/statement-xml.ts';
import { testPayments } from '../ledger/bank/payments-ledger.ts';
import { sendPayouts, type SentPayout } from './payouts-sent.ts';

const at = testPayments();

const options = { defaultMemo: 'memo', tokens: ['chiado:eur'] };
const book = (entries: EntrySpec[]) =>
  importBankFile(at.ledger, { name: 'statement.xml', chunks: stream([statementXml({ entries })]), options });
const states = async () => (await at.payments()).map(({ state }) => state);

const debit = ({ endToEndId }: SentPayout) => ({ amount: '12.50', direction: 'DBIT', refs: { EndToEndId: endToEndId } });

describe('a statement', () => {
  it('settles the payouts that it shows as booked, one by one or in a batch', async () => {
    const { payouts } = await sendPayouts(at, 3);
    const [one, other, third] = payouts as [SentPayout, SentPayout, SentPayout];
    const report = await book([
      { amount: '12.50', direction: 'DBIT', reference: 'A', transactions: [debit(one)] },
      {
        amount: '25.00',
        direction: 'DBIT',
        reference: 'B',
        transactions: [debit(other), debit(third)],
      },
      { amount: '9.00', direction: 'DBIT', reference: 'C', transactions: [{ amount: '9.00', refs: { EndToEndId: 'FEES' } }] },
    ]);
    expect(report).toMatchObject({ settled: 3, unexplained: 1, alerts: [{ amount: '9.00' }], counts: { skipped: 3 } });
    expect(await states()).toEqual(['accepted', 'accepted', 'accepted']);
    expect((await at.order(third.order)).state).toBe('processed');
  });

  it.each([
    ['is not booked yet', { status: 'PDNG' }, '12.50'],
    ['is taken back', { reversal: true }, '12.50'],
    ['is a credit', { direction: 'CRDT' }, '12.50'],
    ['has another amount', {}, '12.51'],
  ])('settles no payout whose entry %s', async (_, more, amount) => {
    const { payouts } = await sendPayouts(at, 1);
    const transactions = [{ amount, refs: { EndToEndId: payouts[0]?.endToEndId ?? '' } }];
    const report = await book([{ amount, direction: 'DBIT', reference: 'A', transactions, ...more }]);
    expect(report).toMatchObject({ settled: 0 });
    expect(await states()).toEqual(['sent']);
    if (amount === '12.51') expect(report.alerts).toMatchObject([{ amount: '12.51', reason: expect.stringContaining('12.50 EUR') }]);
  });
});
