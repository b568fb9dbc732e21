import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { accounts, bankAccount } from '../../../src/ledger/book/accounts.ts';
import { readBalances } from '../../../src/ledger/book/balances.ts';
import { type NewEntry, recordEntries } from '../../../src/ledger/book/entries.ts';
import { rollForward } from '../../../src/ledger/book/roll-forward.ts';
import { inTransaction } from '../../../src/ledger/ledger.ts';
import { minorUnits } from '../../../src/platform/money.ts';
import { asHledgerShows, hasHledger, hledgerBalances } from '../../support/hledger.ts';
import { mintrail as runs } from '../../support/processes/mintrail.ts';
import { testLedger } from '../../support/test-ledger.ts';
import { testFolder } from '../../support/test-folder.ts';

const bank = bankAccount('NL91ABNA0417164300');

const credit = { kind: 'credit', bookedOn: '2026-01-05', debit: bank, credit: accounts.issue, currency: 'eur' } as const;
const issued = {
  kind: 'issued',
  bookedOn: '2026-01-06',
  debit: accounts.issue,
  credit: 'liabilities:tokens:gnosis',
  currency: 'eur',
} as const;
const entry = (entry: Omit<NewEntry, 'amount'>, amount: bigint): NewEntry => ({ ...entry, amount: minorUnits(amount) });

const database = testLedger();
const { ledger } = database;
const folder = testFolder();
beforeAll(async () => {
  await inTransaction(ledger, (tx) =>
    recordEntries(tx, [
      entry({ ...credit, source: 'ACC:1' }, 10_050n),
      entry({ ...credit, source: 'odd ; | " \n  reference', credit: accounts.suspense }, 99n),
      entry({ ...credit, source: 'ACC:3', bookedOn: '2026-01-06', currency: 'gbp' }, 1n),
      entry({ ...issued, source: 'leg' }, 10_000n),
    ]),
  );
  await rollForward(ledger);
  await inTransaction(ledger, (tx) =>
    recordEntries(tx, [
      entry(
        { kind: 'unknown-debit', source: 'ACC:4', bookedOn: '2026-01-07', debit: accounts.differences, credit: bank, currency: 'eur' },
        50_000n,
      ),
    ]),
  );
});
const file = (name: string) => path.join(folder, name);

async function mintrail(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runs(['book', ...args], { DATABASE_URL: database.url });
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

it('shows what each account holds, now and at the end of a day', async () => {
  expect(await mintrail('balances')).toMatchInlineSnapshot(`
    " account                           currency    balance
     assets:bank:NL91ABNA0417164300    EUR         -398.51
     assets:bank:NL91ABNA0417164300    GBP            0.01
     assets:differences                EUR          500.00
     liabilities:issue                 EUR           -0.50
     liabilities:issue                 GBP           -0.01
     liabilities:suspense              EUR           -0.99
     liabilities:tokens:gnosis         EUR         -100.00
    "
  `);
  expect(await mintrail('balances', '--on', '2026-01-05')).toMatchInlineSnapshot(`
    " account                           currency    balance
     assets:bank:NL91ABNA0417164300    EUR          101.49
     liabilities:issue                 EUR         -100.50
     liabilities:suspense              EUR           -0.99
    "
  `);
});

it('lists the postings of an account, the latest first', async () => {
  const { balances, postings } = JSON.parse(await mintrail('account', bank, '--currency', 'eur', '--limit', '2', '--json')) as {
    balances: unknown[];
    postings: { source: string; amount: string; others: string[] }[];
  };
  expect(balances).toHaveLength(2);
  expect(postings.map(({ source, amount, others }) => [source, amount, others])).toEqual([
    ['ACC:4', '-500.00', [accounts.differences]],
    ['odd ; | " \n  reference', '0.99', [accounts.suspense]],
  ]);
  await expect(mintrail('account', 'assets:gold')).rejects.toThrow('The book has no account assets:gold');
});

it('shows an entry by its id and by its source', async () => {
  const [entry] = JSON.parse(await mintrail('entry', 'ACC:1', '--json')) as { id: string }[];
  expect(await mintrail('entry', entry?.id as string)).toMatch(
    /credit of ACC:1, booked on 2026-01-05[^]*assets:bank:NL91ABNA0417164300 +100\.50 EUR/,
  );
  await expect(mintrail('entry', 'ACC:9')).rejects.toThrow('The book has no entry');
});

describe('the closing of a day', () => {
  it('says what must be safeguarded and what safeguards it', async () => {
    expect(await mintrail('day', '2026-01-07')).toMatchInlineSnapshot(`
      "Closing of 2026-01-07

       currency    tokens    other liabilities       bank    differences    claims    surplus
       EUR         100.00                 1.49    -398.51         500.00      0.00    -500.00
       GBP           0.00                 0.01       0.01           0.00      0.00       0.00

       account                           currency    opening    debited    credited    closing
       assets:bank:NL91ABNA0417164300    EUR          101.49       0.00      500.00    -398.51
       assets:bank:NL91ABNA0417164300    GBP            0.01       0.00        0.00       0.01
       assets:differences                EUR            0.00     500.00        0.00     500.00
       liabilities:issue                 EUR           -0.50       0.00        0.00      -0.50
       liabilities:issue                 GBP           -0.01       0.00        0.00      -0.01
       liabilities:suspense              EUR           -0.99       0.00        0.00      -0.99
       liabilities:tokens:gnosis         EUR         -100.00       0.00        0.00    -100.00

      The trial balance is zero in every currency.
      "
    `);
  });

  it('is CSV for other programs', async () => {
    expect((await mintrail('day', '2026-01-06', '--csv')).split('\n')).toContain(
      '2026-01-06,liabilities:issue,EUR,-100.50,100.00,0.00,-0.50',
    );
  });
});

describe('the export', () => {
  it('is never written over a file', async () => {
    await mintrail('export', '--output', file('once.journal'));
    await expect(mintrail('export', '--output', file('once.journal'))).rejects.toThrow('once.journal exists already');
  });

  it('has the same balances in hledger', async ({ skip }) => {
    if (!(await hasHledger())) skip('hledger is not installed');
    await mintrail('export', '--output', file('book.journal'));
    expect(await hledgerBalances(file('book.journal'))).toEqual(asHledgerShows(await readBalances(ledger)));
  });
});
