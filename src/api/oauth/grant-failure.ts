import type { Context } from 'hono';
import { MintrailError } from '../../platform/errors.ts';
import type { ApiEnv } from '../api.ts';
import { respond } from '../http/error-response.ts';
import { readFormBody } from '../http/form.ts';
import { joinMessages } from './authorization-request.ts';
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

/** Answers an endpoint for clients with an error, in the API's own shape with the fields of RFC 6749 added. */
export function answerFailure(context: Context<ApiEnv>, failure: GrantFailure): Response {
  const { error, message, errors } = failure;
  const { status, body } = respond(error, message, errors);
  const description = errorDescription(errors ? joinMessages(errors) : message);
  return context.json({ ...body, error, error_description: description }, status);
}

/** The parameters of a form, each at most once (RFC 6749, section 3.2), or why they cannot be read. */
export async function readParameters(context: Context<ApiEnv>): Promise<{ parameters: Record<string, string> } | GrantFailure> {
  const parameters: Record<string, string> = {};
  try {
    for (const [name, value] of await readFormBody(context)) {
      if (Object.hasOwn(parameters, name)) return invalidParameters({ [name]: 'must not be repeated' });
      parameters[name] = value;
    }
  } catch (error) {
    if (!(error instanceof MintrailError) || error.fields === undefined) throw error;
    return invalidParameters(error.fields);
  }
  context.set('clientId', parameters['client_id']);
  return { parameters };
}
