import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { generatedStatement } from '../bank/iso20022/camt/generated-statement.ts';
import { virtualIban, type EntrySpec, type StatementSpec } from '../bank/iso20022/camt/statement-xml.ts';
import { contents, payment, testRail } from './bank-rail.ts';
import { longestTestMs } from '../support/patience.ts';

const rail = testRail({ isShared: true });
rail.customer.iban = virtualIban;

/** `npm run bank` tries as many as it has seeds. */
const numRuns = Number(process.env['BANK_SEEDS'] ?? 5);

/** What is drawn is the same in every run, unless a campaign begins elsewhere. */
const seed = Number(process.env['BANK_FIRST'] ?? 1);

/** A campaign takes as long as its runs. */
const timeout = longestTestMs + numRuns * 5_000;

/** Statements whose entries have references of their own, as the bank's numbers are its own. */
const statements = fc.array(generatedStatement, { minLength: 1, maxLength: 4 }).map((generated) =>
  generated.map(({ spec }, file): StatementSpec => {
    const entries = (spec.entries ?? []).map((entry, index): EntrySpec => Object.assign({}, entry, { reference: `F${file}-${index}` }));
    return { ...spec, id: `S${file}`, entries };
  }),
);

const order = fc.array(fc.nat(), { minLength: 1, maxLength: 12 });

it('any sequence of statements, repeated in any order, gives the same ledger', { timeout }, () =>
  fc.assert(
    fc.asyncProperty(statements, order, async (files, picks) => {
      await rail.empty();
      for (const file of files) await rail.import(file);
      const expected = await contents(rail.ledger);
      for (const pick of picks) {
        const spec = files[pick % files.length] as StatementSpec;
        // Another statement with the same entries, as well as the same file.
        await rail.import(pick % 2 === 0 ? spec : { ...spec, id: `${spec.id}-${pick}`, message: pick % 3 === 0 ? 'camt.053' : 'camt.054' });
      }
      expect(await contents(rail.ledger)).toEqual(expected);
      await rail.empty();
      for (const pick of picks) await rail.import(files[pick % files.length] as StatementSpec);
      for (const file of files.toReversed()) await rail.import(file);
      expect(await contents(rail.ledger)).toEqual(expected);
    }),
    { numRuns, seed },
  ),
);

interface Booking {
  reference: string;
  cents: number[];
}

/** What makes every amount and total that of one booking: a line under another number, in another kind of message, may else be the same. */
const ownCents = [1, 4, 13, 40];

const bookings = fc
  .array(fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 })
  .map((entries) =>
    entries.map((cents, index): Booking => ({ reference: `B${index}`, cents: cents.map((each) => each * 128 + (ownCents[index] ?? 0)) })),
  );

const shapes = ['sum', 'numbered', 'unnumbered'] as const;

const report = fc.record({ booking: fc.nat(), shape: fc.constantFrom(...shapes) });

const text = (cents: number) => (cents / 100).toFixed(2);

/** One entry as a bank may report it. */
function entryOf({ reference, cents }: Booking, shape: (typeof shapes)[number]): EntrySpec {
  const amount = text(cents.reduce((one, other) => one + other, 0));
  if (shape === 'sum') return { amount, reference, batch: `${cents.length}` };
  const transactions = cents.map((one, index) => {
    const refs = shape === 'numbered' ? { refs: { AcctSvcrRef: `${reference}T${index}` } } : {};
    return payment(virtualIban, text(one), refs);
  });
  return { amount, reference, transactions };
}

it('sums and transactions of the same entries, reported in any order and mixture, count once', { timeout }, () =>
  fc.assert(
    fc.asyncProperty(bookings, fc.array(report, { minLength: 1, maxLength: 12 }), async (booked, reports) => {
      await rail.empty();
      const told = new Map<string, boolean>();
      for (const [number, { booking, shape }] of reports.entries()) {
        const one = booked[booking % booked.length] as Booking;
        told.set(one.reference, told.get(one.reference) === true || shape !== 'sum');
        await rail.import({ id: `R${number}`, message: shape === 'sum' ? 'camt.053' : 'camt.054', entries: [entryOf(one, shape)] });
      }
      const totals = { matched: 0n, unmatched: 0n };
      for (const { reference, cents } of booked) {
        const total = BigInt(cents.reduce((one, other) => one + other, 0));
        if (told.get(reference) === true) totals.matched += total;
        // A batch of one is one payment to the statement's account, which is nobody's here.
        else if (told.has(reference)) totals.unmatched += total;
      }
      const { credits } = await contents(rail.ledger);
      const sum = (state: string) => credits.filter((row) => row.state === state).reduce((all, row) => all + (row.amount ?? 0n), 0n);
      expect({ matched: sum('matched'), unmatched: sum('unmatched') }).toEqual(totals);
    }),
    { numRuns: 2 * numRuns, seed },
  ),
);
