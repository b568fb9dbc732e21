import type { ErrorEntry } from './entry.ts';

/** Errors of HTTP requests to the API, whatever their endpoint. */
export const requestErrors = {
  invalid_request: {
    status: 400,
    meaning: 'A parameter, header or field is not valid.',
    remedy: 'Correct the fields that `errors` names.',
  },
  unknown_cursor: {
    status: 400,
    meaning: '`after` names no item of this list that the caller may read.',
    remedy: 'Use the last id of the page before.',
  },
  application_not_active: {
    status: 400,
    meaning: 'The application is not approved yet.',
    remedy: 'Wait until the operator approves it, or the profile of its owner.',
  },
  invalid_client: {
    status: 400,
    meaning: 'Client id or secret is wrong (RFC 6749). By HTTP Basic the status is 401.',
    remedy: 'Use those that the operator issued; `mintrail app rotate-secret` makes new ones.',
  },
  invalid_grant: {
    status: 400,
    meaning: "The code or refresh token is unknown, expired, used, or another client's (RFC 6749).",
    remedy: 'Start a new authorization.',
  },
  unauthorized_client: {
    status: 400,
    meaning: 'The application may not use this grant type (RFC 6749).',
    remedy: 'Use the grant type of its kind of application.',
  },
  unsupported_grant_type: {
    status: 400,
    meaning: 'The token endpoint does not have this grant type (RFC 6749).',
    remedy: 'Use `client_credentials`, `authorization_code` or `refresh_token`.',
  },
  not_authenticated: {
    status: 401,
    meaning: 'The bearer token is missing, unknown, expired or revoked.',
    remedy: 'Request a new access token.',
  },
  not_allowed: {
    status: 403,
    meaning: 'The resource does not exist, or the caller may not use it.',
    remedy: 'Check the id, and the permissions that the user granted.',
  },
  partners_only: {
    status: 403,
    meaning: 'The endpoint is for whitelabel applications.',
    remedy: 'Call it as one.',
  },
  servers_only: {
    status: 403,
    meaning: 'The endpoint is for whitelabel and private applications.',
    remedy: 'Call it as one.',
  },
  not_found: {
    status: 404,
    meaning: 'There is no such endpoint, or no item of this id or name.',
    remedy: 'Check path and id. A command names what lists the ids.',
  },
  method_not_allowed: {
    status: 405,
    meaning: 'The endpoint does not have this method; `Allow` lists those that it has.',
    remedy: 'Use one of them.',
  },
  not_acceptable: {
    status: 406,
    meaning: '`Accept` asks for another version than 2.',
    remedy: 'Send `Accept: application/json`, or none.',
  },
  request_timeout: {
    status: 408,
    meaning:
      'Headers or body did not arrive within 15 seconds, an upload at 16 kB a second, or its network address held too many slow ones.',
    remedy: 'Send it again, faster.',
  },
  request_in_progress: {
    status: 409,
    meaning: 'A request with this idempotency key is still being answered.',
    remedy: 'Send it again after the seconds in `Retry-After`.',
  },
  body_too_large: {
    status: 413,
    meaning: 'The body is larger than allowed.',
    remedy: 'Send less, or a smaller file.',
  },
  unsupported_media_type: {
    status: 415,
    meaning: 'The endpoint does not take this media type, or a content coding such as gzip.',
    remedy: 'Send the `Content-Type` that `errors` names, and no `Content-Encoding`.',
  },
  expectation_failed: {
    status: 417,
    meaning: 'The header `Expect` asks for something other than `100-continue`.',
    remedy: 'Leave it out.',
  },
  idempotency_key_reused: {
    status: 422,
    meaning: 'The idempotency key was used for a different request.',
    remedy: 'Use a new key for each new request.',
  },
  rate_limited: {
    status: 429,
    retryable: true,
    meaning: 'Too many requests, streams, validations or costly files came from this application, user or network address.',
    remedy: 'Wait for the seconds in `Retry-After`.',
  },
  request_head_too_large: {
    status: 431,
    meaning: 'Request line and headers are larger than 16 kB.',
    remedy: 'Send less in the query or in headers.',
  },
  internal_error: {
    status: 500,
    meaning: 'The service failed unexpectedly.',
    remedy: 'Tell the operator the `X-Correlation-Id`, under which the log names the cause.',
  },
  not_implemented: {
    status: 501,
    meaning: 'No endpoint has this method or transfer coding.',
    remedy: 'Use no `Transfer-Encoding` but `chunked`.',
  },
  service_unavailable: {
    status: 503,
    retryable: true,
    meaning: 'A part that the request needs, such as the database, is out of reach.',
    remedy: 'Try again after the seconds in `Retry-After`.',
  },
  mail_not_configured: {
    status: 503,
    meaning: 'No mail server is configured, by which sign-up and password reset send codes.',
    remedy: 'Set `SMTP_URL` and `MAIL_FROM` for the API and the common worker.',
  },
  mail_outbox_full: {
    status: 503,
    retryable: true,
    meaning: 'Too many mails wait to be sent.',
    remedy: 'Try again later. Operators: check mail server and common worker.',
  },
  mail_not_sent: {
    retryable: true,
    meaning: 'The mail server did not take a mail. It is tried eight times within some fifteen minutes.',
    remedy: 'Check the server of `SMTP_URL`, its credentials and certificate.',
  },
  mail_refused: {
    meaning: 'The mail server refuses a mail for good, such as to an address that does not exist.',
    remedy: "If it repeats, ask the server's operator why it refuses mails from `MAIL_FROM`.",
  },
  shutting_down: {
    status: 503,
    retryable: true,
    meaning: 'This copy of the API is shutting down.',
    remedy: 'Connect again.',
  },
} as const satisfies Record<string, ErrorEntry>;
