import { bankFileError } from '../bank/iso20022/xml/bank-file-error.ts';
import type { StatementHead } from '../bank/iso20022/camt/statement-head.ts';
import type { LedgerTransaction } from '../ledger/ledger.ts';
import { recordDocument } from '../ledger/bank/bank-reports.ts';
import { statementKind } from '../ledger/bank/reported-line.ts';
import { rescoped } from '../bank/iso20022/camt/credit-references.ts';
import { type NewStatement, recordStatement } from '../ledger/bank/statements/bank-statements.ts';
import { joinPages } from '../ledger/bank/statements/statement-pages.ts';
import { type AccountSettings, assertIntradayAccount, statementAccount } from './statement-account.ts';

/** The statement or notification that an entry is read from. */
export interface RecordedStatement {
  /** The account of the book that an amount in a currency belongs to. */
  accountOf: (currency: string) => string;
  /** The kind of its message, such as `camt.053`. */
  message: string;
  /** Its id among the documents of the bank. */
  document: string;
  /** A reference that the reader has put behind the account of the statement, behind the master account: a bank may write one account in several ways. */
  scoped: (reference: string) => string;
}

/** Records the statement or notification whose entries come next, by its head. Throws `statement_account_unknown` and `intraday_not_set`. */
export async function recordStatementOfFile(
  tx: LedgerTransaction,
  head: StatementHead,
  settings: AccountSettings | undefined,
): Promise<RecordedStatement> {
  assertIntradayAccount(head, settings?.bankIntraday ?? []);
  const { ofCurrency: accountOf, isCustomers } = await statementAccount(tx, head, settings);
  const {
    message,
    accountId: writtenAccount,
    number: name,
    balances,
    from: fromOn,
    to,
    createdOn,
    createdAt: created,
    page,
    isLastPage,
  } = head;
  const account = accountOf('');
  // What lists what is booked, each booking once.
  const isListing = message === 'camt.053' && !isCustomers;
  const statements: string[] = [];
  if (isListing) for (const statement of statementsOf(head, accountOf)) statements.push(await recordStatement(tx, statement));
  const document = await recordDocument(tx, {
    writtenAccount,
    account,
    kind: isListing ? statementKind : isCustomers ? `${message} of a customer` : message,
    name,
    created,
    page,
    isLastPage,
    fromOn,
    closedOn: isListing ? (balances.find(({ closedOn }) => closedOn)?.closedOn ?? to ?? balances[0]?.openedOn ?? createdOn) : undefined,
    balances: Object.fromEntries(balances.map(({ currency, opening = null, closing = null }) => [currency, { opening, closing }])),
    statements,
  });
  if (isListing && page !== undefined) await joinPages(tx, document);
  const scoped = (reference: string) => (account === writtenAccount ? reference : rescoped(reference, writtenAccount, account));
  return { accountOf, message, document, scoped };
}

const mostDaysAhead = 7;

/** A statement has a row for each currency in which it has a balance. Without any balance, nothing can be compared with it. */
function statementsOf(
  { number, sequence, from, to, createdOn, balances }: StatementHead,
  accountOf: (currency: string) => string,
): NewStatement[] {
  return balances.flatMap(({ currency, opening, openedOn, closing, closedOn }) => {
    const lastDay = closedOn ?? to ?? openedOn ?? createdOn;
    if (lastDay === undefined) return [];
    if (lastDay > latestDay())
      throw bankFileError(
        'statement_malformed',
        `The statement ${number} closes on ${lastDay}, which is in the future`,
        'Ask the bank for it with its right day.',
      );
    return [{ account: accountOf(currency), currency, number, sequence, from, closedOn: lastDay, opening, closing }];
  });
}

/** A bank may be ahead of our clock by a holiday. A statement of later days would be the newest for ever. */
function latestDay(): string {
  return new Date(Date.now() + mostDaysAhead * 86_400_000).toISOString().slice(0, 10);
}
