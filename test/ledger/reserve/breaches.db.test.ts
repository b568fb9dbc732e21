import { beginRecovery, endRecovery } from '../../../src/ledger/recoveries.ts';
import { describe, expect, it } from 'vitest';
import { makePaymentsOfLegs } from '../../../src/ledger/bank/payment-legs.ts';
import { readBalances } from '../../../src/ledger/book/balances.ts';
import { listReadyGroups } from '../../../src/ledger/lanes/leg-groups.ts';
import { acknowledgeBreach } from '../../../src/ledger/reserve/acknowledge-breach.ts';
import { openBreaches, recordBreach } from '../../../src/ledger/reserve/breaches.ts';
import type { ComparisonSubject } from '../../../src/ledger/reserve/comparison.ts';
import { type MinorUnits, minorUnits } from '../../../src/platform/money.ts';
import { randomHash, testPayments } from '../bank/payments-ledger.ts';

const at = testPayments({ isShared: true });

const index: ComparisonSubject = { comparison: 'index', currency: 'eur', account: 'liabilities:tokens:chiado', chain: 'chiado' };
const bank: ComparisonSubject = { comparison: 'bank', currency: 'eur', account: 'assets:bank:IS14', chain: '' };
const five = minorUnits(5n);
const acknowledge = ({ comparison, currency }: ComparisonSubject, amounts: MinorUnits[], account?: string) =>
  acknowledgeBreach(at.ledger, {
    currency,
    comparison,
    account,
    reason: 'known',
    items: amounts.map((amount) => ({ text: 'known', amount })),
    operator: 'otto',
  });
const groups = async () => (await listReadyGroups(at.ledger, 'chiado', ['eur'])).map(({ kind }) => kind);

describe('a breach', () => {
  it('is acknowledged with items that add up to it, one account at a time', async () => {
    await recordBreach(at.ledger, index, five);
    await recordBreach(at.ledger, { ...index, account: 'liabilities:tokens:gnosis', chain: 'gnosis' }, five);
    await expect(acknowledge(index, [five])).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('Several accounts have a breach') as string,
    });
    await expect(acknowledge(index, [five, five], index.account)).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('The items add up to') as string,
    });
    await acknowledge(index, [minorUnits(8n), minorUnits(-3n)], index.account);
    await acknowledge(index, [five]);
    await expect(acknowledge(index, [five])).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('There is no open breach') as string,
    });
  });

  it('is not acknowledged while a recovery is open, which may explain it', async () => {
    await recordBreach(at.ledger, index, minorUnits(0n));
    await beginRecovery(at.ledger, 'otto');
    await expect(acknowledge(index, [])).rejects.toMatchObject({
      code: 'not_possible',
      message: expect.stringContaining('A recovery is open') as string,
    });
    expect(await openBreaches(at.ledger)).toHaveLength(1);
    await endRecovery(at.ledger, 'otto');
    await acknowledge(index, []);
    expect(await openBreaches(at.ledger)).toEqual([]);
  });

  it('of the bank stops payments, and any breach stops issuing, until the last is acknowledged', async () => {
    await at.credited();
    await at.burnt();
    await makePaymentsOfLegs(at.ledger, 10);
    expect(await groups()).toEqual(['issue']);
    await recordBreach(at.ledger, bank, five);
    await recordBreach(at.ledger, index, five);
    expect(await groups()).toEqual([]);
    expect(await at.sendAll()).toBeUndefined();
    await acknowledge(bank, [five]);
    expect(await groups()).toEqual([]);
    expect((await at.sendAll())?.sent).toBe(1);
    await acknowledge(index, [five]);
    expect([await openBreaches(at.ledger), await groups()]).toEqual([[], ['issue']]);
  });

  it('of the index can be booked as the loss or gain of the operator, and no other', async () => {
    const book = async (subject: ComparisonSubject, amount: MinorUnits) => {
      await recordBreach(at.ledger, subject, amount);
      const items = [{ text: 'forged', amount }];
      const { currency, comparison } = subject;
      await acknowledgeBreach(at.ledger, { currency, comparison, reason: 'stolen key', items, books: true, operator: 'otto' });
    };
    await book(index, minorUnits(7n));
    await book(index, minorUnits(-2n));
    const balances = await readBalances(at.ledger);
    expect(balances.find(({ account }) => account === 'equity:operator')).toMatchObject({ amount: 5n });
    const eleven = minorUnits(11n);
    for (const account of [index.account, 'liabilities:tokens:gnosis']) {
      await recordBreach(at.ledger, { ...index, account }, eleven);
      await acknowledge(index, [eleven], account);
    }
    const again = { currency: 'eur', comparison: 'index', reason: 'nobody pays', books: true, operator: 'otto' } as const;
    const bookLater = (amount: MinorUnits, account?: string) =>
      acknowledgeBreach(at.ledger, { ...again, items: [{ text: 'forged', amount }], account });
    await expect(bookLater(minorUnits(4n))).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('There is no open breach') as string,
    });
    await expect(bookLater(eleven)).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('Several accounts have a breach') as string,
    });
    await bookLater(eleven, index.account);
    await expect(bookLater(eleven, index.account)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('There is no open breach') as string,
    });
    const later = await readBalances(at.ledger);
    expect(later.find(({ account }) => account === 'equity:operator')).toMatchObject({ amount: 16n });
    await expect(book(bank, five)).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('can be booked') as string,
    });
    await acknowledge(bank, [five]);
  });

  it('that is acknowledged opens no other guard: what a chain did that the ledger does not know stops issuing as before', async () => {
    const outcome = {
      chain: 'chiado',
      kind: 'issue',
      token: '0x7',
      currency: 'eur',
      orderId: crypto.randomUUID(),
      account: '0x1',
    } as const;
    const unrecorded = { ...outcome, amount: five, sequence: '1', txHash: randomHash(), blockNumber: 7n };
    await at.ledger
      .insertInto('unrecordedOutcomes')
      .values(unrecorded as never)
      .execute();
    await recordBreach(at.ledger, index, five);
    await acknowledge(index, [five]);
    expect(await groups()).toEqual([]);
    await at.ledger.deleteFrom('unrecordedOutcomes').execute();
    expect(await groups()).toEqual(['issue']);
  });
});
