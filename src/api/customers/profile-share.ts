import { createRoute, z } from '@hono/zod-openapi';
import { requestShare } from '../../ledger/customers/profile-shares.ts';
import type { AddRoutes } from '../api.ts';
import { runOnce } from '../http/run-once.ts';
import { profileParam, requireProfileOfPath } from './profiles.ts';
import { invalid } from '../http/errors.ts';
import { bearerAccess, emptySchema, errorResponses, json, jsonBody } from '../http/responses.ts';
import * as input from '../../wire/input-fields.ts';

const shareSchema = z
  .object({
    provider: z.literal('sumsub').openapi({ description: 'The identity provider.' }),
    personal: z
      .object({
        token: input
          .text(2_000)
          .min(1, 'must not be empty')
          .openapi({ description: 'The token by which the provider shares its applicant, at most 2,000 characters.' }),
      })
      .openapi({ description: 'The person.' }),
  })
  .openapi('ProfileShare', { description: 'An applicant of an identity provider.' });

/** `POST /profiles/{profile}/share` (docs/api.md, Sharing). */
export const addProfileShare: AddRoutes = (api, { ledger, settings }, guards) => {
  const route = createRoute({
    method: 'post',
    path: '/profiles/{profile}/share',
    ...bearerAccess('Profiles'),
    operationId: 'shareProfile',
    summary: 'Take details and verifications from an identity provider',
    description:
      'For partners. Fills the details and the verifications of a personal profile, except `sourceOfFunds`; the form is not filled either. The sandbox simulates the provider. In ' +
      'production none is connected: `invalid_request`.',
    middleware: guards.partner,
    request: { params: profileParam, body: jsonBody(shareSchema, 'The provider and its token.') },
    responses: {
      202: json(emptySchema, 'Details and verifications arrive shortly.'),
      ...errorResponses(401, 403, 406, 413, 415, 'partners_only', 'not_shareable'),
    },
  });
  api.openapi(route, async (context) => {
    const profile = await requireProfileOfPath(ledger, context.var.caller, context.req.valid('param').profile);
    const { provider, personal } = context.req.valid('json');
    // Only the sandbox has a provider, a simulated one (docs/api.md, Sharing).
    if (settings.environment !== 'sandbox')
      throw invalid({ provider: 'is not connected to this service: submit details and verifications instead' });
    await runOnce({ ledger }, context.var, {
      action: 'profile.share',
      subject: profile,
      run: () => requestShare(ledger, profile, { provider, token: personal.token, correlationId: context.var.correlationId }),
      readResult: async () => {},
    });
    return context.json({}, 202);
  });
};
