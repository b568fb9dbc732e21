import * as fc from 'fast-check';
import { expect } from 'vitest';
import { formatAmount, minorUnits } from '../../../../src/platform/money.ts';
import { masterIban, messages, payerIban, versions, virtualIban } from './statement-xml.ts';
import type { EntrySpec, StatementSpec, TransactionSpec } from './statement-xml.ts';

/** Texts as the schemas allow them, with markup characters and characters of two, three and four bytes. */
function textOf(maxLength: number): fc.Arbitrary<string> {
  const unit = fc.constantFrom('a', 'B', '7', ' ', '&', '<', ':', '/', 'é', '€', 'ł', '𝄞');
  const text = fc.array(unit, { maxLength }).map((units) => `t${units.join('')}`.replace(/\s+/g, ' ').trim());
  return text;
}

const amount = fc.bigInt({ min: 1n, max: 99_999_999n });

const transaction: fc.Arbitrary<TransactionSpec & { cents: bigint }> = fc
  .record({
    cents: amount,
    name: textOf(20),
    ustrd: fc.array(textOf(30), { maxLength: 3 }),
    endToEndId: fc.option(textOf(15), { nil: undefined }),
    isVirtual: fc.boolean(),
  })
  .map(({ cents, name, ustrd, endToEndId, isVirtual }) => {
    const made: TransactionSpec & { cents: bigint } = {
      cents,
      amount: formatAmount(minorUnits(cents)),
      payer: { name, iban: payerIban },
      ustrd,
    };
    if (endToEndId !== undefined) made.refs = { EndToEndId: endToEndId };
    if (isVirtual) made.creditorIban = virtualIban;
    return made;
  });

/** One entry that adds up, with what must be read from it. */
export interface GeneratedEntry {
  spec: EntrySpec;
  transactions: (TransactionSpec & { cents: bigint })[];
  outcome: 'credit' | 'skipped' | 'unmatched';
}

const entry: fc.Arbitrary<GeneratedEntry> = fc
  .record({
    transactions: fc.array(transaction, { minLength: 1, maxLength: 4 }),
    reference: fc.option(textOf(10), { nil: undefined }),
    kind: fc.constantFrom('credit', 'credit', 'credit', 'debit', 'pending', 'foreign'),
    day: fc.integer({ min: 10, max: 28 }),
  })
  .map(({ transactions, reference, kind, day }) => {
    const sum = transactions.reduce((total, { cents }) => total + cents, 0n);
    const spec: EntrySpec = {
      amount: formatAmount(minorUnits(sum)),
      bookedOn: `2026-11-${day}`,
      transactions,
      ...(reference !== undefined && { reference }),
      ...(kind === 'debit' && { direction: 'DBIT' }),
      ...(kind === 'pending' && { status: 'PDNG' }),
      ...(kind === 'foreign' && { currency: 'CHF' }),
    };
    const outcome = kind === 'credit' ? 'credit' : kind === 'foreign' ? 'unmatched' : 'skipped';
    return { spec, transactions, outcome };
  });

export const generatedStatement = fc
  .record({ version: fc.constantFrom(...versions), message: fc.constantFrom(...messages), entries: fc.array(entry, { maxLength: 6 }) })
  .map(({ version, message, entries }) => ({
    spec: { version, message, entries: entries.map(({ spec }) => spec) } as StatementSpec,
    entries,
  }));

/** The credits a generated statement holds; its references are tested elsewhere. */
export function expectedCredits(entries: GeneratedEntry[]) {
  return entries
    .filter(({ outcome }) => outcome === 'credit')
    .flatMap(({ spec, transactions }) => transactions.map((transaction) => expectedCredit(spec, transaction)));
}

function expectedCredit(spec: EntrySpec, { cents, payer, refs, creditorIban, ustrd = [] }: GeneratedEntry['transactions'][number]) {
  return {
    reference: expect.any(String),
    iban: creditorIban ?? masterIban,
    amount: cents,
    currency: 'eur',
    payer,
    bookedOn: spec.bookedOn,
    ...(ustrd.length > 0 && { remittance: ustrd.join(' ') }),
    ...(refs?.['EndToEndId'] && { endToEndId: refs['EndToEndId'] }),
  };
}
