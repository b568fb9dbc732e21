import { type Command, Option } from 'commander';
import { accounts } from '../../ledger/book/accounts.ts';
import { readBalances } from '../../ledger/book/balances.ts';
import { readAccountDays } from '../../ledger/book/closing.ts';
import { findEntriesOf, findEntry, type JournalEntry, listAccountPostings } from '../../ledger/book/journal.ts';
import { verifyBook } from '../../ledger/book/verify.ts';
import { StopError } from '../../platform/errors.ts';
import { currencies, type Currency, formatAmount } from '../../platform/money.ts';
import { isUuid } from '../../platform/uuid.ts';
import { entryJson } from '../../trace/story-json.ts';
import { parseDay, wholeNumber } from '../option-values.ts';
import { formatTime, renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { exitCodes } from '../render-error.ts';
import { withLedger } from '../with-ledger.ts';
import type { DayOptions } from './day.ts';
import type { ExportOptions } from './export.ts';

/** `mintrail book`. */
export function addBookCommands(program: Command): void {
  const book = program.command('book').description('read the book: balances, postings, the closing of a day, an export');

  book
    .command('balances', { isDefault: true })
    .description('show what each account holds, now or at the end of a day')
    .option('--on <day>', 'at the end of this day, such as 2026-01-31', parseDay)
    .option('--json', 'print JSON')
    .action(showBalances);

  book
    .command('account')
    .description('list the postings of an account, the latest first')
    .argument('<name>', 'account, such as liabilities:suspense; `mintrail book balances` shows the names')
    .addOption(new Option('--currency <currency>', 'only postings in this currency').choices(currencies))
    .option('--limit <number>', 'show at most this many', wholeNumber(1, 1_000), 20)
    .option('--json', 'print JSON')
    .action(showAccount);

  book
    .command('entry')
    .description('show an entry, or the entries that something caused')
    .argument('<id>', "id of the entry, of a leg or of a payment, or the bank's reference of a credit")
    .option('--json', 'print JSON')
    .action((id: string, { json = false }: { json?: boolean }) => showEntry(id, json));

  book
    .command('day')
    .description('show the closing of a day: tokens, liabilities, bank, differences, and the movements of each account')
    .argument('<day>', 'day of booking, such as 2026-01-31', parseDay)
    .addOption(new Option('--csv', 'print the movements as CSV').conflicts('json'))
    .option('--json', 'print JSON')
    .action(async (day: string, options: DayOptions) => (await import('./day.ts')).showDay(day, options));

  book
    .command('verify')
    .description('add up all postings and compare the sums with the balances. Exit code 1 when they differ')
    .option('--json', 'print JSON')
    .action(({ json = false }: { json?: boolean }) => verify(json));

  book
    .command('export')
    .description('write the whole journal for another program')
    .addOption(new Option('--format <format>', 'format of the export').choices(['hledger']).default('hledger'))
    .option('--output <file>', 'write to this file instead of stdout')
    .action(async (options: ExportOptions) => (await import('./export.ts')).exportBook(options));
}

/** `mintrail book balances`. */
async function showBalances({ on, json }: { on?: string; json?: true }): Promise<void> {
  const balances = await withLedger(async (ledger) => {
    if (on === undefined) return readBalances(ledger);
    return (await readAccountDays(ledger, on)).map(({ account, currency, closing: amount }) => ({ account, currency, amount }));
  });
  if (json) return print(renderJson(balances.map((balance) => Object.assign(balance, { amount: formatAmount(balance.amount) }))));
  if (balances.length === 0) return print('The book has no entries yet.');
  const rows = balances
    .filter(({ amount }) => amount !== 0n)
    .map(({ account, currency, amount }) => [account, currency.toUpperCase(), formatAmount(amount)]);
  if (rows.length === 0) return print('Every account is at zero.');
  print(renderTable(['account', 'currency', 'balance'], rows));
}

/** Accounts that every ledger has, also before their first posting. */
const chart: readonly string[] = Object.values(accounts);

interface AccountOptions {
  currency?: Currency;
  limit: number;
  json?: true;
}

/** `mintrail book account`. Throws `not_found`. */
async function showAccount(account: string, { json, ...filter }: AccountOptions): Promise<void> {
  const { balances, postings } = await withLedger(async (ledger) => ({
    balances: (await readBalances(ledger)).filter((balance) => balance.account === account),
    postings: await listAccountPostings(ledger, { account, ...filter }),
  }));
  if (balances.length === 0 && !chart.includes(account))
    throw new StopError({
      code: 'not_found',
      message: `The book has no account ${account}: \`mintrail book balances\` shows the accounts it has`,
    });
  if (json)
    return print(
      renderJson({
        balances: balances.map((balance) => Object.assign(balance, { amount: formatAmount(balance.amount) })),
        postings: postings.map((posting) => Object.assign(posting, { amount: formatAmount(posting.amount) })),
      }),
    );
  if (postings.length === 0)
    return print(`${account} has no postings${filter.currency === undefined ? '' : ` in ${filter.currency.toUpperCase()}`}.`);
  const rows = postings.map(({ entry, bookedOn, at, kind, source, currency, amount, others }) => [
    entry,
    bookedOn,
    formatTime(at),
    kind,
    source,
    others.join(', '),
    `${formatAmount(amount)} ${currency.toUpperCase()}`,
  ]);
  print(balances.map(({ currency, amount }) => `${account}: ${formatAmount(amount)} ${currency.toUpperCase()}`).join('\n'));
  print(renderTable(['entry', 'booked on', 'recorded', 'kind', 'source', 'other account', 'amount'], rows));
}

/** `mintrail book entry`. Throws `not_found`. */
async function showEntry(id: string, json: boolean): Promise<void> {
  const entries = await withLedger(async (ledger) => {
    const entry = isUuid(id) ? await findEntry(ledger, id.toLowerCase()) : undefined;
    return entry === undefined ? findEntriesOf(ledger, [id]) : [entry];
  });
  if (entries.length === 0)
    throw new StopError({
      code: 'not_found',
      message: `The book has no entry ${id}, and none that it caused: take an id or a source from \`mintrail book account\``,
    });
  print(json ? renderJson(entries.map(entryJson)) : entries.map(renderEntry).join('\n\n'));
}

/** An entry for people: what it is, then its postings. */
function renderEntry({ id, kind, source, bookedOn, at, postings }: JournalEntry): string {
  const rows = postings.map(({ account, currency, amount }) => [account, `${formatAmount(amount)} ${currency.toUpperCase()}`]);
  return `${id}  ${kind} of ${source}, booked on ${bookedOn}, recorded at ${formatTime(at)}\n${renderTable(['account', 'amount'], rows)}`;
}

/** `mintrail book verify`. Exit code 1 when a balance is not the sum of its postings. */
async function verify(json: boolean): Promise<void> {
  const errors = await withLedger(verifyBook);
  if (errors.length > 0) process.exitCode = exitCodes.failed;
  if (json)
    return print(
      renderJson(
        errors.map((error) => Object.assign(error, { balance: formatAmount(error.balance), postings: formatAmount(error.postings) })),
      ),
    );
  if (errors.length === 0) return print('Every balance is the sum of its postings.');
  const rows = errors.map(({ account, currency, balance, postings }) => [
    account,
    currency.toUpperCase(),
    formatAmount(balance),
    formatAmount(postings),
  ]);
  print(renderTable(['account', 'currency', 'balance', 'postings'], rows));
  print('\nSomebody changed balances or postings beside the ledger: stop the service, find out who, and compare with a back-up.');
}
