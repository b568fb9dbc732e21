import { formatAmount, type MinorUnits, minorUnits } from '../../platform/money.ts';
import type { Ledger } from '../ledger.ts';
import { type AccountDay, readAccountDays } from './closing.ts';

/** What must be safeguarded in a currency, and what safeguards it; minor units, all as positive amounts. */
export interface Safeguarding {
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

/** The closing of a day. */
export interface DayClosing {
  /** `YYYY-MM-DD`. */
  day: string;
  /** Whether the day, of UTC, is over. */
  isOver: boolean;
  /** By currency. */
  safeguarding: Safeguarding[];
  /** The accounts that have a balance or moved, by name and currency. */
  accounts: AccountDay[];
}

/** Reads the closing of a day: of one that is not over, so far. */
export async function readDayClosing(ledger: Ledger, day: string): Promise<DayClosing> {
  const all = await readAccountDays(ledger, day);
  const accounts = all.filter(({ opening, debited, credited, closing }) => [opening, debited, credited, closing].some((sum) => sum !== 0n));
  const currencies = [...new Set(accounts.map(({ currency }) => currency))].toSorted();
  const safeguarding = currencies.map((currency) => safeguardingOf(currency, accounts));
  return { day, isOver: day < new Date().toISOString().slice(0, 10), safeguarding, accounts };
}

/** The accounts of a closing as CSV (RFC 4180), with a head line. Lines end by LF alone. */
export function renderClosingCsv({ day, accounts }: DayClosing): string {
  const lines = accounts.map(({ account, currency, opening, debited, credited, closing }) =>
    [day, account, currency.toUpperCase()].concat([opening, debited, credited, closing].map(formatAmount)).map(quote).join(','),
  );
  return ['day,account,currency,opening,debited,credited,closing', ...lines].join('\n');
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

/** A name of an account may hold what a bank wrote. */
function quote(text: string): string {
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
