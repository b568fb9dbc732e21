import { describe, expect, it } from 'vitest';
import { takeAwaitedBack } from '../../src/ledger/bank/claims/undo-reversal.ts';
import { listUnexplainedDebits } from '../../src/ledger/bank/debits/unexplained-debits.ts';
import { explainDebit } from '../../src/ledger/bank/debits/explain-debit.ts';
import { undoAwaitedDebit } from '../../src/ledger/bank/returns/not-booked-debits.ts';
import { openGaps } from '../../src/ledger/bank/statements/statement-queries.ts';
import { findMistakenLine, matchAgain, matchCredit } from '../../src/ledger/bank/unmatched/match-unmatched.ts';
import { repeatCredit } from '../../src/ledger/bank/unmatched/repeat-credit.ts';
import { settleCredit } from '../../src/ledger/bank/unmatched/settle-credit.ts';
import { minorUnits } from '../../src/platform/money.ts';
import { loadSettings } from '../../src/platform/settings.ts';
import { compareBookWithBank } from '../../src/reconciliation/book-and-bank.ts';
import { bankProblems } from '../../src/problems/bank-problems.ts';
import { el, type EntrySpec, masterIban, type StatementSpec } from '../bank/iso20022/camt/statement-xml.ts';
import { creditOptions, payment, testRail } from './bank-rail.ts';

const rail = testRail();
const { iban } = rail.customer;
const ofMaster = { settings: loadSettings({ DATABASE_URL: 'postgres://', BANK_ACCOUNT: masterIban }) };
const day = '2026-11-20';
const credit = (amount: string, more: Partial<EntrySpec> = {}): EntrySpec => ({ amount, transactions: [payment(iban, amount)], ...more });
const notified = (id: string, ...entries: EntrySpec[]): StatementSpec => ({ id, message: 'camt.054', entries });
const stated = (id: string, closing: string, ...entries: EntrySpec[]): StatementSpec => ({ id, opening: '0.00', closing, day, entries });

async function outcome() {
  const rows = await rail.ledger.selectFrom('credits').where('state', 'in', ['matched', 'unmatched']).select(['state', 'amount']).execute();
  const sum = (state: string) => rows.filter((row) => row.state === state).reduce((all, { amount }) => all + Number(amount ?? 0n), 0);
  return { issued: sum('matched'), held: sum('unmatched') };
}

const differences = async () =>
  (await compareBookWithBank(rail.ledger)).map(({ difference }) => difference).filter((difference) => difference !== 0n);

describe('a credit that a bank reports twice is issued once', () => {
  it.each<[string, Partial<StatementSpec>]>([
    ["under a customer's IBAN as the account", { account: el('Id', el('IBAN', iban)) }],
    ['under the domestic number of the account', { account: el('Id', el('Othr', el('Id', '8060476890'))) }],
  ])('%s, and under the IBAN of the account', async (_, more) => {
    await rail.import({ ...notified('N', credit('10.00', { reference: 'A' })), ...more }, ofMaster);
    await rail.import(stated('S', '10.00', credit('10.00', { reference: 'A' })), ofMaster);
    expect(await outcome()).toEqual({ issued: 1_000, held: 0 });
    expect(await differences()).toEqual([]);
  });

  it('with its time in UTC, and with the local day', async () => {
    const refs = { refs: { EndToEndId: 'F2M1' } };
    await rail.import(
      notified('N', credit('14.00', { bookedAt: '2026-11-19T23:30:00.000Z', transactions: [payment(iban, '14.00', refs)] })),
    );
    await rail.import(stated('S', '14.00', credit('14.00', { reference: 'F2M1', transactions: [payment(iban, '14.00', refs)] })));
    expect(await outcome()).toEqual({ issued: 1_400, held: 0 });
    expect(await differences()).toEqual([]);
  });

  it('in a batch whose transactions come in another order', async () => {
    const [one, other] = [
      payment(iban, '10.00', { refs: { EndToEndId: 'a' } }),
      payment('NL56AGDH9619008421', '20.00', { refs: { EndToEndId: 'b' } }),
    ];
    await rail.import(notified('N', { amount: '30.00', reference: 'F3', batch: '2', transactions: [one, other] }));
    await rail.import(stated('S', '30.00', { amount: '30.00', reference: 'F3', batch: '2', transactions: [other, one] }));
    expect(await outcome()).toEqual({ issued: 1_000, held: 2_000 });
    expect(await differences()).toEqual([]);
  });
});

