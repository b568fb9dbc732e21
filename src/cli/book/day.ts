import type { AccountDay } from '../../ledger/book/closing.ts';
import { readDayClosing, renderClosingCsv, type Safeguarding } from '../../ledger/book/safeguarding.ts';
import { formatAmount, minorUnits } from '../../platform/money.ts';
import { renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { withLedger } from '../with-ledger.ts';

/** Options of `mintrail book day`. */
export interface DayOptions {
  csv?: true;
  json?: true;
}

/** `mintrail book day`: the closing of a day. */
export async function showDay(day: string, { csv, json }: DayOptions): Promise<void> {
  const closing = await withLedger((ledger) => readDayClosing(ledger, day));
  const { safeguarding, isOver, accounts: days } = closing;
  if (csv) return print(renderClosingCsv(closing));
  if (json) return print(renderJson({ day, isOver, safeguarding: safeguarding.map(formatAmounts), accounts: days.map(formatAmounts) }));
  if (days.length === 0) return print(`The book has no entries up to ${day}.`);
  print(`Closing of ${day}${isOver ? '' : ', which is not over: so far'}\n`);
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

function formatAmounts(row: AccountDay | Safeguarding): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([key, value]) => [key, typeof value === 'bigint' ? formatAmount(minorUnits(value)) : value]),
  );
}
