import { bankFileError } from '../bank/iso20022/xml/bank-file-error.ts';
import type { StatementHead } from '../bank/iso20022/camt/statement-head.ts';
import type { LedgerTransaction } from '../ledger/ledger.ts';
import { type NewDocument, recordDocument } from '../ledger/bank/bank-reports.ts';
import { rescoped } from '../bank/iso20022/camt/credit-references.ts';
import { statementKind } from './money/reported-line.ts';
import { type NewStatement, recordStatement } from '../ledger/bank/statements/bank-statements.ts';
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

/** Follows the statements of a file while it is read. Memory does not grow with their number. */
export function createStatementsOfFile(tx: LedgerTransaction, settings: AccountSettings | undefined) {
  let current: RecordedStatement | undefined;
  return {
    /** Takes the head of the statement whose entries come next. Throws `statement_account_unknown` and `intraday_not_set`. */
    async begin(head: StatementHead): Promise<void> {
      assertIntradayAccount(head, settings?.bankIntraday ?? []);
      const account = await statementAccount(tx, head, settings);
      const { message } = head;
      // What lists what is booked, each booking once.
      const isListing = message === 'camt.053' && !account.isCustomers;
      const ids: string[] = [];
      if (isListing) for (const statement of statementsOf(head, account.ofCurrency)) ids.push(await recordStatement(tx, statement));
      const document = await recordDocument(
        tx,
        documentOf(head, {
          kind: isListing ? statementKind : otherKind(message, account.isCustomers),
          account: account.ofCurrency(''),
          ids,
        }),
      );
      current = { accountOf: account.ofCurrency, message, document, scoped: scopedTo(head.accountId, account.ofCurrency) };
    },
    current(): RecordedStatement {
      if (current === undefined) throw new Error('an entry without a statement');
      return current;
    },
  };
}

function otherKind(message: string, isCustomers: boolean): string {
  return isCustomers ? `${message} of a customer` : message;
}

function documentOf(head: StatementHead, { kind, account, ids }: { kind: string; account: string; ids: readonly string[] }): NewDocument {
  const { accountId: writtenAccount, number: name, createdAt, page, balances, from, to, createdOn } = head;
  const closedOn = kind === statementKind ? (balances.find((balance) => balance.closedOn)?.closedOn ?? to ?? createdOn) : undefined;
  const read = balances.map(({ currency, opening = null, closing = null }) => [currency, { opening, closing }] as const);
  return {
    writtenAccount,
    account,
    kind,
    name,
    createdAt,
    page,
    fromOn: from,
    closedOn,
    balances: Object.fromEntries(read),
    statements: ids,
  };
}

function scopedTo(written: string, accountOf: (currency: string) => string): (reference: string) => string {
  const master = accountOf('');
  return (reference) => (master === written ? reference : rescoped(reference, written, master));
}

const mostDaysAhead = 7;

/** A statement has a row for each currency in which it has a balance. Without any balance, nothing can be compared with it. */
function statementsOf(
  { number, sequence, from, to, createdOn, balances }: StatementHead,
  accountOf: (currency: string) => string,
): NewStatement[] {
  return balances.flatMap(({ currency, opening, openedOn, closing, closedOn }) => {
    const lastDay = closedOn ?? to ?? createdOn ?? openedOn;
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
