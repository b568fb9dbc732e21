import { readClosing, readClosingCsv } from '../../operations/bank/closing.ts';
import { renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { withLedger } from '../with-ledger.ts';

/** Options of `mintrail book day`. */
export interface DayOptions {
  csv?: true;
  json?: true;
}

type Closing = Awaited<ReturnType<typeof readClosing>>;

/** `mintrail book day`: the closing of a day. */
export async function showDay(day: string, { csv, json }: DayOptions): Promise<void> {
  if (csv) return print(await withLedger((ledger) => readClosingCsv(ledger, day)));
  const closing = await withLedger((ledger) => readClosing(ledger, day));
  if (json) return print(renderJson(closing));
  const { safeguarding, isOver, accounts } = closing;
  if (accounts.length === 0) return print(`The book has no entries up to ${day}.`);
  print(`Closing of ${day}${isOver ? '' : ', which is not over: so far'}\n`);
  print(
    renderTable(
      ['currency', 'tokens', 'other liabilities', 'bank', 'differences', 'claims', 'surplus'],
      safeguarding.map(({ currency, tokens, otherLiabilities, bank, differences, claims, surplus }) => [
        currency.toUpperCase(),
        tokens,
        otherLiabilities,
        bank,
        differences,
        claims,
        surplus,
      ]),
    ),
  );
  const rows = accounts.map((row) => [row.account, row.currency.toUpperCase(), row.opening, row.debited, row.credited, row.closing]);
  print(`\n${renderTable(['account', 'currency', 'opening', 'debited', 'credited', 'closing'], rows)}`);
  print(`\n${trialBalanceText(safeguarding)}`);
}

function trialBalanceText(safeguarding: Closing['safeguarding']): string {
  const unbalanced = safeguarding.filter(({ isBalanced }) => !isBalanced);
  if (unbalanced.length === 0) return 'The trial balance is zero in every currency.';
  const sums = unbalanced.map(({ currency, trialBalance }) => `${trialBalance} ${currency.toUpperCase()}`);
  return `The trial balance is NOT zero, but ${sums.join(' and ')}: \`mintrail status\` names the remedy.`;
}
