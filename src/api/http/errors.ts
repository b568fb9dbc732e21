import { StopError } from '../../platform/errors.ts';

/** 400 with one text per wrong field (docs/api.md, Errors). */
export function invalid(fields: Record<string, string>): StopError {
  return new StopError({ code: 'invalid_request', message: 'Validation errors', fields });
}

/** 401: no bearer token, or one that is unknown, expired or revoked. */
export function notAuthenticated(): StopError {
  return new StopError({ code: 'not_authenticated', message: 'Not authenticated' });
}

/** 403: what is asked for does not exist or belongs to somebody else; the two are not told apart. */
export function notAllowed(message: string): StopError {
  return new StopError({ code: 'not_allowed', message });
}

/** 404: no such endpoint. */
export function notFound(message: string): StopError {
  return new StopError({ code: 'not_found', message });
}
