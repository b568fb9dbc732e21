import { describe, expect, it } from 'vitest';
import type { EntrySpec, StatementSpec } from '../bank/iso20022/camt/statement-xml.ts';
import { money, payment, testRail } from './bank-rail.ts';

const rail = testRail();
const { iban } = rail.customer;

/** An entry with one transaction, by the entry's number. */
const single = (amount: string, to: string, more: Partial<EntrySpec> = {}): StatementSpec => ({
  id: `${amount}${to}`,
  entries: [{ amount, reference: 'NR7', transactions: [payment(to, amount, more.currency ? { currency: more.currency } : {})], ...more }],
});

describe('a reference that the bank used before', () => {
  it.each([
    ['for another amount', () => single('11.00', iban)],
    ['for another IBAN', () => single('10.00', 'NL56AGDH9619008421')],
    ['in another currency', () => single('10.00', iban, { currency: 'GBP' })],
  ])('%s is kept as a conflict, once', async (_, other) => {
    await rail.import(single('10.00', iban));
    const report = await rail.import(other());
    expect(report).toMatchObject({
      counts: { issued: 0, known: 0, unmatched: 1 },
      alerts: [{ reason: expect.stringContaining('was used before') }],
    });
    const again = await rail.import({ ...other(), id: 'again' });
    expect(again.counts).toMatchObject({ issued: 0, known: 1, unmatched: 0 });
    expect(await money(rail.ledger)).toEqual(['NR7 1000 matched', expect.stringMatching(/^NR7~2026-11-20 1[01]00 unmatched$/)]);
  });

  it('for money whose status was unknown becomes its order once the bank says that it is booked', async () => {
    await rail.import(single('10.00', iban, { status: 'ODD' }));
    expect(await money(rail.ledger)).toEqual(['NR7 1000 unmatched']);
    await rail.import(single('10.00', iban));
    expect(await money(rail.ledger)).toEqual(['NR7 1000 matched']);
  });

  it('for an ordinary credit, and now for a payment of ours that came back, is an alert', async () => {
    await rail.import(single('10.00', iban));
    const returned = payment(iban, '10.00', { returnReason: 'AC04' });
    const report = await rail.import({ id: 'later', entries: [{ amount: '10.00', reference: 'NR7', transactions: [returned] }] });
    expect(report.alerts).toHaveLength(1);
    expect(await money(rail.ledger)).toHaveLength(1);
  });
});
