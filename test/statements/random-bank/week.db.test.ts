import { expect, it } from 'vitest';
import { compareBookWithBank } from '../../../src/reconciliation/book-and-bank.ts';
import { loadSettings } from '../../../src/platform/settings.ts';
import { masterIban, statementXml, type StatementSpec } from '../../bank/iso20022/camt/statement-xml.ts';
import { createRandom } from '../../simulation/random.ts';
import { createCustomer, newCustomer } from '../../support/customer.ts';
import { longestTestMs } from '../../support/patience.ts';
import { testRail } from '../bank-rail.ts';
import { nobody } from './bank.ts';
import { bookDifferences } from './book.ts';
import { beforeCharges, isRest } from './charges.ts';
import { type BankWeek, drawBankWeek } from './week.ts';

const isCampaign = process.env['BANK_SEED'] !== undefined || process.env['BANK_SEEDS'] !== undefined;
const first = Number(process.env['BANK_SEED'] ?? process.env['BANK_FIRST'] ?? 1);
const count = process.env['BANK_SEED'] === undefined ? Number(process.env['BANK_SEEDS'] ?? 4) : 1;

/** Seeds of which, without charges, money was once in no list, or held although nothing was in doubt. */
const onceWrong = [81, 247, 297, 5180, 7042, 9030, 15_012, 20_182];

const rail = testRail({ isShared: true });
const other = newCustomer(2);
const settings = loadSettings({ DATABASE_URL: 'postgres://unused', BANK_ACCOUNT: masterIban });

/** What is issued, what waits, and what is wrong on the way or in the book, after files were imported in an order. */
async function endOf(files: readonly StatementSpec[], expected: Expected): Promise<{ end: string[]; wrong: string[] }> {
  const { arrived, isPunctual, booked, style } = expected;
  await rail.empty();
  await createCustomer(rail.ledger, 'chiado', other);
  const wrong: string[] = [];
  if (isPunctual) await rail.import(before, { settings });
  for (const [index, file] of files.entries()) {
    await rail.import(file, { settings });
    if (isPunctual && isComplete(files, index + 1))
      for (const { difference } of await compareBookWithBank(rail.ledger))
        if (difference !== 0n) wrong.push(`a difference of ${difference} after ${file.id}`);
    const left = [...arrived];
    for (const credit of (await credits()).filter((text) => text.endsWith('matched') && !text.endsWith('unmatched'))) {
      const index = left.indexOf(credit);
      if (index < 0) wrong.push(`${credit} too often after ${file.id}`);
      else left.splice(index, 1);
    }
  }
  wrong.push(...(await bookDifferences(rail, booked, style)));
  return { end: (await credits()).toSorted(), wrong };
}

/** The statement before the week. */
const before: StatementSpec = { id: 'BEFORE', day: '2026-11-14', opening: '1000.00', closing: '1000.00' };

interface Expected extends Pick<BankWeek, 'isPunctual' | 'booked' | 'style'> {
  arrived: readonly string[];
}

/** Whether of the first files none is missing before a statement: the balances of the others cannot be compared. */
function isComplete(files: readonly StatementSpec[], read: number): boolean {
  const last = daysOf(files.slice(0, read)).at(-1);
  return last === undefined || daysOf(files.slice(read)).every((day) => day > last);
}

/** The days of statements. */
function daysOf(files: readonly StatementSpec[]): string[] {
  return files.flatMap(({ message, day }) => (message === undefined ? (day ?? '') : [])).toSorted();
}

/** Money by its amount before charges, without the rests: customers get what came first. */
async function credits(): Promise<string[]> {
  const rows = await rail.ledger
    .selectFrom('credits')
    .where('state', 'not in', ['replaced', 'repeated'])
    .select(['iban', 'amount', 'state', 'railReason'])
    .execute();
  const payments = rows.filter(({ amount }) => !isRest(amount));
  return payments.map(({ iban, amount, state, railReason }) => {
    const name = nameOf(iban);
    return `${beforeCharges(Number(amount))} ${name} ${state}${railReason !== null && name !== 'nobody' ? ` ${railReason}` : ''}`;
  });
}

function nameOf(iban: string | null): string {
  return iban === rail.customer.iban ? 'ann' : iban === other.iban ? 'ben' : 'nobody';
}

function shuffle<T>(seed: number, values: readonly T[]): T[] {
  const random = createRandom(seed).of('order');
  const keyed = values.map((value, index) => ({ value, key: random.number(`place ${index}`) }));
  return keyed.toSorted((one, next) => one.key - next.key).map(({ value }) => value);
}

/** As a bank sends them: of each day, the notifications first. */
function byDay(files: readonly StatementSpec[]): StatementSpec[] {
  return files.toSorted((one, other) => sentOn(one).localeCompare(sentOn(other)));
}

function sentOn({ message, day, entries = [] }: StatementSpec): string {
  return message === undefined ? `${day} 2` : `${entries[0]?.bookedOn} 1`;
}

it(
  `what a bank that is right reports in a week is there once, in whatever order its files come: ${count} seeds`,
  { timeout: longestTestMs + count * 5_000 },
  async () => {
    const failed: string[] = [];
    const seeds = Array.from({ length: count }, (_, index) => first + index);
    for (const seed of isCampaign ? seeds : [...seeds, ...onceWrong]) {
      const { payments, files, ...week } = drawBankWeek(seed, [rail.customer.iban, other.iban], { hasCharges: !onceWrong.includes(seed) });
      const arrived = payments
        .map(({ cents, iban }) => `${beforeCharges(cents)} ${nameOf(iban)} ${iban === nobody ? 'unmatched' : 'matched'}`)
        .toSorted();
      if (process.env['BANK_SEED'] !== undefined)
        console.info(JSON.stringify(week.style), JSON.stringify(payments, undefined, 1), files.map(statementXml).join('\n'));
      const ends = new Set<string>();
      for (const order of [files, byDay(files), files.toReversed(), shuffle(seed, files)]) {
        const { end, wrong } = await endOf(order, { ...week, arrived });
        ends.add(end.join(', '));
        const decided = end.map((text) => text.replace('unmatched suspected_repeat', 'matched')).toSorted();
        if (wrong.length > 0 || ends.size > 1 || JSON.stringify(decided) !== JSON.stringify(arrived))
          failed.push(
            `seed ${seed}, ${order.map(({ id }) => id).join(' ')}: ${JSON.stringify({ arrived, end, wrong, style: week.style })}`,
          );
      }
    }
    expect(failed).toEqual([]);
  },
);
