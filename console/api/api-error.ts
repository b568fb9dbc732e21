/** An answer of the console that is no success. Its code is of the catalogue (docs/errors.md). */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** What is wrong with the input, by the name of the field. */
  readonly fields: Readonly<Record<string, string>>;

  constructor(status: number, body: { code?: string; message?: string; fields?: Record<string, string> }) {
    super(body.message ?? `The console answered with status ${status}`);
    this.name = 'ApiError';
    this.status = status;
    this.code = body.code ?? 'unknown';
    this.fields = body.fields ?? {};
  }
}

/** No answer came: the console is restarting, or the connection is gone. */
export class ConsoleAwayError extends Error {
  constructor(cause: unknown) {
    super('The console does not answer.', { cause });
    this.name = 'ConsoleAwayError';
  }
}

/** Whether nobody is signed in any more. A password that is not right has the same status. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'not_signed_in';
}
