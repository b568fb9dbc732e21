import { isNumberOfIban } from '../bank/iso20022/camt/party.ts';
import type { StatementHead } from '../bank/iso20022/camt/statement-head.ts';
import { intradayReport } from '../bank/iso20022/xml/message-shapes.ts';
import { isAssignedIban } from '../ledger/bank/statements/bank-statements.ts';
import type { LedgerTransaction } from '../ledger/ledger.ts';
import { StopError } from '../platform/errors.ts';
import { payingAccount, type Settings, settingVariable } from '../platform/settings.ts';

/** The settings that say whose statements are read, and where the bank is. */
export type AccountSettings = Pick<
  Settings,
  'environment' | 'bankAccounts' | 'bankIntraday' | 'bankIbanCountry' | 'bankIbanPrefix' | 'bankTimeZone'
>;

/** The master account that a statement belongs to. */
export interface StatementAccount {
  /** The account of the book that an amount in a currency belongs to. */
  ofCurrency: (currency: string) => string;
  /** Whether the statement is of an IBAN of a customer: its balances are not those of the master account. */
  isCustomers: boolean;
}

/**
 * The master account of a statement. Some banks name a customer's IBAN as the account of a notification: one of the range, or one that was
 * assigned, belongs to the master account. Without settings, and in a sandbox without `BANK_ACCOUNT`, every account counts.
 *
 * Throws `statement_account_unknown` for any other account: its money is not the money behind the tokens.
 */
export async function statementAccount(
  tx: LedgerTransaction,
  { account, accountId, number }: StatementHead,
  settings: AccountSettings | undefined,
): Promise<StatementAccount> {
  const accounts = settings?.bankAccounts ?? [];
  if (accounts.length === 0 && settings?.environment !== 'production') return { ofCurrency: () => accountId, isCustomers: false };
  const own = accounts.find((master) => master.account === accountId || isNumberOfIban(account.other ?? '', master.account));
  if (own !== undefined) return { ofCurrency: () => own.account, isCustomers: false };
  const isCustomers = account.iban !== undefined && (isInRange(account.iban, settings) || (await isAssignedIban(tx, account.iban)));
  const [first] = accounts;
  if (isCustomers && first !== undefined)
    return { ofCurrency: (currency) => payingAccount(accounts, currency) ?? first.account, isCustomers: true };
  const known = accounts.length === 0 ? 'which is not set' : `which is ${accounts.map((master) => master.account).join(', ')}`;
  throw new StopError({
    code: 'statement_account_unknown',
    message: `The statement ${number} is of the account ${accountId}, and not of ${settingVariable('bankAccounts')}, ${known}. Nothing of the file was applied. If the money behind the tokens is on that account, add it to ${settingVariable('bankAccounts')}`,
  });
}

function isInRange(iban: string, settings: AccountSettings | undefined): boolean {
  const { bankIbanCountry: country, bankIbanPrefix: prefix } = settings ?? {};
  return country !== undefined && prefix !== undefined && iban.startsWith(country) && iban.slice(4).startsWith(prefix);
}

/**
 * Throws `intraday_not_set` for an intraday report (camt.052) of an account that `BANK_INTRADAY` does not name. Its entries may still
 * change, so it is the operator who decides that what this bank reports as booked is final.
 */
export function assertIntradayAccount({ message, account, accountId }: StatementHead, accounts: Settings['bankIntraday']): void {
  if (message !== intradayReport || accounts === 'all' || accounts.includes(accountId)) return;
  const { iban } = account;
  if (accounts.some((named) => (iban === undefined ? isNumberOfIban(accountId, named) : isNumberOfIban(named, iban)))) return;
  const variable = settingVariable('bankIntraday');
  throw new StopError({
    code: 'intraday_not_set',
    message:
      `This is a camt.052, an intraday report, of the account ${accountId}, which ${variable} does not name. Nothing of the file was applied. If the bank ` +
      `sends no camt.054 of this account, and its booked entries are final, set ${variable}=${accountId}: they are then applied like those of a ` +
      'notification, and pending ones never. Otherwise import only the camt.053 of this account',
  });
}