describe('a batch', () => {
  const all = [payment(iban, '10.00'), payment(iban, '20.00')];

  it.each<[string, EntrySpec]>([
    ['with the number of its entry', { amount: '30.00', reference: 'E', batch: '2', transactions: all }],
    ['without a number', { amount: '30.00', batch: '2', transactions: all }],
  ])('that a statement lists as a sum agrees with its balance once it is notified %s', async (_, details) => {
    await rail.import(stated('S', '30.00', { amount: '30.00', reference: 'E', batch: '2' }));
    expect(await differences()).toEqual([]);
    await rail.import(notified('N', details));
    expect(await outcome()).toEqual({ issued: 3_000, held: 0 });
    expect(await differences()).toEqual([]);
    await rail.import({ id: 'S2', opening: '30.00', closing: '30.00', day: '2026-11-21' });
    expect(await differences()).toEqual([]);
  });

  it('that a statement lists as a sum, and that is notified twice, agrees with its balance', async () => {
    await rail.import(stated('S', '30.00', { amount: '30.00', batch: '2' }));
    for (const id of ['N1', 'N2']) await rail.import(notified(id, { amount: '30.00', batch: '2', transactions: all }));
    expect(await outcome()).toEqual({ issued: 3_000, held: 0 });
    expect(await differences()).toEqual([]);
  });

  it('of which a statement lists two equal sums, and which two messages notify, agrees with its balance', async () => {
    for (const id of ['N1', 'N2']) await rail.import(notified(id, { amount: '30.00', batch: '2', transactions: all }));
    await rail.import(stated('S', '60.00', { amount: '30.00', batch: '2' }, { amount: '30.00', batch: '2' }));
    expect(await outcome()).toEqual({ issued: 3_000, held: 3_000 });
    expect(await differences()).toEqual([]);
  });

  it('that an operator ends as the money of its transactions agrees with its balance', async () => {
    await rail.import(stated('S', '30.00', { amount: '30.00', reference: 'E', batch: '2' }));
    await rail.import(notified('N', credit('10.00', { reference: 'N1' }), credit('20.00', { reference: 'N2' })));
    expect(await outcome()).toEqual({ issued: 3_000, held: 3_000 });
    await repeatCredit(
      rail.ledger,
      `${masterIban}:E`,
      ['N1', 'N2'].map((reference) => `${masterIban}:${reference}`),
    );
    expect(await outcome()).toEqual({ issued: 3_000, held: 0 });
    const later = {
      opening: '30.00',
      closing: '35.00',
      day: '2026-11-21',
      entries: [credit('5.00', { reference: 'F', bookedOn: '2026-11-21' })],
    };
    for (const file of [
      { id: 'S2', ...later },
      { id: 'S3', opening: '35.00', closing: '35.00', day: '2026-11-22' },
    ]) {
      await rail.import(file);
      expect(await differences()).toEqual([]);
    }
    expect(await outcome()).toEqual({ issued: 3_500, held: 0 });
  });

  it('that lists one of five waits for the others', async () => {
    const entry = { amount: '50.00', reference: 'F1', batch: '5' };
    await rail.import(notified('N', { ...entry, transactions: [payment(iban, '10.00')] }));
    expect(await outcome()).toEqual({ issued: 0, held: 5_000 });
    const transactions = Array.from({ length: 5 }, () => payment(iban, '10.00'));
    await rail.import(stated('S', '50.00', { ...entry, transactions }));
    expect(await outcome()).toEqual({ issued: 5_000, held: 0 });
  });

  it('whose details are in a notification is not the money of the only transaction that it names', async () => {
    const first = { creditorIban: iban, payer: { name: 'Jón Jónsson' } };
    await rail.import(stated('S', '50.00', { amount: '50.00', reference: 'S1', detailsIn: 'camt.054.001.08', transactions: [first] }));
    expect(await outcome()).toEqual({ issued: 0, held: 5_000 });
    const transactions = [payment(iban, '10.00'), payment('NL56AGDH9619008421', '40.00')];
    await rail.import(notified('N', { amount: '50.00', reference: 'N1', transactions }));
    expect(await outcome()).toEqual({ issued: 1_000, held: 4_000 });
    expect(await differences()).toEqual([]);
  });

  it.each(['stated first', 'notified first'])(
    'of which only the notification names the charges agrees with its balance, %s',
    async (order) => {
      const sum = stated('S', '29.96', { amount: '29.96', reference: 'E', batch: '2' });
      const details = notified('N', { amount: '29.96', reference: 'E', batch: '2', charges: '0.04', transactions: all });
      for (const file of order === 'stated first' ? [sum, details] : [details, sum]) await rail.import(file);
      expect(await outcome()).toEqual({ issued: 3_000, held: 0 });
      expect(await differences()).toEqual([]);
    },
  );

  it('of which the bank keeps charges gives each customer what was paid', async () => {
    await rail.import(stated('S', '29.96', { amount: '29.96', reference: 'F6', batch: '2', charges: '0.04', transactions: all }));
    expect(await outcome()).toEqual({ issued: 3_000, held: 0 });
    expect(await listUnexplainedDebits(rail.ledger, 10)).toMatchObject([{ amount: 4n, remittance: 'charges' }]);
    expect(await differences()).toEqual([]);
  });
});

