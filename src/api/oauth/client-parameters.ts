import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { MintrailError } from '../../platform/errors.ts';
import { isUuid } from '../../platform/uuid.ts';
import type { ApiEnv } from '../api.ts';
import * as input from '../../wire/input-fields.ts';
import { readFormBody } from '../http/form.ts';
import { readHeaderCredentials } from './client-authentication.ts';
import { type GrantFailure, failedAuthentication, invalidParameters } from './grant-failure.ts';
import { sentParameters } from './authorization-request.ts';

/** A code, a token or a secret: none of ours is longer than 512 characters. */
export const secretField = input.text(512);

/** The parameters by which a client says who it is, and proves it. */
export const clientFields = {
  client_id: input.uuid.openapi({ description: 'Id of the application.' }),
  client_secret: secretField
    .optional()
    .openapi({ description: 'Secret of the application, where it has to prove itself and does not by HTTP Basic.' }),
};

/** What a form may leave out because the header `Authorization` has it. */
export const inHeader = { client_id: true } as const;

/** A client may prove itself by HTTP Basic, or in the form. */
export const clientAuthentication = { security: [{ basic: [] }, {}] };

/**
 * The parameters of a client's form, each at most once (RFC 6749, section 3.2), with the client's credentials among them whether they came in the form
 * or by HTTP Basic; or why they cannot be read.
 */
export async function readClientParameters(context: Context<ApiEnv>): Promise<{ parameters: Record<string, string> } | GrantFailure> {
  const form = await readForm(context);
  if ('error' in form) return form;
  const read = withCredentials(form.parameters, context.req.header('Authorization'));
  if (!('error' in read)) context.set('clientId', read.parameters['client_id']);
  return read;
}

async function readForm(context: Context<ApiEnv>): Promise<{ parameters: Record<string, string> } | GrantFailure> {
  const parameters: Record<string, string> = {};
  try {
    for (const [name, value] of sentParameters(await readFormBody(context))) {
      if (Object.hasOwn(parameters, name)) return invalidParameters({ [name]: 'must not be repeated' });
      parameters[name] = value;
    }
  } catch (error) {
    if (!(error instanceof MintrailError) || error.fields === undefined) throw error;
    return invalidParameters(error.fields);
  }
  return { parameters };
}

/** A client proves itself in one way for each request (RFC 6749, section 2.3). Its id may stand in the form besides. */
function withCredentials(
  parameters: Record<string, string>,
  header: string | undefined,
): { parameters: Record<string, string> } | GrantFailure {
  const credentials = readHeaderCredentials(header);
  if (credentials === undefined) return { parameters };
  if (credentials === 'invalid' || !isUuid(credentials.id) || !secretField.or(z.literal('')).safeParse(credentials.secret).success)
    return failedAuthentication;
  const { client_id: id, client_secret: secret } = parameters;
  if (secret !== undefined) return invalidParameters({ client_secret: 'must not be sent in the body and by HTTP Basic at once' });
  if (id !== undefined && id.toLowerCase() !== credentials.id.toLowerCase())
    return invalidParameters({ client_id: 'must be the same in the body and in the header Authorization' });
  return {
    parameters: {
      ...parameters,
      client_id: credentials.id,
      ...(credentials.secret === '' ? {} : { client_secret: credentials.secret }),
    },
  };
}
