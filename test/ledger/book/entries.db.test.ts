import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { accounts, bankAccount } from '../../../src/ledger/book/accounts.ts';
import { readBalances, trialBalance } from '../../../src/ledger/book/balances.ts';
import { readAccountDays } from '../../../src/ledger/book/closing.ts';
import { type NewEntry, recordEntries } from '../../../src/ledger/book/entries.ts';
import { verifyBook } from '../../../src/ledger/book/verify.ts';
import { rollForward } from '../../../src/ledger/book/roll-forward.ts';
import { inTransaction } from '../../../src/ledger/ledger.ts';
import { minorUnits } from '../../../src/platform/money.ts';
import { testLedger } from '../../support/test-ledger.ts';

const { ledger } = testLedger();

let number = 0;
const credit = (amount: bigint, more: Partial<NewEntry> = {}): NewEntry => ({
  kind: 'credit',
  source: `REF:${++number}`,
  debit: bankAccount('sandbox'),
  credit: accounts.issue,
  currency: 'eur',
  amount: minorUnits(amount),
  ...more,
});
const insert = (text: string) => sql.raw(text).execute(ledger);
const record = (...entries: NewEntry[]) => inTransaction(ledger, (tx) => recordEntries(tx, entries));
const balanceOf = async (account: string) =>
  (await readBalances(ledger)).find((balance) => balance.account === account && balance.currency === 'eur')?.amount ?? 0n;

/** SQL: postings of these amounts for an entry, from a position on. */
const postingsOf = (entry: string, amounts: number[], from = 0) => `
  insert into postings (entry, position, account, currency, amount, booked_on)
  select ${entry}, ${from} - 1 + ordinal, 'assets:claims', 'eur', amount, '2026-01-01'
  from unnest('{${amounts.join()}}'::bigint[]) with ordinality p(amount, ordinal)`;
/** SQL: a new entry with these postings. */
const entryOf = (amounts: number[], from = 0) => `
  with e as (insert into entries (kind, source, booked_on) values ('opening', 'REF:${++number}', '2026-01-01') returning id)
  ${postingsOf('(select id from e)', amounts, from)}`;

describe('an entry', () => {
  it('moves money from one account to another, once', async () => {
    const entry = credit(1050n);
    await record(entry);
    await expect(record(entry)).rejects.toThrow(/entries_kind_source_key/);
    expect(await balanceOf(bankAccount('sandbox'))).toBe(1050n);
    expect(await balanceOf(accounts.issue)).toBe(-1050n);
    expect(await trialBalance(ledger)).toEqual(new Map([['eur', 0n]]));
  });

  it('is refused when its postings do not add up, or when there is none', async () => {
    await expect(insert(entryOf([5]))).rejects.toThrow(/differ by 5 minor units of eur/);
    await expect(insert(entryOf([5, 0, -5]))).rejects.toThrow(/amount/);
    await expect(insert(postingsOf('uuidv7()', [5]))).rejects.toThrow(/differ by 5 minor units/);
    await expect(insert(postingsOf(`'${randomUUID()}'`, [5, -5]))).rejects.toThrow('a posting has no entry');
  });

  it('gets all its postings from one statement', async () => {
    await record(credit(40n));
    const newest = '(select id from entries order by id desc limit 1)';
    await expect(insert(postingsOf(newest, [5, -5], 2))).rejects.toThrow('begin at position 0');
    await expect(insert(postingsOf(newest, [5, -5]))).rejects.toThrow(/duplicate key/);
    await expect(insert(entryOf([5, -5], 1))).rejects.toThrow('begin at position 0');
  });

  it.each([
    'update entries set kind = $$x$$',
    'delete from entries',
    'truncate entries',
    'update postings set amount = 1',
    'delete from postings',
  ])('is never changed: %s', async (statement) => {
    await expect(sql.raw(statement).execute(ledger)).rejects.toThrow('append-only');
  });
});

describe('the roll-forward', () => {
  it('changes no balance, also while entries are recorded and others roll forward', async () => {
    const before = await balanceOf(accounts.suspense);
    const entries = Array.from({ length: 60 }, (_, index) => credit(BigInt(index + 1), { credit: accounts.suspense }));
    await Promise.all([...entries.map((entry) => record(entry)), ...Array.from({ length: 6 }, () => rollForward(ledger))]);
    const sum = before - 1830n;
    expect(await balanceOf(accounts.suspense)).toBe(sum);
    expect(await rollForward(ledger)).toBe(true);
    expect(await balanceOf(accounts.suspense)).toBe(sum);
    const { rows } = await sql<{ open: bigint }>`select count(*) as open from balance_changes`.execute(ledger);
    expect(rows[0]?.open).toBe(0n);
  });

  it('keeps the balances at the end of each day', async () => {
    await record(credit(300n, { bookedOn: '2026-01-05', currency: 'gbp' }), credit(20n, { bookedOn: '2026-01-07', currency: 'gbp' }));
    const onDays = async () =>
      Promise.all(
        ['2026-01-04', '2026-01-05', '2026-01-06', '2026-01-07'].map(
          async (day) =>
            (await readAccountDays(ledger, day)).find(({ account, currency }) => account === accounts.issue && currency === 'gbp')?.closing,
        ),
      );
    const expected = [0n, -300n, -300n, -320n];
    expect(await onDays()).toEqual(expected);
    await rollForward(ledger);
    expect(await onDays()).toEqual(expected);
  });
});

describe('the verification', () => {
  it('names the accounts whose balance is not the sum of their postings', async () => {
    expect(await verifyBook(ledger)).toEqual([]);
    await sql`update balances set debited = debited + 5 where account = 'assets:bank:sandbox' and currency = 'gbp'`.execute(ledger);
    expect(await verifyBook(ledger)).toEqual([{ account: 'assets:bank:sandbox', currency: 'gbp', balance: 325n, postings: 320n }]);
  });
});