it('a statement whose balances contradict its entries is refused', async () => {
  const entry = credit('10.00', { reference: 'A' });
  const twice = { ...entry, reference: 'A' };
  await expect(rail.import(stated('S', '10.00', entry, twice))).rejects.toMatchObject({ code: 'statement_totals_differ' });
  await rail.import(stated('S', '20.00', entry, twice));
  expect(await outcome()).toEqual({ issued: 2_000, held: 0 });
});

it('equal credits in the first and the third statement of a day are two', async () => {
  const equal = { amount: '10.00', transactions: [payment(iban, '10.00')] };
  await rail.import(stated('A', '10.00', equal));
  await rail.import({ ...stated('B', '15.00', { ...equal, amount: '5.00', transactions: [payment(iban, '5.00')] }), opening: '10.00' });
  await rail.import({ ...stated('C', '25.00', equal), opening: '15.00' });
  expect(await outcome()).toEqual({ issued: 2_500, held: 0 });
  expect(await differences()).toEqual([]);
});

it('two statements of a day agree with the book in whichever order they are imported', async () => {
  await rail.import({ id: 'A', opening: '0.00', closing: '0.00', day: '2026-11-19' });
  await rail.import({ ...stated('C', '30.00', credit('20.00', { reference: 'C' })), opening: '10.00' });
  await rail.import(stated('B', '10.00', credit('10.00', { reference: 'B' })));
  expect(await outcome()).toEqual({ issued: 3_000, held: 0 });
  expect(await differences()).toEqual([]);
});

it('a credit of a family that is coded as outgoing is issued', async () => {
  await rail.import(notified('N', credit('27.00', { reference: 'F9', code: ['ICDT', 'ESCT'] })));
  expect(await outcome()).toEqual({ issued: 2_700, held: 0 });
});

