import type { ErrorEntry } from './entry.ts';

/** Errors of bank files, credits, payouts and IBANs. */
export const bankErrors = {
  file_unreadable: {
    status: null,
    retryable: false,
    meaning: 'The file cannot be read from the disk.',
    remedy: 'Check the path and its permissions.',
  },
  import_busy: {
    status: null,
    retryable: true,
    meaning: 'Another import did not end in time.',
    remedy: 'Run the import again.',
  },
  credit_changed: {
    status: null,
    retryable: true,
    meaning: 'A credit of the file was returned or matched while the file was imported.',
    remedy: 'Import the file again.',
  },
  statement_malformed: {
    status: null,
    retryable: false,
    meaning: 'The file is not well-formed XML.',
    remedy: 'Import the file as the bank delivered it.',
  },
  statement_truncated: {
    status: null,
    retryable: false,
    meaning: 'The file is empty or cut off.',
    remedy: 'Fetch the whole file from the bank again.',
  },
  statement_doctype: {
    status: null,
    retryable: false,
    meaning: 'The file has a DOCTYPE declaration, which no bank file needs.',
    remedy: 'Import the file as the bank delivered it.',
  },
  statement_encoding: {
    status: null,
    retryable: false,
    meaning: 'The bytes of the file do not match its declared encoding, or the encoding is unknown.',
    remedy: 'Correct the declaration, or convert the file to UTF-8.',
  },
  statement_unsupported: {
    status: null,
    retryable: false,
    meaning: 'The file is not one of the ISO 20022 messages that Mintrail reads here.',
    remedy: 'Import the message that the error names.',
  },
  intraday_not_set: {
    status: null,
    retryable: false,
    meaning: 'The file is an intraday report (camt.052) of an account that `BANK_INTRADAY` does not name.',
    remedy:
      'Name the account in `BANK_INTRADAY` if the bank sends no notifications (camt.054) of it; else import only its statements (camt.053).',
  },
  statement_too_large: {
    status: null,
    retryable: false,
    meaning: 'An entry of the file is larger than Mintrail reads.',
    remedy: 'Ask the bank to split it.',
  },
  statement_account_unknown: {
    status: null,
    retryable: false,
    meaning: 'A statement of the file is of an account that is not in `BANK_ACCOUNT`. Nothing of the file was applied.',
    remedy: 'Import the statements of the accounts that hold the money behind the tokens, or add the account to `BANK_ACCOUNT`.',
  },
  statement_account_missing: {
    status: null,
    retryable: false,
    meaning: 'The statement does not name its account.',
    remedy: 'Ask the bank for a complete statement.',
  },
  statement_unknown_element: {
    status: null,
    retryable: false,
    meaning: 'The file has an element that the standard does not allow there.',
    remedy: 'Import the file as the bank delivered it, and report the bank otherwise.',
  },
  statement_totals_differ: {
    status: null,
    retryable: false,
    meaning: 'The totals that the statement declares differ from its entries.',
    remedy: 'Ask the bank for a correct statement.',
  },
  unknown_credit: {
    status: null,
    retryable: false,
    meaning: 'There is no credit with this reference.',
    remedy: '`mintrail bank unmatched` lists unmatched credits.',
  },
  credit_not_unmatched: {
    status: null,
    retryable: false,
    meaning: 'The credit became an order or was returned.',
    remedy: 'Nothing remains to be done for it.',
  },
  credit_not_matchable: {
    status: null,
    retryable: false,
    meaning: 'The credit can never become an order.',
    remedy: 'Return it to its payer.',
  },
  still_unmatched: {
    status: null,
    retryable: false,
    meaning: 'The reason why the credit did not become an order still applies.',
    remedy: 'Remove the reason that the message names, or return the credit.',
  },
  own_payment: {
    status: null,
    retryable: false,
    meaning: 'The credit is a payment of ours that came back, so returning it would pay twice.',
    remedy: 'Leave it: the payout that it belongs to settles it.',
  },
  unknown_payout: {
    status: 404,
    retryable: false,
    meaning: 'There is no payout with this id, or it has not been made yet.',
    remedy: 'Check the id of the payout or of its order.',
  },
  payout_decided: {
    status: 409,
    retryable: false,
    meaning: 'The payout is final already.',
    remedy: 'Look at the state of its order.',
  },
  bank_rail_incomplete: {
    status: null,
    retryable: false,
    meaning: 'Settings that the bank rail needs are missing.',
    remedy: 'Set the variables that the message names.',
  },
  invalid_iban_range: {
    status: null,
    retryable: false,
    meaning: 'The configured IBAN range does not fit the country.',
    remedy: 'Correct the setting that the message names.',
  },
  iban_range_used_up: {
    status: null,
    retryable: false,
    meaning: 'Every account of the configured IBAN range is assigned.',
    remedy: 'Set a new `BANK_IBAN_PREFIX`.',
  },
  unknown_account: {
    status: null,
    retryable: false,
    meaning: 'The book has no account of this name.',
    remedy: '`mintrail book balances` shows the accounts.',
  },
  unknown_trace: {
    status: null,
    retryable: false,
    meaning: 'No order belongs to the id, hash or reference.',
    remedy: "Give the id of an order, a leg or a payment, the hash of a transaction, or the bank's reference of a credit.",
  },
  unknown_entry: {
    status: null,
    retryable: false,
    meaning: 'The book has no entry with this id, and none that it caused.',
    remedy: 'Take an id or a source from `mintrail book account`.',
  },
  file_exists: {
    status: null,
    retryable: false,
    meaning: 'The file that an export was to write exists already.',
    remedy: 'Name a file that does not exist.',
  },
} as const satisfies Record<string, ErrorEntry>;
