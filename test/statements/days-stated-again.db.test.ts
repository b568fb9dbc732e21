import { describe, expect, it } from 'vitest';
import { openGaps } from '../../src/ledger/bank/statements/statement-queries.ts';
import { loadSettings } from '../../src/platform/settings.ts';
import { compareBookWithBank } from '../../src/reconciliation/book-and-bank.ts';
import { type EntrySpec, masterIban, type StatementSpec, statementXml } from '../bank/iso20022/camt/statement-xml.ts';
import { money, payment, testRail } from './bank-rail.ts';
import { permutations } from './every-order.ts';

const rail = testRail({ isShared: true });
const settings = { settings: loadSettings({ DATABASE_URL: 'postgres://', BANK_ACCOUNT: masterIban }) };
const [before, day, next, later] = ['2026-11-18', '2026-11-19', '2026-11-20', '2026-11-23'];

const credit = (amount: string, bookedOn: string, reference?: string): EntrySpec => ({
  amount,
  bookedOn,
  ...(reference !== undefined && { reference }),
  transactions: [payment(rail.customer.iban, amount)],
});
const debit = (amount: string, bookedOn: string, reference: string): EntrySpec => ({ amount, bookedOn, direction: 'DBIT', reference });
const takenBack = (amount: string, bookedOn: string, reference: string): EntrySpec => ({
  ...credit(amount, bookedOn, reference),
  direction: 'DBIT',
  reversal: true,
});
const stated = (id: string, closedOn: string, [opening, closing]: [string, string], entries: EntrySpec[], more: StatementSpec = {}) => ({
  id,
  day: closedOn,
  opening,
  closing,
  entries,
  ...more,
});
const page = (number: number, last: boolean) => ({ page: { number, last } });
/** A statement that the bank makes at another time than the others. */
const madeAt = (created: string, spec: StatementSpec) => statementXml(spec).replaceAll('2026-11-20T18:00:00Z', created);

/** What there is after files, and by how much the book and the bank differ. */
async function end(files: readonly (StatementSpec | string)[]) {
  await rail.empty();
  for (const file of files) await rail.import(file, settings);
  const debits = await rail.ledger.selectFrom('bankDebits').select('amount').where('state', '<>', 'replaced').execute();
  const differences = (await compareBookWithBank(rail.ledger)).filter(({ difference }) => difference !== 0n);
  return {
    credits: (await money(rail.ledger)).map((text) => text.replace(/^\S+ /, '')).toSorted(),
    debits: debits.map(({ amount }) => Number(amount)).toSorted((one, other) => one - other),
    differences: differences.map(({ difference }) => difference),
    gaps: (await openGaps(rail.ledger, 10)).map(({ gap }) => gap),
  };
}

const whole = [credit('10', day, 'A'), credit('5', day, 'B'), debit('5', day, 'C')];
const inPages = [
  stated('S', day, ['0', '10'], [credit('10', day, 'A')], page(1, false)),
  stated('S', day, ['10', '10'], [credit('5', day, 'B'), debit('5', day, 'C')], page(2, true)),
];
const once = { credits: ['1000 matched', '500 matched'], debits: [500], differences: [], gaps: [] };