describe('a line that was taken for something else', () => {
  const operator = { ...creditOptions, source: 'operator' };
  const reason = 'the bank says so';

  it('a payment of ours that came back, and names none, is issued to the customer whom the operator names', async () => {
    await rail.import(stated('S', '10.00', credit('10.00', { reference: 'A', code: ['RCDT', 'RRTN'] })));
    expect(await outcome()).toEqual({ issued: 0, held: 1_000 });
    const again = { reference: `${masterIban}:A`, reason };
    await expect(matchAgain(rail.ledger, again, operator)).rejects.toMatchObject({
      code: 'not_possible',
      message: expect.stringContaining('still cannot become an order') as string,
    });
    await matchAgain(rail.ledger, { ...again, iban }, operator);
    expect(await outcome()).toEqual({ issued: 1_000, held: 0 });
    expect(await rail.ledger.selectFrom('credits').select('matchedBecause').execute()).toEqual([{ matchedBecause: reason }]);
    await expect(matchAgain(rail.ledger, { ...again, iban }, operator)).rejects.toMatchObject({ code: 'credit_not_unmatched' });
    expect(await differences()).toEqual([]);
  });

  it('the money of another credit is issued besides, once, however it is reported again', async () => {
    await rail.import(notified('N', credit('10.00', { bookedOn: day })));
    const statement = stated('S', '10.00', credit('10.00', { reference: 'S1', bookedOn: day }));
    await rail.import(statement);
    expect(await outcome()).toEqual({ issued: 1_000, held: 0 });
    const again = { reference: `${masterIban}:S1`, reason };
    expect(await findMistakenLine(rail.ledger, again.reference)).toMatchObject({
      amount: 1_000n,
      takenFor: expect.stringContaining('the money of'),
    });
    await matchAgain(rail.ledger, again, operator);
    await expect(matchAgain(rail.ledger, again, operator)).rejects.toMatchObject({ code: 'credit_not_unmatched' });
    expect(await outcome()).toEqual({ issued: 2_000, held: 0 });
    await rail.import({ ...statement, id: 'again' });
    const later = { reference: 'T1', bookedOn: '2026-11-21' };
    await rail.import({ ...stated('T', '20.00', credit('10.00', later)), opening: '10.00', day: '2026-11-21' });
    expect(await outcome()).toEqual({ issued: 2_000, held: 0 });
    expect(await differences()).toEqual([]);
  });
});

it('an entry that is less than its transaction can be matched over what was booked', async () => {
  await rail.import(notified('N', { amount: '9.50', reference: 'A', transactions: [payment(iban, '10.00')] }));
  expect(await outcome()).toEqual({ issued: 0, held: 950 });
  await matchCredit(rail.ledger, `${masterIban}:A`, { ...creditOptions, source: 'operator' });
  expect(await outcome()).toEqual({ issued: 950, held: 0 });
});

it('a debit whose status is unknown, or whose amount cannot be read, is named', async () => {
  const debit = { amount: '5.00', reference: 'D', direction: 'DBIT' };
  const report = await rail.import(notified('N', { ...debit, status: 'ODD' }, { ...debit, reference: 'D2', amount: '5,00' }));
  expect(report.alerts).toMatchObject([
    { reason: expect.stringContaining('its status is ODD') },
    { reason: expect.stringContaining('cannot be read') },
  ]);
  expect(await listUnexplainedDebits(rail.ledger, 10)).toMatchObject([
    { reference: `${masterIban}:D`, problem: expect.stringContaining('ODD') },
    { reference: `${masterIban}:D2`, amount: null, problem: expect.stringContaining('5,00') },
  ]);
  const fee = { explanation: { as: 'fee' }, reason: 'the bank says so', operator: 'jane' } as const;
  await expect(explainDebit(rail.ledger, `${masterIban}:D2`, fee)).rejects.toThrow('--amount');
  await explainDebit(rail.ledger, `${masterIban}:D2`, { ...fee, amount: minorUnits(500n) });
  await rail.import(notified('again', { ...debit, status: 'BOOK' }, { ...debit, reference: 'D3', amount: 'five' }));
  await rail.import(stated('S', '-15.00', ...['D', 'D2', 'D3'].map((reference) => Object.assign({}, debit, { reference }))));
  expect(await listUnexplainedDebits(rail.ledger, 10)).toMatchObject([{ amount: 500n }, { reference: `${masterIban}:D3`, amount: 500n }]);
  expect(await differences()).toEqual([]);
});

