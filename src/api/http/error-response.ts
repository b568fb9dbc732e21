import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { isDatabaseOutage } from '../../platform/database.ts';
import { MintrailError } from '../../platform/errors.ts';
import { RateLimited } from '../../platform/limits/rate-limiter.ts';

/** The body of every refusal (docs/api.md, Errors). */
interface ErrorBody {
  code: number;
  status: string;
  message: string;
  errors?: Record<string, string>;
  error?: string;
  error_description?: string;
}

export interface ErrorResponse {
  status: ContentfulStatusCode;
  body: ErrorBody;
  headers: Record<string, string>;
}

/** HTTP status of each error code that a request may cause. A code that is not here is our fault: 500. */
const statusByCode: Record<string, ContentfulStatusCode> = {
  invalid_request: 400,
  application_not_active: 400,
  address_already_linked: 400,
  address_not_linked: 400,
  iban_closed: 400,
  unknown_cursor: 400,
  unknown_file: 400,
  message_used: 400,
  insufficient_balance: 400,
  too_many_subscriptions: 400,
  unknown_person: 400,
  unknown_section: 400,
  not_shareable: 400,
  not_authenticated: 401,
  not_allowed: 403,
  profile_not_allowed: 403,
  profile_not_approved: 403,
  partners_only: 403,
  servers_only: 403,
  not_found: 404,
  unknown_payout: 404,
  not_acceptable: 406,
  order_conflict: 409,
  profile_exists: 409,
  profile_approved: 409,
  profile_in_review: 409,
  profile_rejected: 409,
  profile_not_in_review: 409,
  payout_decided: 409,
  subscription_inactive: 409,
  body_too_large: 413,
  idempotency_key_reused: 422,
  swap_not_set_up: 503,
};

/** Refusals of the token endpoint are named as in RFC 6749, section 5.2, too. */
const grantRefusals: Record<string, string> = { application_not_active: 'unauthorized_client' };

const reasonPhrases: Partial<Record<ContentfulStatusCode, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  406: 'Not Acceptable',
  409: 'Conflict',
  413: 'Payload Too Large',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** Outages that a client can do something about. What exactly is wrong stands in the log. */
const outages: Record<string, string> = {
  no_price: 'No price is available at the moment: try again later',
  maker_short: 'The maker holds too little of makerToken for this amount at the moment: ask for less, or later',
};

/** Seconds after which an outage is worth another try: a database failover takes a few. */
const retryAfterSeconds = 5;

/** The one place where anything that was thrown becomes an answer. Nothing of an unknown error is shown. */
export function errorResponse(error: unknown): ErrorResponse {
  if (error instanceof HTTPException) return frameworkRefusal(error);
  if (error instanceof RateLimited) return { ...respond(429, error.message), headers: { 'Retry-After': String(error.retryAfterSeconds) } };
  if ((error instanceof MintrailError && error.retryable) || isDatabaseOutage(error))
    return {
      ...respond(
        503,
        (error instanceof MintrailError && outages[error.code]) || 'The service is not available at the moment: try again later',
      ),
      headers: { 'Retry-After': String(retryAfterSeconds) },
    };
  const status = error instanceof MintrailError ? statusByCode[error.code] : undefined;
  if (!(error instanceof MintrailError) || status === undefined) return respond(500, 'Internal error');
  const answer = respond(status, error.message, error.fields);
  const refusal = grantRefusals[error.code];
  if (refusal !== undefined) Object.assign(answer.body, { error: refusal, error_description: error.message });
  return status === 401 ? { ...answer, headers: { 'WWW-Authenticate': 'Bearer' } } : answer;
}

/** An answer in the service's own shape. */
export function respond(status: ContentfulStatusCode, message: string, errors?: Record<string, string>): ErrorResponse {
  return {
    status,
    body: { code: status, status: reasonPhrases[status] ?? 'Error', message, ...(errors ? { errors } : {}) },
    headers: {},
  };
}

/** What the framework itself refuses before a schema sees it: the body's type and syntax. */
function frameworkRefusal(error: HTTPException): ErrorResponse {
  if (error.status === 415)
    return respond(400, 'Validation errors', { body: 'must be JSON, sent with the header Content-Type: application/json' });
  if (error.status === 400) return respond(400, 'Validation errors', { body: 'is empty or not valid JSON' });
  return respond(error.status, error.message);
}
