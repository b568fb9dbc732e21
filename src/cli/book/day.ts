import { type AccountDay, readAccountDays } from '../../ledger/book/closing.ts';
import { formatAmount, type MinorUnits, minorUnits } from '../../platform/money.ts';
import { renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { withLedger } from '../with-ledger.ts';

/** Options of `mintrail book day`. */
export interface DayOptions {
  csv?: true;
  json?: true;
}

/** What must be safeguarded in a currency, and what safeguards it; minor units, all as positive amounts. */
interface Safeguarding {
  currency: string;
  /** Tokens in circulation, on all networks. */
  tokens: MinorUnits;
  /** Money of customers that is no token: to be issued, paid out or returned, unmatched, and sent to the bank but not booked. */
  otherLiabilities: MinorUnits;
  /** What the bank has booked. */
  bank: MinorUnits;
  /** Movements that nobody has explained, and credits that the bank took back. */
  differences: MinorUnits;
  claims: MinorUnits;
  /** What the bank holds beyond tokens and liabilities; negative when money of customers is missing. */
  surplus: MinorUnits;
  /** The sum of all accounts, debits less credits. Anything but zero is a defect. */
  trialBalance: MinorUnits;
}

/** `mintrail book day`: the closing of a day. */
export async function showDay(day: string, { csv, json }: DayOptions): Promise<void> {
  const all = await withLedger((ledger) => readAccountDays(ledger, day));
  const days = all.filter(({ opening, debited, credited, closing }) => [opening, debited, credited, closing].some((sum) => sum !== 0n));
  const safeguarding = [...new Set(days.map(({ currency }) => currency))].toSorted().map((currency) => safeguardingOf(currency, days));
  if (csv) return print(renderCsv(day, days));
  if (json)
    return print(
      renderJson({ day, isOver: isOver(day), safeguarding: safeguarding.map(formatAmounts), accounts: days.map(formatAmounts) }),
    );
  if (days.length === 0) return print(`The book has no entries up to ${day}.`);
  print(`Closing of ${day}${isOver(day) ? '' : ', which is not over: so far'}\n`);
  print(
    renderTable(
      ['currency', 'tokens', 'other liabilities', 'bank', 'differences', 'claims', 'surplus'],
      safeguarding.map((row) =>
        [row.currency.toUpperCase()].concat(
          [row.tokens, row.otherLiabilities, row.bank, row.differences, row.claims, row.surplus].map(formatAmount),
        ),
      ),
    ),
  );
  const rows = days.map(({ account, currency, opening, debited, credited, closing }) =>
    [account, currency.toUpperCase()].concat([opening, debited, credited, closing].map(formatAmount)),
  );
  print(`\n${renderTable(['account', 'currency', 'opening', 'debited', 'credited', 'closing'], rows)}`);
  print(`\n${trialBalanceText(safeguarding)}`);
}

function trialBalanceText(safeguarding: readonly Safeguarding[]): string {
  const unbalanced = safeguarding.filter(({ trialBalance }) => trialBalance !== 0n);
  if (unbalanced.length === 0) return 'The trial balance is zero in every currency.';
  const sums = unbalanced.map(({ currency, trialBalance }) => `${formatAmount(trialBalance)} ${currency.toUpperCase()}`);
  return `The trial balance is NOT zero, but ${sums.join(' and ')}: \`mintrail status\` names the remedy.`;
}

/** A day of UTC. */
function isOver(day: string): boolean {
  return day < new Date().toISOString().slice(0, 10);
}

function safeguardingOf(currency: string, days: readonly AccountDay[]): Safeguarding {
  const ofCurrency = days.filter((day) => day.currency === currency);
  const sumOf = (prefix: string) =>
    sumOfClosings(ofCurrency.filter(({ account }) => account === prefix || account.startsWith(`${prefix}:`)));
  const tokens = -sumOf('liabilities:tokens');
  const liabilities = -sumOf('liabilities');
  const bank = sumOf('assets:bank');
  return {
    currency,
    tokens: minorUnits(tokens),
    otherLiabilities: minorUnits(liabilities - tokens),
    bank: minorUnits(bank),
    differences: minorUnits(sumOf('assets:differences')),
    claims: minorUnits(sumOf('assets:claims')),
    surplus: minorUnits(bank - liabilities),
    trialBalance: minorUnits(sumOfClosings(ofCurrency)),
  };
}

function sumOfClosings(days: readonly AccountDay[]): bigint {
  return days.reduce((sum, { closing }) => sum + closing, 0n);
}

function formatAmounts(row: AccountDay | Safeguarding): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([key, value]) => [key, typeof value === 'bigint' ? formatAmount(minorUnits(value)) : value]),
  );
}

/** RFC 4180. A name of an account may hold what a bank wrote. */
function renderCsv(day: string, days: readonly AccountDay[]): string {
  const lines = days.map(({ account, currency, opening, debited, credited, closing }) =>
    [day, account, currency.toUpperCase()].concat([opening, debited, credited, closing].map(formatAmount)).map(quote).join(','),
  );
  return ['day,account,currency,opening,debited,credited,closing', ...lines].join('\n');
}

function quote(text: string): string {
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
