import { bankErrors } from './error-codes/bank-errors.ts';
import type { ErrorEntry } from './error-codes/entry.ts';
import { networkErrors } from './error-codes/network-errors.ts';
import { operationErrors } from './error-codes/operation-errors.ts';
import { requestErrors } from './error-codes/request-errors.ts';
import { resourceErrors } from './error-codes/resource-errors.ts';

const entries = {
  ...requestErrors,
  ...resourceErrors,
  ...bankErrors,
  ...networkErrors,
  ...operationErrors,
};

type Entries = typeof entries;

/**
 * Every stable error code. An error with any other code is a type error. A code is for who branches on it: a client of the API, an alarm, a
 * retry. What only a person reads shares `not_found`, `not_possible` and `bad_input`, and its message says what to do.
 */
export type ErrorCode = keyof Entries;

/** Codes of errors that a repetition cannot help. */
export type StopCode = { [Code in ErrorCode]: Entries[Code] extends { retryable: true } ? never : Code }[ErrorCode];

/** Codes of outages and races: the same call may succeed later. */
export type RetryCode = Exclude<ErrorCode, StopCode>;

/** What every error code means. `docs/errors.md` is generated from it. */
export const errorCatalogue: Record<ErrorCode, ErrorEntry> = entries;
