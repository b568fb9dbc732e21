import { HTTPException } from 'hono/http-exception';
import { isDatabaseOutage } from '../../platform/database.ts';
import { type ErrorCode, errorCatalogue } from '../../platform/error-catalogue.ts';
import type { ErrorStatus } from '../../platform/error-codes/entry.ts';
import { MintrailError } from '../../platform/errors.ts';
import { RateLimited } from '../../platform/limits/rate-limiter.ts';

/** The body of every error (docs/api.md, Errors). */
interface ErrorBody {
  /** The HTTP status. */
  code: ErrorStatus;
  /** Its reason phrase. */
  status: string;
  message: string;
  /** Stable code of the error catalogue. */
  reason: ErrorCode;
  /** One text per invalid field. */
  errors?: Record<string, string>;
  /** A sentence on a field of which more is known than its text says. */
  details?: Record<string, string>;
  /** At the token endpoint, as RFC 6749 names the error. */
  error?: string;
  error_description?: string;
}

/** An error as an HTTP response (docs/api.md, Errors). */
export interface ErrorResponse {
  status: ErrorStatus;
  body: ErrorBody;
  headers: Record<string, string>;
}

/** Seconds after which a client may repeat a request that an outage stopped: a database failover takes a few. */
const retryAfterSeconds = 5;

/** Turns anything that was thrown into the answer of the API. Of an unexpected error nothing is disclosed. */
export function errorResponse(error: unknown): ErrorResponse {
  if (error instanceof HTTPException) return frameworkError(error);
  if (error instanceof RateLimited)
    return { ...respond(error.code, error.message), headers: { 'Retry-After': String(error.retryAfterSeconds) } };
  if (isDatabaseOutage(error)) return outage('service_unavailable');
  if (!(error instanceof MintrailError)) return internalError();
  const { code, message, fields, details } = error;
  if (error.retryable) return outage(errorCatalogue[code].status === undefined ? 'service_unavailable' : code);
  if (errorCatalogue[code].status === undefined) return internalError();
  const answer = respond(code, message, fields);
  if (details !== undefined) Object.assign(answer.body, { details });
  const oauthError = oauthErrors[code];
  if (oauthError !== undefined) Object.assign(answer.body, { error: oauthError, error_description: message });
  return answer;
}

/** An error answer: unless another is given, the status is that of the code in the catalogue, or 500 where the catalogue has none. */
export function respond(
  code: ErrorCode,
  message: string,
  errors?: Record<string, string>,
  status: ErrorStatus = errorCatalogue[code].status ?? 500,
): ErrorResponse {
  return {
    status,
    body: { code: status, status: reasonPhrases[status], message, reason: code, ...(errors ? { errors } : {}) },
    headers: {},
  };
}

const reasonPhrases: Record<ErrorStatus, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  417: 'Expectation Failed',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
};

/** Names of RFC 6749, section 5.2, for errors that the ledger throws at the token endpoint. */
const oauthErrors: Partial<Record<ErrorCode, string>> = { application_not_active: 'unauthorized_client' };

/** Texts for outages that a client can do something about. What exactly failed stands in the log only. */
const outageMessages: Partial<Record<ErrorCode, string>> = {
  payouts_unavailable: 'No payment to a bank can be made at the moment, so nothing is burned for it: try again later',
  price_unavailable: 'No price is available at the moment: try again later',
  maker_balance_too_low: 'The maker holds too little of makerToken for this amount at the moment: ask for less, or later',
};

function outage(code: ErrorCode): ErrorResponse {
  const message = outageMessages[code] ?? 'The service is not available at the moment: try again later';
  return { ...respond(code, message), headers: { 'Retry-After': String(retryAfterSeconds) } };
}

function internalError(): ErrorResponse {
  return respond('internal_error', 'Internal error');
}

/** The framework checks the type and the syntax of a body before any schema sees it, and the origin of a hosted form. */
function frameworkError({ status }: HTTPException): ErrorResponse {
  if (status === 415)
    return respond('unsupported_media_type', 'Unsupported media type', {
      body: 'must be JSON, sent with the header Content-Type: application/json',
    });
  if (status === 400) return respond('invalid_request', 'Validation errors', { body: 'is empty or not valid JSON' });
  if (status === 403) return respond('not_allowed', 'This form came from another site and was not accepted.');
  return internalError();
}
