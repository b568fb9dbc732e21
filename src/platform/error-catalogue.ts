import { administrationErrors } from './error-codes/administration-errors.ts';
import { bankErrors } from './error-codes/bank-errors.ts';
import { consoleErrors } from './error-codes/console-errors.ts';
import type { ErrorEntry } from './error-codes/entry.ts';
import { networkErrors } from './error-codes/network-errors.ts';
import { operationErrors } from './error-codes/operation-errors.ts';
import { requestErrors } from './error-codes/request-errors.ts';
import { resourceErrors } from './error-codes/resource-errors.ts';
import { signerErrors } from './error-codes/signer-errors.ts';

const entries = {
  ...requestErrors,
  ...resourceErrors,
  ...bankErrors,
  ...networkErrors,
  ...administrationErrors,
  ...signerErrors,
  ...consoleErrors,
  ...operationErrors,
};

type Entries = typeof entries;

/** Every stable error code. An error with any other code is a type error. */
export type ErrorCode = keyof Entries;

/** Codes of errors that a repetition cannot help. */
export type StopCode = { [Code in ErrorCode]: Entries[Code]['retryable'] extends false ? Code : never }[ErrorCode];

/** Codes of outages and races: the same call may succeed later. */
export type RetryCode = Exclude<ErrorCode, StopCode>;

/** What every error code means. `docs/errors.md` is generated from it. */
export const errorCatalogue: Record<ErrorCode, ErrorEntry> = entries;
