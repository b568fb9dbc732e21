import type { ErrorEntry } from './entry.ts';

/** Errors of HTTP requests to the API, whatever their endpoint. */
export const requestErrors = {
  invalid_request: {
    status: 400,
    meaning: 'A parameter, a header or a field of the body is not valid.',
    remedy: 'Correct the fields that `errors` names.',
  },
  unknown_cursor: {
    status: 400,
    meaning: 'The cursor `after` does not name an item of this list that the caller may read.',
    remedy: 'Use the id of an item of the page before, or leave `after` out.',
  },
  application_not_active: {
    status: 400,
    meaning: 'The credentials of the application are not active yet.',
    remedy: 'Wait until the operator approves the application or the profile of its owner.',
  },
  invalid_client: {
    status: 400,
    meaning: 'The token endpoint does not know this client id with this secret (RFC 6749). By HTTP Basic the status is 401.',
    remedy: 'Use the credentials that the operator issued; `mintrail app rotate-secret` makes new ones.',
  },
  invalid_grant: {
    status: 400,
    meaning: 'The authorization code or refresh token is unknown, expired, used, or issued to another client (RFC 6749).',
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
    meaning: 'The resource does not exist or the caller may not use it; the answer does not say which.',
    remedy: 'Check the id (`GET /profiles` lists the profiles of the caller) and the permissions that the user granted.',
  },
  partners_only: {
    status: 403,
    meaning: 'The endpoint is available to whitelabel applications only.',
    remedy: 'Call it with the credentials of a whitelabel application.',
  },
  servers_only: {
    status: 403,
    meaning: 'The endpoint is available to whitelabel and private applications only.',
    remedy: 'Call it with the credentials of such an application.',
  },
  not_found: {
    status: 404,
    meaning: 'There is no such endpoint, or no item of this id or name.',
    remedy: 'Check the method and path against `/openapi.json`, and the id. A command names in the message what lists the ids.',
  },
  method_not_allowed: {
    status: 405,
    meaning: 'The endpoint does not have this method. The header `Allow` of the answer lists those that it has.',
    remedy: 'Check the method against `/openapi.json`.',
  },
  not_acceptable: {
    status: 406,
    meaning: 'The header `Accept` asks for another version than 2.',
    remedy: 'Send `Accept: application/json`, the media type of version 2, or no `Accept` header.',
  },
  request_timeout: {
    status: 408,
    meaning:
      'The request did not arrive within 15 seconds for its headers and 15 for its body, an upload at 16 kB a second, or its network address held too many that were slow. The connection is closed.',
    remedy: 'Send it again, on a connection that is faster.',
  },
  request_in_progress: {
    status: 409,
    meaning: 'A request with the same idempotency key is still being answered.',
    remedy: 'Send the same request again after the seconds in `Retry-After`.',
  },
  body_too_large: {
    status: 413,
    meaning: 'The body of the request is larger than allowed.',
    remedy: 'Send less, or a smaller file.',
  },
  unsupported_media_type: {
    status: 415,
    meaning: 'The body has a media type that the endpoint does not take, or a content coding such as gzip, of which there is none.',
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
    meaning:
      'Too many requests, streams, validations or files that are costly to open came from this application, user or network address.',
    remedy: 'Wait for the seconds in `Retry-After`.',
  },
  request_head_too_large: {
    status: 431,
    meaning: 'The request line and the headers of the request are larger than 16 kB.',
    remedy: 'Send less in the query or in headers.',
  },
  internal_error: {
    status: 500,
    meaning: 'The service failed in a way that it did not expect.',
    remedy: 'Tell the operator the value of `X-Correlation-Id`; the log names the cause under it.',
  },
  not_implemented: {
    status: 501,
    meaning: 'The request has a method or a transfer coding that no endpoint has.',
    remedy: 'Use a method of `/openapi.json`, and no `Transfer-Encoding` but `chunked`.',
  },
  service_unavailable: {
    status: 503,
    retryable: true,
    meaning: 'A part that the request needs is out of reach, such as the database.',
    remedy: 'Try again after the seconds in `Retry-After`.',
  },
  mail_not_configured: {
    status: 503,
    meaning: 'The operator has not configured a mail server, and this needs one: sign-up and password reset send codes by mail.',
    remedy: 'Set `SMTP_URL` and `MAIL_FROM` for the API and the common worker.',
  },
  mail_outbox_full: {
    status: 503,
    retryable: true,
    meaning: 'Too many mails wait to be sent.',
    remedy: 'Try again later; the operator looks at the mail server and at the common worker.',
  },
  mail_not_sent: {
    retryable: true,
    meaning: 'A mail could not be handed over to the mail server. It is tried again, up to eight times within some fifteen minutes.',
    remedy: 'Look at the mail server of `SMTP_URL`, its credentials and its certificate.',
  },
  mail_refused: {
    meaning: 'The mail server refuses a mail for good, such as one to an address that does not exist. It is not tried again.',
    remedy: 'None, if it happens once. Otherwise ask the operator of the mail server why it refuses mails from `MAIL_FROM`.',
  },
  shutting_down: {
    status: 503,
    retryable: true,
    meaning: 'This copy of the API is shutting down.',
    remedy: 'Connect again: another copy answers, or this one after its restart.',
  },
} as const satisfies Record<string, ErrorEntry>;
