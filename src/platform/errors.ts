/** What every error of Mintrail carries: HTTP bodies, command-line output and logs are three renderings of it. */
export interface MintrailErrorOptions {
  /** Stable, documented name of what happened, in snake case. */
  code: string;
  /** What happened, with which value, and what to do about it. Never a secret. */
  message: string;
  /** One text per field of the input that is wrong. */
  fields?: Record<string, string>;
  cause?: unknown;
}

/** The base of all errors. `retryable` tells a caller whether the same call may go through later. */
export abstract class MintrailError extends Error {
  abstract readonly retryable: boolean;
  readonly code: string;
  readonly fields: Record<string, string> | undefined;

  constructor({ code, message, fields, cause }: MintrailErrorOptions) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.fields = fields;
  }
}

/** Trying again cannot help: the input, the settings or the state must change first. */
export class StopError extends MintrailError {
  readonly retryable = false;
}

/** An outage or a race: the same call may go through later, and nothing was decided. */
export class RetryError extends MintrailError {
  readonly retryable = true;
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
