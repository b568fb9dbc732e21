import type { ErrorEntry } from './entry.ts';

/** Errors of bank files, credits, payouts and IBANs. */
export const bankErrors = {
  payouts_unavailable: {
    status: 503,
    retryable: true,
    meaning: 'No process of the operator could pay now, so nothing is burned.',
    remedy: 'Try again later. Operators: the common worker must run, and write to `BANK_OUTBOX`.',
  },
  file_unreadable: {
    meaning: 'A file cannot be read, or is not what was uploaded.',
    remedy: 'Check its path and permissions, and that this process sees the folder.',
  },
  import_busy: {
    retryable: true,
    meaning: 'Another import or change was made at the same time. Nothing was changed.',
    remedy: 'Do it again.',
  },
  statement_malformed: {
    meaning: 'The file is not as the standard has it, has a DOCTYPE, or does not name its account.',
    remedy: 'Import it as delivered, or ask the bank for one that follows the schema.',
  },
  statement_truncated: {
    meaning: 'The file is empty or cut off.',
    remedy: 'Fetch the whole file from the bank again.',
  },
  statement_unsupported: {
    meaning: 'The file is none of the ISO 20022 messages that are read here.',
    remedy: 'Import the message that the error names.',
  },
  intraday_not_set: {
    meaning: 'An intraday report (camt.052) of an account that `BANK_INTRADAY` does not name.',
    remedy: 'Name the account there if the bank sends no notifications (camt.054) of it; else import its statements (camt.053) alone.',
  },
  statement_account_unknown: {
    meaning: 'A statement is of an account that is not in `BANK_ACCOUNT`. Nothing was applied.',
    remedy: 'Add the account, if it holds money behind tokens.',
  },
  statement_totals_differ: {
    meaning: "The statement's totals or balances differ from its entries.",
    remedy: 'Ask the bank for a correct one.',
  },
  credit_not_unmatched: {
    meaning: 'The credit became an order, was returned or was settled.',
    remedy: 'Nothing remains to be done for it.',
  },
  unknown_payout: {
    status: 404,
    meaning: 'There is no such payout, or not yet.',
    remedy: 'Check the id of the payout or of its order.',
  },
  payout_not_booked: {
    status: 409,
    meaning: 'The bank has not carried the payout out yet.',
    remedy: 'Wait until its order is `processed`.',
  },
  payout_decided: {
    status: 409,
    meaning: 'The payout is final already.',
    remedy: 'Look at the state of its order.',
  },
} as const satisfies Record<string, ErrorEntry>;
