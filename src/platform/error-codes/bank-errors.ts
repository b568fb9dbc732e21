import type { ErrorEntry } from './entry.ts';

/** Errors of bank files, credits, payouts and IBANs. */
export const bankErrors = {
  payouts_unavailable: {
    status: 503,
    retryable: true,
    meaning: 'Nothing is burned for a payment to a bank, because no process of the operator could make it now.',
    remedy: 'Try again later. The operator looks at the common worker: whether it runs, and can write to `BANK_OUTBOX`.',
  },
  file_unreadable: {
    meaning: 'A file cannot be read, or is not what was uploaded.',
    remedy: 'Check its path and permissions, and whether this process sees the folder that the message names.',
  },
  import_busy: {
    retryable: true,
    meaning: 'Another import, or another change of what this is about, was made at the same time. Nothing was changed.',
    remedy: 'Import the file, or run the command, again.',
  },
  statement_malformed: {
    meaning:
      'The file is not as the standard has it: its XML, its encoding, an element, a date, a count or its size; or it has a DOCTYPE, or does not name its account.',
    remedy: 'Import the file as the bank delivered it. If it is as delivered, ask the bank for one that follows the schema.',
  },
  statement_truncated: {
    meaning: 'The file is empty or cut off.',
    remedy: 'Fetch the whole file from the bank again.',
  },
  statement_unsupported: {
    meaning: 'The file is not one of the ISO 20022 messages that Mintrail reads here.',
    remedy: 'Import the message that the error names.',
  },
  intraday_not_set: {
    meaning: 'The file is an intraday report (camt.052) of an account that `BANK_INTRADAY` does not name.',
    remedy:
      'Name the account in `BANK_INTRADAY` if the bank sends no notifications (camt.054) of it; else import only its statements (camt.053).',
  },
  statement_account_unknown: {
    meaning: 'A statement of the file is of an account that is not in `BANK_ACCOUNT`. Nothing of the file was applied.',
    remedy: 'Import the statements of the accounts that hold the money behind the tokens, or add the account to `BANK_ACCOUNT`.',
  },
  statement_totals_differ: {
    meaning: 'The totals that the statement declares, or its own balances, differ from its entries.',
    remedy: 'Ask the bank for a correct statement.',
  },
  credit_not_unmatched: {
    meaning: 'The credit became an order, was returned or was settled.',
    remedy: 'Nothing remains to be done for it.',
  },
  unknown_payout: {
    status: 404,
    meaning: 'There is no payout with this id, or it has not been made yet.',
    remedy: 'Check the id of the payout or of its order.',
  },
  payout_not_booked: {
    status: 409,
    meaning: 'The bank has not carried the payout out yet, so that it cannot return it.',
    remedy: 'Wait until its order is `processed`, or let the bank refuse it.',
  },
  payout_decided: {
    status: 409,
    meaning: 'The payout is final already.',
    remedy: 'Look at the state of its order.',
  },
} as const satisfies Record<string, ErrorEntry>;
