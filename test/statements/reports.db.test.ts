import { describe, expect, it } from 'vitest';
import { compareBookWithBank } from '../../src/reconciliation/book-and-bank.ts';
import { listUnexplainedDebits } from '../../src/ledger/bank/debits/unexplained-debits.ts';
import { returnCredit } from '../../src/ledger/bank/unmatched/return-credit.ts';
import { el, masterIban, type EntrySpec, type StatementSpec } from '../bank/iso20022/camt/statement-xml.ts';
import { contents, money, payment, testRail } from './bank-rail.ts';

const rail = testRail();
const { iban } = rail.customer;

/** The entry E as one line of a statement. */
const sum = (amount = '30.00', more: Partial<EntrySpec> = {}): StatementSpec => ({
  id: `SUM${amount}`,
  entries: [{ amount, reference: 'E', ...more }],
});
const batch = (amount = '30.00') => sum(amount, { batch: '2' });

/** The same entry in a notification, with transactions that have numbers of their own. */
const details = (amounts: Record<string, string>, more: Partial<StatementSpec> = {}): StatementSpec => ({
  message: 'camt.054',
  ...more,
  entries: [
    {
      amount: total(Object.values(amounts)),
      reference: 'E',
      transactions: Object.entries(amounts).map(([reference, amount]) => payment(iban, amount, { refs: { AcctSvcrRef: reference } })),
    },
  ],
});

/** The same, where the bank numbers the entry alone. */
const unnumbered = (...amounts: string[]): StatementSpec => ({
  id: `U${amounts.join()}`,
  entries: [{ amount: total(amounts), reference: 'E', transactions: amounts.map((amount) => payment(iban, amount)) }],
});

/** A statement of one entry with the number 1. */
const stated = (opening: string, closing: string, entry: EntrySpec): StatementSpec => ({
  id: `${opening} ${closing}`,
  opening,
  closing,
  day: '2026-11-20',
  entries: [{ reference: '1', ...entry }],
});

const differences = async () => (await compareBookWithBank(rail.ledger)).filter(({ difference }) => difference !== 0n);

const total = (amounts: string[]) => amounts.reduce((all, amount) => all + Number(amount), 0).toFixed(2);