it('debits that cannot be read are told apart by their days and by statements that follow each other, and known again otherwise', async () => {
  const unreadable = (amount: string, more: Partial<EntrySpec> = {}): EntrySpec => ({
    amount,
    reference: '000001',
    direction: 'DBIT',
    bookedOn: day,
    ...more,
  });
  const waiting = async () =>
    (await listUnexplainedDebits(rail.ledger, 10)).map(({ reference }) => reference.replace(`${masterIban}:`, ''));
  const first = stated('S1', '-12.00', unreadable('6,00'), unreadable('6,00'));
  await rail.import(notified('N', unreadable('6,00')), ofMaster);
  await rail.import(first, ofMaster);
  await rail.import({ ...first, summary: '' }, ofMaster);
  expect(await waiting()).toEqual(['000001', '000001#2']);
  await rail.import({ ...stated('S2', '-18.00', unreadable('6,00')), opening: '-12.00' }, ofMaster);
  const later = '2026-11-21';
  const next = { id: 'S3', opening: '-18.00', closing: '-25.00', day: later };
  await rail.import({ ...next, entries: [unreadable('7,00', { bookedOn: later })] }, ofMaster);
  expect(await waiting()).toEqual(['000001', '000001#2', `000001~${day}`, `000001~${later}`]);
  // A readable report takes the place of that of its day, unless an operator has named the amount.
  const fee = { explanation: { as: 'fee' }, reason: 'the bank says so', operator: 'jane' } as const;
  await explainDebit(rail.ledger, `${masterIban}:000001~${later}`, { ...fee, amount: minorUnits(700n) });
  for (const reference of ['000001', '000001#2', `000001~${day}`])
    await explainDebit(rail.ledger, `${masterIban}:${reference}`, { ...fee, amount: minorUnits(600n) });
  expect(await differences()).toEqual([]);
  await rail.import({ ...next, entries: [unreadable('7.00', { bookedOn: later })] }, ofMaster);
  await rail.import(
    {
      ...next,
      id: 'S4',
      day: '2026-11-22',
      opening: '-25.00',
      closing: '-31.00',
      entries: [unreadable('6,-', { bookedOn: '2026-11-22' })],
    },
    ofMaster,
  );
  await rail.import(notified('N4', unreadable('6.00', { bookedOn: '2026-11-22' })), ofMaster);
  expect(await waiting()).toEqual(['000001~2026-11-22']);
  const counting = await rail.ledger.selectFrom('bankDebits').where('state', '<>', 'replaced').orderBy('amount').select('amount').execute();
  expect(counting.map(({ amount }) => amount)).toEqual([600n, 600n, 600n, 600n, 700n]);
});

it('a debit whose status is unknown, and which nets a credit, is held as a whole, until a statement books both', async () => {
  const transactions = [
    { amount: '15.00', direction: 'DBIT' },
    { ...payment(iban, '10.00'), direction: 'CRDT' },
  ];
  const netted = { amount: '5.00', reference: 'NET', direction: 'DBIT', transactions };
  await rail.import(stated('S0', '0.00'), ofMaster);
  await rail.import(notified('N', { ...netted, status: 'ODD' }), ofMaster);
  expect([await debits(), await outcome()]).toEqual([[500n], { issued: 0, held: 0 }]);
  await rail.import(stated('S', '-5.00', netted), ofMaster);
  expect([await debits(), await outcome()]).toEqual([[1_500n], { issued: 1_000, held: 0 }]);
  expect(await differences()).toEqual([]);
});

it('money of which the bank does not say which way it went, or in which currency, is what the operator says', async () => {
  const by = { reason: 'the bank says so', operator: 'jane' };
  const reference = `${masterIban}:A`;
  await rail.import(stated('S0', '0.00'), ofMaster);
  const entries = [
    { ...credit('9.00', { reference: 'A' }), direction: 'D' },
    { amount: '3.00', currency: '', reference: 'B', direction: 'DBIT' },
  ];
  await rail.import(stated('S', '-12.00', ...entries), ofMaster);
  await settleCredit(rail.ledger, { reference, as: 'debit', ...by });
  await rail.import({ ...stated('S', '-12.00', ...entries), summary: '' }, ofMaster);
  expect(await debits()).toEqual([null, 900n]);
  await explainDebit(rail.ledger, reference, { explanation: { as: 'fee' }, ...by });
  const fee = { explanation: { as: 'fee' }, amount: minorUnits(300n), ...by } as const;
  await expect(explainDebit(rail.ledger, `${masterIban}:B`, fee)).rejects.toThrow('--currency');
  await explainDebit(rail.ledger, `${masterIban}:B`, { ...fee, currency: 'eur' });
  expect(await differences()).toEqual([]);
  await rail.import(notified('N', { ...credit('2.00', { reference: 'C' }), status: 'ODD' }), ofMaster);
  await expect(settleCredit(rail.ledger, { reference: `${masterIban}:C`, as: 'debit', ...by })).rejects.toThrow('says that it arrived');
});