const cases: [string, StatementSpec[], object][] = [
  [
    'a day in two parts, the second of which comes to nothing',
    [
      stated('P1', day, ['0', '10'], whole.slice(0, 1)),
      stated('P2', day, ['10', '10'], whole.slice(1)),
      stated('F', day, ['0', '10'], whole),
    ],
    once,
  ],
  [
    'a day that comes to nothing: out, then in',
    [
      stated('P1', day, ['10', '0'], [debit('10', day, 'A')], { sequence: 1 }),
      stated('P2', day, ['0', '10'], [credit('10', day, 'B')], { sequence: 2 }),
      stated('F', day, ['10', '10'], [debit('10', day, 'A'), credit('10', day, 'B')]),
    ],
    { credits: ['1000 matched'], debits: [1_000], differences: [], gaps: [] },
  ],
  [
    'a day that comes to nothing: in, then out',
    [
      stated('P1', day, ['0', '10'], [credit('10', day, 'B')], { sequence: 1 }),
      stated('P2', day, ['10', '0'], [debit('10', day, 'A')], { sequence: 2 }),
      stated('F', day, ['0', '0'], [credit('10', day, 'B'), debit('10', day, 'A')]),
    ],
    { credits: ['1000 matched'], debits: [1_000], differences: [], gaps: [] },
  ],
  ['pages, the last of which comes to nothing, and the whole', [...inPages, stated('W', day, ['0', '10'], whole)], once],
  [
    'two statements of two days that share one, which comes to nothing',
    [
      stated('W1', day, ['0', '10'], [credit('10', before, 'X'), credit('5', day, 'A'), debit('5', day, 'B')], { from: before, to: day }),
      stated('W2', next, ['10', '17'], [credit('5', day, 'A'), debit('5', day, 'B'), credit('7', next, 'Y')], { from: day, to: next }),
    ],
    { credits: ['1000 matched', '500 matched', '700 matched'], debits: [500], differences: [], gaps: [] },
  ],
  [
    'three days whose numbers restart, in a statement that counts on',
    [
      stated('D1', before, ['0', '10'], [credit('10', before, '1')]),
      stated('D2', day, ['10', '20'], [credit('10', day, '1')]),
      stated('D3', next, ['20', '30'], [credit('10', next, '1')]),
      stated('W', next, ['0', '30'], [credit('10', before, '11'), credit('10', day, '12'), credit('10', next, '13')], {
        from: before,
        to: next,
      }),
    ],
    { credits: ['1000 matched', '1000 matched', '1000 matched'], debits: [], differences: [], gaps: [] },
  ],
];

describe('what a bank states again is there once, in every order of the files', () => {
  it.each(cases)('%s', async (_, files, expected) => {
    for (const order of permutations(files))
      expect.soft(await end(order), order.map(({ id, page: { number } = {} }) => `${id}${number ?? ''}`).join()).toEqual(expected);
  });

  it('in other pages', async () => {
    const others = [
      stated('R', day, ['0', '15'], whole.slice(0, 2), page(1, false)),
      stated('R', day, ['15', '10'], whole.slice(2), page(2, true)),
    ];
    for (const first of permutations(inPages))
      for (const again of permutations(others)) expect.soft(await end([...first, ...again])).toEqual(once);
  });

  it.each([
    [undefined, 'B', 'B'],
    ['A', 'B', 'B'],
    ['A', 'A', undefined],
  ])('two batches, of which one on demand lists one in full: numbers %s, %s and %s', async (notified, listed, onDemand) => {
    const batch = (reference: string | undefined, more: EntrySpec): EntrySpec => ({
      amount: '30',
      bookedOn: day,
      ...(reference !== undefined && { reference }),
      ...more,
    });
    const full = { transactions: [payment(rail.customer.iban, '10'), payment(rail.customer.iban, '20')] };
    const two = (number: string | undefined, [first, second]: [EntrySpec, EntrySpec]) => [
      batch(number, first),
      batch(number && `${number}2`, second),
    ];
    const files: StatementSpec[] = [
      { id: 'N', message: 'camt.054', entries: two(notified, [full, full]) },
      stated('S', day, ['0', '60'], two(listed, [{ batch: '2' }, { batch: '2' }])),
      stated('O', day, ['0', '60'], two(onDemand, [full, { batch: '2' }])),
    ];
    const credits = ['1000 matched', '1000 matched', '2000 matched', '2000 matched'];
    for (const order of permutations(files)) expect.soft(await end(order)).toEqual({ credits, debits: [], differences: [], gaps: [] });
  });

  it.each([
    [
      'two days each',
      [
        stated('W1', day, ['0', '10'], [credit('10', before, 'X'), credit('5', day, 'A'), takenBack('5', day, 'A')], {
          from: before,
          to: day,
        }),
        stated('W2', next, ['10', '17'], [credit('5', day, 'A'), takenBack('5', day, 'A'), credit('7', next, 'Y')], {
          from: day,
          to: next,
        }),
      ],
      [500],
    ],
    [
      'parts of a day, and the whole',
      [
        stated('P1', day, ['0', '10'], [credit('10', day, 'A')]),
        stated('P2', day, ['10', '0'], [takenBack('10', day, 'A')]),
        stated('F', day, ['0', '0'], [credit('10', day, 'A'), takenBack('10', day, 'A')]),
      ],
      [1_000],
    ],
  ])('a credit that was taken back: %s', async (_, files, debits) => {
    for (const order of permutations(files)) expect.soft((await end(order)).debits).toEqual(debits);
  });
});

