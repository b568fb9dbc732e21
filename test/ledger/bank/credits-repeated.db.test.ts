import { describe, expect, it } from 'vitest';
import { recordCredits } from '../../../src/ledger/bank/credits.ts';
import type { NewCredit } from '../../../src/ledger/bank/match-credits.ts';
import { repeatCredit } from '../../../src/ledger/bank/unmatched/repeat-credit.ts';
import { listUnmatchedCredits } from '../../../src/ledger/bank/unmatched/unmatched-credits.ts';
import { matchCredit } from '../../../src/ledger/bank/unmatched/match-unmatched.ts';
import { returnCredit } from '../../../src/ledger/bank/unmatched/return-credit.ts';
import { minorUnits } from '../../../src/platform/money.ts';
import { contents, creditOptions, testRail } from '../../statements/bank-rail.ts';
import { journal } from '../book/journal.ts';

const master = 'NL26VAYB8060476890';
const options = { ...creditOptions, source: 'statement.xml' };
const payer = { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' };

const rail = testRail();

const record = async (reference: string, amount: bigint, more: Partial<NewCredit> = {}) => {
  const credit = { reference, bankAccount: master, iban: rail.customer.iban, currency: 'eur', amount: minorUnits(amount), payer, ...more };
  const [recorded] = await recordCredits(rail.ledger, [credit], options);
  return recorded;
};

/** A credit that became an order, and one that may be its money. */
async function recordSuspected() {
  const recorded = await record('N', 1_000n, { endToEndId: 'RENT' });
  await record('S', 1_000n, {
    endToEndId: 'RENT',
    unmatched: 'it may be the money of N',
    railReason: 'suspected_repeat',
    mayRepeat: 'N',
  });
  return recorded;
}

const stateOf = async (reference: string) =>
  rail.ledger.selectFrom('credits').where('reference', '=', reference).select(['state', 'repeats']).executeTakeFirstOrThrow();

describe('a suspected repeat', () => {
  it('is listed with the credit that it may repeat', async () => {
    const recorded = await recordSuspected();
    expect(await listUnmatchedCredits(rail.ledger, 10)).toMatchObject([
      {
        reference: 'S',
        endToEndId: 'RENT',
        repeats: { reference: 'N', state: 'matched', orderId: recorded?.orderId, source: 'statement.xml' },
      },
    ]);
  });

  it('that is the same money ends, and the book undoes it', async () => {
    await recordSuspected();
    expect(await repeatCredit(rail.ledger, 'S')).toEqual({ reference: 'S', of: ['N'] });
    expect(await stateOf('S')).toEqual({ state: 'repeated', repeats: 'N' });
    expect(await journal(rail.ledger, 'S')).toEqual([
      `credit: assets:bank:${master} -> liabilities:suspense 10.00 eur`,
      `credit-repeated: liabilities:suspense -> assets:bank:${master} 10.00 eur`,
    ]);
    expect((await contents(rail.ledger)).counts[0]).toBe(1);
    const again = [repeatCredit(rail.ledger, 'S'), matchCredit(rail.ledger, 'S', options), returnCredit(rail.ledger, 'S')];
    for (const result of await Promise.allSettled(again)) expect(result).toMatchObject({ reason: { code: 'credit_not_unmatched' } });
  });

  it('that is other money becomes an order', async () => {
    await recordSuspected();
    expect(await matchCredit(rail.ledger, 'S', options)).toMatchObject({ reference: 'S' });
    expect((await contents(rail.ledger)).counts[0]).toBe(2);
    await expect(repeatCredit(rail.ledger, 'S')).rejects.toMatchObject({ code: 'credit_not_unmatched' });
  });

  it('ends once, whoever decides at the same time', async () => {
    await recordSuspected();
    const decisions = [repeatCredit(rail.ledger, 'S'), repeatCredit(rail.ledger, 'S'), matchCredit(rail.ledger, 'S', options)];
    const results = await Promise.allSettled(decisions);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

describe('an unmatched credit that is not suspected', () => {
  const nobody = { iban: 'NL56AGDH9619008421' };

  it('ends as the money of the credits that an operator names', async () => {
    await record('SUM', 3_000n, { ...nobody, isSum: true });
    await record('T1', 1_000n);
    await record('T2', 2_000n);
    await expect(repeatCredit(rail.ledger, 'SUM')).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('is not suspected to repeat a credit') as string,
    });
    await expect(repeatCredit(rail.ledger, 'SUM', ['T1'])).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('SUM is over 30.00 EUR, and T1 over 10.00 EUR'),
    });
    await expect(repeatCredit(rail.ledger, 'SUM', ['T1', 'SUM'])).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('whose money is recorded') as string,
    });
    await expect(repeatCredit(rail.ledger, 'SUM', ['T1', 'T2', 'T3'])).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('whose money is recorded') as string,
    });
    expect(await repeatCredit(rail.ledger, 'SUM', ['T1', 'T2', 'T2'])).toEqual({ reference: 'SUM', of: ['T1', 'T2'] });
  });

  it('passes those that repeat it on to the credit that counts', async () => {
    await record('A', 1_000n, nobody);
    await record('B', 1_000n);
    await record('C', 1_000n, nobody);
    await repeatCredit(rail.ledger, 'C', ['A']);
    await record('D', 1_000n, {
      unmatched: 'it may be the money of A',
      railReason: 'suspected_repeat',
      mayRepeat: 'A',
    });
    await repeatCredit(rail.ledger, 'A', ['B']);
    expect([await stateOf('C'), await stateOf('D')]).toEqual([
      { state: 'repeated', repeats: 'B' },
      { state: 'unmatched', repeats: 'B' },
    ]);
    // A further report names the credit that counts.
    expect(await repeatCredit(rail.ledger, 'D', ['C'])).toEqual({ reference: 'D', of: ['B'] });
  });
});
