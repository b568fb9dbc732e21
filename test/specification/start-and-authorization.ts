import { redirectUri } from '../api/oauth/client.ts';
import { challenge, verifier, query, authorize, siwe, code, userRefreshToken } from './requests.ts';
import { type Endpoint, is } from './documented-rows.ts';
import * as shapes from './shapes.ts';
import type { Asked } from './world.ts';

/** The endpoints of the welcome and of authorization (docs/api.md, Welcome; docs/api.md, Authentication). */
export const startAndAuthorization: Endpoint[] = [
  {
    row: 'GET /',
    lists: [200, 400],
    answers: [is(200, 'welcome object', shapes.welcome, () => ({}))],
    never: { 400: 'a request without parameters has nothing that could be wrong' },
  },
  ...(['POST', 'GET'] as const).map((method): Endpoint => {
    const asked = (fields: Record<string, string>): Asked => (method === 'POST' ? { form: fields } : { path: `/auth${query(fields)}` });
    return {
      row: `${method} /auth`,
      lists: [302, 307, 400],
      answers: [
        is(307, 'Location = URL of the hosted authorization flow', undefined, (world) => asked(authorize(world)), {
          location: /^http:\/\/localhost:\d+\/authorize/,
        }),
        is(
          302,
          'the SIWE variant completes at once: Location = redirect URI carrying code, and state unchanged',
          undefined,
          async (world) => asked({ ...(await siwe(world)), state: 'unchanged' }),
          { location: /^https:\/\/shop\.example\/callback\?code=[^&]+&state=unchanged(&|$)/ },
        ),
        is(
          302,
          'code_challenge_method is not S256: Location carries error and error_description',
          undefined,
          (world) => asked(authorize(world, { code_challenge_method: 'plain' })),
          { location: /^https:\/\/shop\.example\/callback\?error=invalid_request&error_description=.*&state=unchanged(&|$)/ },
        ),
        is(400, 'client_id is missing', shapes.refusal(400, 'client_id'), () => asked({ code_challenge: challenge })),
        is(400, 'redirect_uri does not exactly match a registered one', shapes.refusal(400, 'redirect_uri'), (world) =>
          asked(authorize(world, { redirect_uri: `${redirectUri}/` })),
        ),
      ],
    };
  }),
  {
    row: 'GET /auth/context',
    lists: [200],
    answers: [is(200, 'User context', shapes.userContext, () => ({ as: 'private' }))],
  },
  {
    row: 'POST /auth/token',
    lists: [200, 400],
    answers: [
      is(200, 'grant_type = client_credentials', shapes.accessToken, ({ private: { clientId, secret: clientSecret } }) => ({
        form: { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret },
      })),
      is(200, 'grant_type = authorization_code', shapes.accessToken, async (world) => ({
        form: {
          grant_type: 'authorization_code',
          client_id: world.authorizationCode,
          code: await code(world),
          code_verifier: verifier,
          redirect_uri: redirectUri,
        },
      })),
      is(200, 'grant_type = refresh_token', shapes.accessToken, async (world) => ({
        form: { grant_type: 'refresh_token', client_id: world.authorizationCode, refresh_token: await userRefreshToken(world) },
      })),
      is(400, 'the body is JSON', shapes.refusal(400), () => ({ json: { grant_type: 'client_credentials' } })),
    ],
  },
];