it('a debit without a status is held and named, and is the one that a statement lists', async () => {
  const debit = { amount: '5.00', reference: 'D', direction: 'DBIT' };
  const report = await rail.import(notified('N', { ...debit, status: '' }));
  expect(report).toMatchObject({ unexplained: 1, alerts: [{ reason: expect.stringContaining('its status is missing') }] });
  expect(await listUnexplainedDebits(rail.ledger, 10)).toMatchObject([
    { reference: `${masterIban}:D`, amount: 500n, problem: expect.stringContaining('its status is missing') },
  ]);
  expect(await differences()).toEqual([]);
  await rail.import(stated('S', '-5.00', debit));
  expect(await debits()).toEqual([500n]);
  expect(await differences()).toEqual([]);
});

const fee = (more: Partial<EntrySpec> = {}): EntrySpec => ({ amount: '5.00', direction: 'DBIT', ...more });
const debits = async () => (await listUnexplainedDebits(rail.ledger, 10)).map(({ amount }) => amount);

describe('a debit', () => {
  it('that equals another without a number on another page, or in a statement that follows, is another', async () => {
    const pages = (number: number, last: boolean): StatementSpec => ({ id: 'S', page: { number, last }, day, entries: [fee()] });
    await rail.import({ ...pages(1, false), opening: '20.00', closing: '15.00' });
    await rail.import({ ...pages(2, true), opening: '15.00', closing: '10.00' });
    await rail.import({ ...stated('T', '5.00', fee()), opening: '10.00' });
    await rail.import({ ...stated('U', '0.00', fee()), opening: '5.00' });
    expect(await debits()).toEqual([500n, 500n, 500n, 500n]);
    await rail.import({ ...stated('T', '5.00', fee()), opening: '10.00', page: { number: 1, last: true } });
    expect(await debits()).toHaveLength(4);
    expect(await differences()).toEqual([]);
  });

  it('that is notified and stated under numbers of each is one', async () => {
    await rail.import(notified('N', fee({ reference: 'N1' }), fee({ reference: 'N2' })));
    await rail.import(stated('S', '-10.00', fee({ reference: 'S1' }), fee({ reference: 'S2' })));
    expect(await debits()).toEqual([500n, 500n]);
    expect(await differences()).toEqual([]);
    await rail.import(notified('M', fee({ reference: 'N1' }), fee({ reference: 'N2' })));
    await rail.import(stated('T', '-10.00', fee({ reference: 'S1' }), fee({ reference: 'S2' })));
    expect(await debits()).toEqual([500n, 500n]);
  });

  it('that is stated before its notification is one', async () => {
    await rail.import(stated('S', '-5.00', fee({ reference: 'S1' })));
    await rail.import(notified('N', fee({ reference: 'N1' })));
    expect(await debits()).toEqual([500n]);
    await rail.import(notified('M', fee({ reference: 'N2' })));
    expect(await debits()).toEqual([500n, 500n]);
  });

  const details = [{ amount: '2.00' }, { amount: '3.00' }];
  it.each<[string, EntrySpec, EntrySpec]>([
    ['under one number', fee({ reference: 'A', batch: '2' }), fee({ reference: 'A', transactions: details })],
    ['under numbers of each', fee({ reference: 'S1', batch: '2' }), fee({ reference: 'N1', transactions: details })],
    ['without a number', fee({ batch: '2' }), fee({ reference: 'N1', transactions: details })],
  ])('that is stated as a sum and notified with its transactions is one, %s', async (_, sum, whole) => {
    await rail.import(stated('S', '-5.00', sum));
    await rail.import(notified('N', whole));
    expect(await debits()).toEqual([200n, 300n]);
    expect(await differences()).toEqual([]);
    await rail.empty();
    await rail.import(notified('N', whole));
    await rail.import(stated('S', '-5.00', sum));
    expect(await debits()).toEqual([200n, 300n]);
    expect(await differences()).toEqual([]);
  });
});

