import type { StatementHead } from '../bank/iso20022/camt/statement-head.ts';
import type { LedgerTransaction } from '../ledger/ledger.ts';
import { assertIntradayAccount } from './intraday-account.ts';
import { type AccountSettings, statementAccount } from './statement-account.ts';

/** The statement or notification that an entry is read from. */
export interface RecordedStatement {
  /** The account of the book that an amount in a currency belongs to. */
  accountOf: (currency: string) => string;
  /** The kind of its message, such as `camt.053`. */
  message: string;
  /** Whether it lists what is booked, each booking once: a statement of a master account. */
  isListing: boolean;
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
      current = { accountOf: account.ofCurrency, message, isListing: message === 'camt.053' && !account.isCustomers };
    },
    current(): RecordedStatement {
      if (current === undefined) throw new Error('an entry without a statement');
      return current;
    },
  };
}
