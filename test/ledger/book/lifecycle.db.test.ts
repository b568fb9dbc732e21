import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { readBalances, trialBalance } from '../../../src/ledger/book/balances.ts';
import { type Ledger } from '../../../src/ledger/ledger.ts';
import { createRandom } from '../../simulation/random.ts';
import { createPaymentsLedger } from '../bank/payments-ledger.ts';
import { takeStep } from './random-lifecycle.ts';
import { balancesByStates } from './states.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

/** `BOOK_SEED` and `BOOK_STEPS` replay another run, or a longer one. */
const seed = process.env['BOOK_SEED'] ?? '1';
const steps = Number(process.env['BOOK_STEPS'] ?? 250);

const bank = forWholeFile(createPaymentsLedger);

/** The balances, and the sums of all postings, in the form of `balancesByStates`. */
async function readBook(ledger: Ledger) {
  const { rows } = await sql<{ account: string; currency: string; amount: string }>`
    select account, currency, sum(amount)::text as amount from postings group by 1, 2
  `.execute(ledger);
  const balances = (await readBalances(ledger)).map(({ account, currency, amount }) => ({ account, currency, amount: amount.toString() }));
  return { balances: byAccount(balances), postings: byAccount(rows), trial: [...(await trialBalance(ledger)).values()] };
}

const byAccount = (rows: { account: string; currency: string; amount: string }[]): Record<string, bigint> =>
  Object.fromEntries(
    rows
      .filter(({ amount }) => amount !== '0')
      .map(({ account, currency, amount }): [string, bigint] => [`${account} ${currency}`, BigInt(amount)])
      .toSorted(([first], [second]) => first.localeCompare(second)),
  );

async function expectBookOfStates(ledger: Ledger, message: string): Promise<void> {
  const { balances, postings, trial } = await readBook(ledger);
  expect(balances, message).toEqual(await balancesByStates(ledger));
  expect(balances, message).toEqual(postings);
  expect(
    trial.filter((amount) => amount !== 0n),
    message,
  ).toEqual([]);
}

it('after every step of any lifecycle the book says what the states say', async () => {
  const history: string[] = [];
  for (let number = 1; number <= steps; number += 1) {
    const random = createRandom(`${seed}/${number}`);
    history.push(await takeStep({ ledger: bank.ledger, random, customer: bank.customer, number }));
    await expectBookOfStates(bank.ledger, `seed ${seed}, step ${number}: ${history.slice(-5).join('; ')}`);
  }
  const kinds = await bank.ledger.selectFrom('entries').select('kind').distinct().execute();
  expect(kinds.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining([
      'credit',
      'credit-replaced',
      'issue-refused',
      'issued',
      'match',
      'opening',
      'payment-booked',
      'payment-sent',
      'redeemed',
    ]),
  );
});