describe('transactions first, then the sum of their entry', () => {
  it.each([
    ['a single line', () => sum()],
    ['a batch', () => batch()],
    ['a line that refers to the notification', () => sum('30.00', { detailsIn: 'camt.054' })],
  ])('%s that agrees changes nothing', async (_, later) => {
    await rail.import(details({ T1: '10.00', T2: '20.00' }));
    const before = await contents(rail.ledger);
    const report = await rail.import(later());
    expect(report.counts).toMatchObject({ issued: 0, known: 1, unmatched: 0 });
    expect(await contents(rail.ledger)).toEqual(before);
  });

  it('one that is more leaves the rest to an operator, once', async () => {
    await rail.import(details({ T1: '10.00', T2: '20.00' }));
    const report = await rail.import(batch('35.00'));
    expect(report.alerts).toMatchObject([{ outcome: 'unmatched', amount: '5.00', reference: expect.stringMatching(/:E#rest$/) }]);
    await rail.import({ ...batch('35.00'), id: 'again' });
    expect(await money(rail.ledger)).toEqual(['E#rest 500 unmatched', 'T1 1000 matched', 'T2 2000 matched']);
  });

  it('one that is less is kept as a conflict without an amount', async () => {
    await rail.import(details({ T1: '10.00', T2: '20.00' }));
    const report = await rail.import(batch('25.00'));
    expect(report.alerts).toHaveLength(1);
    expect(await money(rail.ledger)).toEqual(['E ? unmatched', 'T1 1000 matched', 'T2 2000 matched']);
  });

  it('is not needed: the rest of a partial notification may follow as transactions too', async () => {
    await rail.import(details({ T1: '10.00' }));
    await rail.import(batch());
    expect(await money(rail.ledger)).toEqual(['E#rest 2000 unmatched', 'T1 1000 matched']);
    await rail.import(details({ T2: '20.00' }));
    expect(await money(rail.ledger)).toEqual(['T1 1000 matched', 'T2 2000 matched']);
  });

  it.each([
    ['customer', iban, 'matched'],
    ['stranger', 'NL56AGDH9619008421', 'unmatched'],
  ])(
    'of a %s leave the same rest of a sum that has another number in a statement, in every order of the files',
    async (_, payee, state) => {
      const part = { amount: '10.00', reference: 'E', transactions: [payment(payee, '10.00', { refs: { AcctSvcrRef: 'T1' } })] };
      const files: StatementSpec[] = [
        { id: 'N1', message: 'camt.054', entries: [part] },
        { ...batch(), message: 'camt.054' },
        sum('30.00', { reference: 'S', batch: '2' }),
      ];
      for (const order of ['012', '021', '102', '120', '201', '210']) {
        await rail.empty();
        for (const index of order) await rail.import(files[Number(index)] as StatementSpec);
        const recorded = (await money(rail.ledger)).map((credit) => credit.replace(/^[ES](#rest)? /, 'rest ')).toSorted();
        expect(recorded, order).toEqual([`T1 1000 ${state}`, 'rest 2000 unmatched']);
      }
    },
  );
});

describe('a transaction that was taken out of a sum, until a statement between shows that it is of another entry with the same number', () => {
  const opened: StatementSpec = { id: 'opened', day: '2026-11-19', opening: '90.00', closing: '90.00', entries: [] };
  const orders = [
    ['after the sum', [0, 1]],
    ['before the sum', [1, 0]],
  ] as const;

  it.each(orders)('%s is in it no more: the sum waits as a whole, and the book agrees with the bank', async (_, order) => {
    const single = { amount: '10.00', transactions: [payment(iban, '10.00')] };
    const files = [
      stated('90.00', '120.00', { amount: '30.00', batch: '3' }),
      stated('130.00', '140.00', single),
      stated('120.00', '130.00', single),
    ] as const;
    const amounts = async () => (await money(rail.ledger)).map((credit) => credit.replace(/^\S+ /, '')).toSorted();
    for (const file of [opened, ...order.map((index) => files[index])]) await rail.import(file);
    expect(await amounts()).toEqual(['1000 matched', '2000 unmatched']);
    await rail.import(files[2]);
    const whole = ['1000 matched', '1000 matched', '3000 unmatched'];
    expect(await amounts()).toEqual(whole);
    expect(await differences()).toEqual([]);
    await rail.import({ id: 'N', message: 'camt.054', entries: [{ amount: '30.00', reference: 'N', batch: '3' }] });
    await rail.import({ ...files[0], id: 'again' });
    expect(await amounts()).toEqual(whole);
  });

  it.each(orders)('%s is in it no more, where they are debits', async (_, order) => {
    const single = { amount: '10.00', direction: 'DBIT', transactions: [{ amount: '10.00', refs: { EndToEndId: 'X' } }] };
    const files = [
      stated('90.00', '60.00', { amount: '30.00', direction: 'DBIT', batch: '3' }),
      stated('50.00', '40.00', single),
      stated('60.00', '50.00', single),
    ] as const;
    const amounts = async () =>
      (await listUnexplainedDebits(rail.ledger, 10)).map(({ amount }) => Number(amount)).toSorted((a, b) => a - b);
    for (const file of [opened, ...order.map((index) => files[index])]) await rail.import(file);
    expect(await amounts()).toEqual([1_000, 2_000]);
    await rail.import(files[2]);
    expect(await amounts()).toEqual([1_000, 1_000, 3_000]);
    await rail.import({ ...files[0], id: 'again' });
    expect(await amounts()).toEqual([1_000, 1_000, 3_000]);
    expect(await differences()).toEqual([]);
  });
});

describe('the sum of an entry first, then its transactions', () => {
  it('replace a batch that waits', async () => {
    await rail.import(batch());
    expect(await money(rail.ledger)).toEqual(['E 3000 unmatched']);
    const report = await rail.import(details({ T1: '10.00', T2: '20.00' }));
    expect(report.counts).toMatchObject({ issued: 2, known: 0, unmatched: 0 });
    expect(await money(rail.ledger)).toEqual(['T1 1000 matched', 'T2 2000 matched']);
    const before = await contents(rail.ledger);
    await rail.import({ ...batch(), id: 'again' });
    await rail.import(details({ T1: '10.00', T2: '20.00' }, { version: '02' }));
    expect(await contents(rail.ledger)).toEqual(before);
    expect(await rail.ledger.selectFrom('credits').where('state', '=', 'replaced').select('amount').execute()).toEqual([{ amount: 3000n }]);
  });

  it('replace a line to an account that is no customer’s, even where the only transaction has no number', async () => {
    await rail.import(sum('10.00'));
    await rail.import(unnumbered('10.00'));
    expect(await money(rail.ledger)).toEqual(['E 1000 matched']);
    await rail.import({ ...sum('10.00'), id: 'again' });
    expect(await money(rail.ledger)).toEqual(['E 1000 matched']);
  });

  it('replace a part of it when they are a part of it', async () => {
    await rail.import(batch());
    await rail.import(details({ T1: '10.00' }));
    expect(await money(rail.ledger)).toEqual(['E 2000 unmatched', 'T1 1000 matched']);
    await rail.import({ ...batch(), id: 'again' });
    await rail.import(details({ T2: '20.00' }));
    expect(await money(rail.ledger)).toEqual(['T1 1000 matched', 'T2 2000 matched']);
  });

  it('change nothing when the sum became an order: the report says so', async () => {
    const toCustomer = { ...sum(), account: el('Id', el('IBAN', iban)) };
    await rail.import(toCustomer);
    const before = await contents(rail.ledger);
    expect(before.counts).toEqual([1, 1, 1]);
    const report = await rail.import({ ...details({ T1: '10.00', T2: '20.00' }), account: el('Id', el('IBAN', iban)) });
    expect(report).toMatchObject({ counts: { issued: 0, known: 2 }, alerts: [{ outcome: 'known' }, { outcome: 'known' }] });
    expect(await contents(rail.ledger)).toEqual(before);
  });

  it('change nothing when the sum was returned', async () => {
    await rail.import(batch());
    await returnCredit(rail.ledger, `${masterIban}:E`);
    const report = await rail.import(details({ T1: '10.00', T2: '20.00' }));
    expect(report.alerts[0]?.reason).toContain('was returned before its transactions were reported');
    expect(await money(rail.ledger)).toEqual(['E 3000 returned']);
  });

  it('that come to more are kept as conflicts, and issue nothing', async () => {
    await rail.import(batch());
    const report = await rail.import(details({ T1: '10.00', T2: '25.00' }));
    expect(report).toMatchObject({ counts: { issued: 0, unmatched: 2 }, alerts: [{ amount: '10.00' }, { amount: '25.00' }] });
    await rail.import(details({ T1: '10.00', T2: '25.00' }, { version: '02' }));
    expect(await money(rail.ledger)).toHaveLength(3);
  });
});

describe('the transactions of an entry under other numbers', () => {
  it.each([
    ['numbered, then not', () => [details({ T1: '10.00', T2: '20.00' }), unnumbered('10.00', '20.00')]],
    ['not numbered, then numbered', () => [unnumbered('10.00', '20.00'), details({ T1: '10.00', T2: '20.00' })]],
    ['a single one', () => [unnumbered('10.00'), details({ T1: '10.00' })]],
  ])('count once: %s', async (_, files) => {
    const [first, second] = files();
    await rail.import(first as StatementSpec);
    const before = await contents(rail.ledger);
    const report = await rail.import(second as StatementSpec);
    expect(report.counts).toMatchObject({ issued: 0, unmatched: 0 });
    expect(await contents(rail.ledger)).toEqual(before);
  });

  it('that do not add up are kept as conflicts where they differ', async () => {
    await rail.import(unnumbered('10.00', '20.00'));
    const report = await rail.import(details({ T1: '10.00', T2: '21.00' }));
    expect(report.counts).toMatchObject({ issued: 0, known: 1, unmatched: 1 });
  });

  it('count once when each is notified as an entry of its own, then all in one', async () => {
    const entries = [
      { amount: '10.00', reference: 'T1', transactions: [payment(iban, '10.00')] },
      { amount: '20.00', reference: 'T2', transactions: [payment(iban, '20.00')] },
    ];
    await rail.import({ message: 'camt.054', entries });
    const before = await contents(rail.ledger);
    await rail.import(details({ T1: '10.00', T2: '20.00' }, { message: 'camt.053' }));
    await rail.import(batch());
    expect(await contents(rail.ledger)).toEqual(before);
  });
});
