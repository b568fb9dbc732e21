import type { Context } from 'hono';
import type { ApiEnv } from '../api.ts';
import { respond } from '../http/error-response.ts';
import { joinMessages } from './authorization-request.ts';
import { readHeaderCredentials } from './client-authentication.ts';
import { errorDescription } from './client-redirect.ts';

/** An error of RFC 6749, section 5.2; `errors` has one text per invalid field. */
export interface GrantFailure {
  error: 'invalid_request' | 'invalid_client' | 'invalid_grant' | 'unauthorized_client' | 'unsupported_grant_type';
  message: string;
  errors?: Record<string, string>;
}

/** The secret that a client sent is wrong, or the client is unknown or disabled. */
export const failedAuthentication: GrantFailure = { error: 'invalid_client', message: 'Client authentication failed.' };

/** A confidential client sent no secret (RFC 6749, sections 4.1.3 and 6). */
export const missingAuthentication: GrantFailure = {
  error: 'invalid_client',
  message: 'Client authentication failed: this client has to send its client_secret.',
};

/** Parameters are missing or not valid: one text for each. */
export function invalidParameters(errors: Record<string, string>): GrantFailure {
  return { error: 'invalid_request', message: 'Validation errors', errors };
}

/**
 * Answers an endpoint for clients with an error, in the API's own shape with the fields of RFC 6749 added. A client that could not prove itself by
 * the header `Authorization` is challenged to (section 5.2).
 */
export function answerFailure(context: Context<ApiEnv>, { error, message, errors }: GrantFailure): Response {
  const isChallenged = error === 'invalid_client' && readHeaderCredentials(context.req.header('Authorization')) !== undefined;
  const { status, body } = respond(error, message, errors, isChallenged ? 401 : undefined);
  const description = errorDescription(errors ? joinMessages(errors) : message);
  const headers = isChallenged ? { 'WWW-Authenticate': 'Basic realm="OAuth client", charset="UTF-8"' } : {};
  return context.json({ ...body, error, error_description: description }, status, headers);
}
