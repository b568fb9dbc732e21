/** HTTP statuses with which the API answers an error. */
export type ErrorStatus = 400 | 401 | 403 | 404 | 405 | 406 | 408 | 409 | 413 | 415 | 417 | 422 | 429 | 431 | 500 | 501 | 503;

/** What the catalogue says of one error code. */
export interface ErrorEntry {
  /**
   * HTTP status of the API's answer. An error without one is meant to be caused by no request: if one does, the answer is 503 when the
   * error is retryable, otherwise 500.
   */
  status?: ErrorStatus;
  /** Whether the same call may succeed later without any change. A retryable code belongs to `RetryError`, every other to `StopError`. */
  retryable?: true;
  /** What happened, in one sentence. */
  meaning: string;
  /** What the reader of the error can do. */
  remedy: string;
}