it('a statement over days that are known leaves no gap', async () => {
  await rail.import({
    id: 'A',
    sequence: 7,
    opening: '0.00',
    closing: '10.00',
    day: '2026-11-19',
    entries: [credit('10.00', { reference: 'A', bookedOn: '2026-11-19' })],
  });
  await rail.import({ id: 'B', sequence: 8, opening: '10.00', closing: '20.00', day, entries: [credit('10.00', { reference: 'B' })] });
  const onDemand = [credit('10.00', { reference: 'A', bookedOn: '2026-11-19' }), credit('10.00', { reference: 'B' })];
  await rail.import({ id: 'C', sequence: 90, from: '2026-11-19', to: day, opening: '0.00', closing: '20.00', day, entries: onDemand });
  await rail.import({ id: 'D', sequence: 9, opening: '20.00', closing: '20.00', day: '2026-11-21' });
  expect(await openGaps(rail.ledger, 10)).toEqual([]);
  expect(await outcome()).toEqual({ issued: 2_000, held: 0 });
});

it('a notified credit that the statements of five days do not list is named, and taken back once the bank says that it has not booked it', async () => {
  const operator = { reason: 'the bank says so', operator: 'jane' };
  await rail.import(
    notified('N', credit('10.00', { reference: 'A', bookedOn: day }), credit('20.00', { reference: 'B', bookedOn: day })),
    ofMaster,
  );
  await rail.import(stated('S', '20.00', credit('20.00', { reference: 'B', bookedOn: day })), ofMaster);
  await rail.import({ id: 'S4', opening: '20.00', closing: '20.00', day: '2026-11-24' }, ofMaster);
  expect(await bankProblems(rail.ledger)).toEqual([]);
  await rail.import({ id: 'S5', opening: '20.00', closing: '20.00', day: '2026-11-25' }, ofMaster);
  const command = expect.stringContaining(`mintrail bank not-booked ${masterIban}:A`);
  expect(await bankProblems(rail.ledger)).toMatchObject([{ kind: 'credits_awaited', subject: masterIban, text: command }]);
  await expect(takeAwaitedBack(rail.ledger, `${masterIban}:B`, operator)).rejects.toMatchObject({
    code: 'not_possible',
    message: expect.stringContaining('is no credit that only a notification reports') as string,
  });
  await takeAwaitedBack(rail.ledger, `${masterIban}:A`, operator);
  await expect(takeAwaitedBack(rail.ledger, `${masterIban}:A`, operator)).rejects.toMatchObject({
    code: 'not_possible',
    message: expect.stringContaining('is no credit that only a notification reports') as string,
  });
  expect(await outcome()).toEqual({ issued: 2_000, held: 0 });
  expect(await bankProblems(rail.ledger)).toEqual([]);
  expect(await differences()).toEqual([]);
});

it('so is a notified debit, and what a statement lists after all has left', async () => {
  const reference = `${masterIban}:FEE`;
  const fee = { amount: '5.00', direction: 'DBIT', reference: 'FEE', bookedOn: day };
  await rail.import(notified('N', fee), ofMaster);
  await explainDebit(rail.ledger, reference, { explanation: { as: 'fee' }, reason: 'its price list', operator: 'jane' });
  await rail.import({ id: 'S', opening: '100.00', closing: '100.00', day: '2026-11-19' }, ofMaster);
  expect(await bankProblems(rail.ledger)).toEqual([]);
  await rail.import({ id: 'S5', opening: '100.00', closing: '100.00', day: '2026-11-25' }, ofMaster);
  expect(await bankProblems(rail.ledger)).toMatchObject([
    { kind: 'credits_awaited', text: expect.stringContaining(`mintrail bank not-booked ${reference}`) as string },
  ]);
  const undo = () => undoAwaitedDebit(rail.ledger, reference, { reason: 'the bank says so', operator: 'jane' });
  await undo();
  await expect(undo()).rejects.toMatchObject({ code: 'not_possible' });
  expect(await bankProblems(rail.ledger)).toEqual([]);
  expect(await differences()).toEqual([]);
  const late = await rail.import(
    { id: 'S6', opening: '100.00', closing: '95.00', day: '2026-11-26', entries: [{ ...fee, bookedOn: '2026-11-24' }] },
    ofMaster,
  );
  expect(late.alerts[0]?.reason).toContain(`THE BANK HAS BOOKED THE DEBIT ${reference}`);
  expect(await differences()).toEqual([]);
});
