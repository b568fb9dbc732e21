import { isNumberOfIban } from '../bank/iso20022/camt/account.ts';
import type { StatementHead } from '../bank/iso20022/camt/statement-head.ts';
import { intradayReport } from '../bank/iso20022/xml/message-shapes.ts';
import { StopError } from '../platform/errors.ts';
import { type Settings, settingVariable } from '../platform/settings.ts';

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
