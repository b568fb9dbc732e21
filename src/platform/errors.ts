import type { ErrorCode, RetryCode, StopCode } from './error-catalogue.ts';

/** What every error of Mintrail carries. HTTP answers, command-line output and logs are three renderings of it. */
export interface MintrailErrorOptions<Code extends ErrorCode = ErrorCode> {
  /** Stable name of what happened; the error catalogue documents it. */
  code: Code;
  /** What happened, with which value, and what to do about it. Never a secret. */
  message: string;
  /** One text per invalid field of the input. */
  fields?: Record<string, string>;
  /** What more is known of a field: a sentence that says what to do. The texts of `fields` are those that clients of the family compare. */
  details?: Record<string, string>;
  cause?: unknown;
}

/** The base of all errors. `retryable` says whether the same call may succeed later. */
export abstract class MintrailError extends Error {
  abstract readonly retryable: boolean;
  readonly code: ErrorCode;
  readonly fields: Record<string, string> | undefined;
  readonly details: Record<string, string> | undefined;

  constructor({ code, message, fields, details, cause }: MintrailErrorOptions) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.fields = fields;
    this.details = details;
  }
}

/** A repetition cannot help: the input, the settings or the state must change first. */
export class StopError extends MintrailError {
  readonly retryable = false;
  declare readonly code: StopCode;

  // oxlint-disable-next-line no-useless-constructor -- it narrows the codes
  constructor(options: MintrailErrorOptions<StopCode>) {
    super(options);
  }
}

/** An outage or a race: the same call may succeed later, and nothing was decided. */
export class RetryError extends MintrailError {
  readonly retryable = true;
  declare readonly code: RetryCode;

  // oxlint-disable-next-line no-useless-constructor -- it narrows the codes
  constructor(options: MintrailErrorOptions<RetryCode>) {
    super(options);
  }
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