describe('the newest statement is', () => {
  it('that of the day, whenever one on demand is imported', async () => {
    const first = stated('S1', before, ['0', '3'], [credit('3', before, 'X')]);
    const atNoon = madeAt('2026-11-20T12:00:00Z', stated('O', day, ['3', '8'], [credit('5', day, 'A')]));
    const ofDay = stated('S', day, ['3', '15'], [credit('5', day, 'A'), credit('7', day, 'B')]);
    for (const files of [
      [first, atNoon, ofDay],
      [first, ofDay, atNoon],
    ])
      expect(await end(files)).toEqual({ credits: ['300 matched', '500 matched', '700 matched'], debits: [], differences: [], gaps: [] });
  });

  it.each([900, 3, 47])('that of the day, also where one on demand has the number %i of a series of its own', async (sequence) => {
    const files = [
      stated('S1', before, ['0', '3'], [credit('3', before, 'X')], { sequence: 46 }),
      madeAt('2026-11-20T12:00:00Z', stated('O', day, ['3', '8'], [credit('5', day, 'A')], { sequence })),
      stated('S', day, ['3', '15'], [credit('5', day, 'A'), credit('7', day, 'B')], { sequence: 47 }),
    ];
    const following = stated('T', next, ['15', '16'], [credit('1', next, 'C')], { sequence: 48 });
    const credits = ['300 matched', '500 matched', '700 matched'];
    for (const order of permutations(files)) {
      expect.soft(await end(order)).toEqual({ credits, debits: [], differences: [], gaps: [] });
      await rail.import(following, settings);
      expect.soft(await openGaps(rail.ledger, 10)).toEqual([]);
    }
  });

  it('none that was fetched again in pages, of which the first says no closing balance', async () => {
    const pages = (id: string, created: string) => [
      madeAt(created, stated(id, before, ['0', ''], [credit('10', before, 'A')], page(1, false))),
      madeAt(created, stated(id, before, ['', '20'], [credit('10', before, 'B')], page(2, true))),
    ];
    const following = madeAt('2026-11-20T03:00:00Z', stated('T', day, ['20', '30'], [credit('10', day, 'C')]));
    for (const id of ['R', 'S'])
      expect(await end([...pages('S', '2026-11-19T03:00:00Z'), following, ...pages(id, '2026-11-21T09:00:00Z')])).toEqual({
        credits: ['1000 matched', '1000 matched', '1000 matched'],
        debits: [],
        differences: [],
        gaps: [],
      });
  });
});

describe('the opening of an account is', () => {
  it('that of the first of several statements of its first day, in every order', async () => {
    const parts = [
      stated('P1', before, ['0', '10'], [credit('10', before, 'A')]),
      stated('P2', before, ['10', '15'], [credit('5', before, 'B')]),
      stated('P3', before, ['15', '16'], [credit('1', before, 'D')]),
    ];
    for (const order of permutations(parts))
      expect
        .soft(await end([...order, stated('T', next, ['16', '19'], [credit('3', next, 'C')])]), order.map(({ id }) => id).join())
        .toMatchObject({ differences: [], gaps: [] });
  });

  it('without what was notified after it, in every order', async () => {
    const files: StatementSpec[] = [
      stated('S', before, ['100', '90'], [debit('10', before, 'A')]),
      { id: 'N', message: 'camt.054', entries: [credit('12.50', day, 'B')] },
      stated('T', later, ['90', '95'], [credit('5', later, 'C')]),
    ];
    for (const order of permutations(files))
      expect.soft(await end(order), order.map(({ id }) => id).join()).toMatchObject({ differences: [], gaps: [] });
  });

  it('the same when the statement is sent again, with what was notified before it', async () => {
    const notified: StatementSpec = { id: 'N', message: 'camt.054', entries: [credit('4', before, 'A')] };
    const first = stated('S1', day, ['20', '27'], [credit('7', day, 'B')]);
    const again = { ...first, id: 'S2' };
    const following = stated('T', later, ['27', '30'], [credit('3', later, 'C')]);
    expect(await end([notified, first, again, following])).toMatchObject({ differences: [], gaps: [] });
    const earlier = stated('S0', before, ['16', '20'], [credit('4', before, 'A')]);
    expect(await end([notified, first, earlier, again, following])).toMatchObject({ differences: [], gaps: [] });
  });
});
