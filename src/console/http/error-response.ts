import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { isDatabaseOutage } from '../../platform/database.ts';
import { type ErrorCode, errorCatalogue } from '../../platform/error-catalogue.ts';
import type { ErrorStatus } from '../../platform/error-codes/entry.ts';
import { MintrailError } from '../../platform/errors.ts';
import type { ConsoleEnv } from '../console-env.ts';

/** The body of every error of the console. */
export interface ConsoleError {
  /** Code of the error catalogue. */
  code: ErrorCode;
  /** For the operator to read. */
  message: string;
  /** Whether the same request may succeed later. */
  retryable: boolean;
  /** One text per invalid field. */
  fields?: Record<string, string>;
  /** Names the log lines of the request. */
  correlationId: string;
}

/** Turns anything that was thrown into the answer of the console. Operators may read every message; of an unexpected error nothing is disclosed. */
export function answerError(error: unknown, context: Context<ConsoleEnv>): Response {
  const { correlationId, log } = context.var;
  const { status, ...body } = describeError(error);
  if (status === 500) log.error({ correlationId, path: context.req.path, err: error }, 'request failed');
  return context.json({ ...body, correlationId } satisfies ConsoleError, status);
}

/** An error as the console shows it, with the status of its answer. */
export function describeError(error: unknown): Omit<ConsoleError, 'correlationId'> & { status: ErrorStatus } {
  if (error instanceof HTTPException && error.status < 500)
    return { status: 400, code: 'invalid_request', message: 'The body is not valid JSON', retryable: false };
  if (isDatabaseOutage(error))
    return { status: 503, code: 'service_unavailable', message: 'The database is away: try again in a moment', retryable: true };
  if (!(error instanceof MintrailError)) return { status: 500, code: 'internal_error', message: 'Internal error', retryable: false };
  const { code, message, retryable, fields } = error;
  // Errors of commands have no status: the operator sees here what they say there.
  const status = errorCatalogue[code].status ?? (retryable ? 503 : 409);
  return { status, code, message, retryable, ...(fields && { fields }) };
}
