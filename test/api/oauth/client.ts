import { randomBytes } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import { runApi } from '../../../src/api/run-api.ts';
import { issueCode } from '../../../src/ledger/access/authorization-codes.ts';
import { createApplication } from '../../../src/ledger/access/applications/create-application.ts';
import { createProfile } from '../../../src/ledger/customers/profiles.ts';
import type { Permission } from '../../../src/schema/column-types.ts';
import { createUser, setDefaultProfile } from '../../../src/ledger/access/users.ts';
import { createPool } from '../../../src/platform/database.ts';
import { loadSettings } from '../../../src/platform/settings.ts';
import { createTestDatabase } from '../../support/database.ts';
import { testSecretsKey } from '../../support/test-sealer.ts';
import { eurToken } from '../support/test-api.ts';
import { createLedger, inTransaction } from '../../../src/ledger/ledger.ts';
import { wakesNobody } from '../../../src/ledger/wake-ups.ts';

export const redirectUri = 'https://shop.example/callback';
export const privacyPolicyUrl = 'https://shop.example/privacy';
export const termsUrl = 'https://shop.example/terms';

/** The facade on a socket, with users, and applications that ask them for authorization. */
export async function createOAuthApi(env: Record<string, string> = {}) {
  const database = await createTestDatabase();
  const settings = loadSettings({
    DATABASE_URL: database.url,
    PORT: '0',
    HOST: 'localhost',
    LOG_LEVEL: 'silent',
    MINTRAIL_ENVIRONMENT: 'sandbox',
    SECRETS_KEY: testSecretsKey,
    CHIADO_TOKENS: `eur:${eurToken}`,
    ...env,
  });
  const api = await runApi(settings);
  const pool = createPool({ connectionString: database.url });
  const ledger = createLedger(pool, wakesNobody);

  /** What an independent client knows of this server (oauth4webapi). */
  const server = await discover(settings.baseUrl === undefined ? api.url : undefined);

  const user = async () => {
    const email = `${randomBytes(6).toString('hex')}@example.com`;
    const id = await createUser(ledger, { email, name: 'Jane Doe' });
    const profile = await createProfile(ledger, { kind: 'personal', name: 'Jane Doe', state: 'approved', owner: id });
    await setDefaultProfile(ledger, id, profile);
    return { id, email, profile };
  };

  const client = async (registered: { redirectUris?: string[]; permissions?: Permission[]; name?: string } = {}) => {
    const owner = await createUser(ledger, { email: `${randomBytes(6).toString('hex')}@example.com`, name: 'Owner' });
    const { id } = await createApplication(ledger, { kind: 'authorization_code', name: registered.name ?? 'Corner Shop', owner });
    await ledger
      .updateTable('applications')
      .set({
        redirectUris: registered.redirectUris ?? [redirectUri],
        permissions: registered.permissions ?? ['read'],
        privacyPolicyUrl,
        termsUrl,
      })
      .where('id', '=', id)
      .execute();
    return id;
  };

  /** What the consent page does at its end. */
  const consent = async (application: string, by: { id: string; email: string }, codeChallenge: string, to = redirectUri) =>
    inTransaction(ledger, (tx) =>
      issueCode(tx, {
        user: by.id,
        application,
        permissions: ['read'],
        redirectUri: to,
        codeChallenge,
        proof: { method: 'password', subject: by.email },
      }),
    );

  return {
    url: api.url,
    settings,
    ledger,
    pool,
    server,
    user,
    client,
    consent,
    /** Posts a form and follows no redirect. */
    form: (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
      fetch(`${api.url}${path}`, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual', headers }),
    /** Asks without following a redirect. */
    ask: (query: Record<string, string>) => fetch(`${api.url}/auth?${new URLSearchParams(query).toString()}`, { redirect: 'manual' }),
    async close() {
      await api.close();
      await pool.end();
      await database.drop();
    },
  };
}

export type OAuthApi = Awaited<ReturnType<typeof createOAuthApi>>;

/** By RFC 8414; an address that does not lead here cannot be asked. */
async function discover(url: string | undefined): Promise<oauth.AuthorizationServer> {
  if (url === undefined) return { issuer: 'https://unknown.example' };
  const issuer = new URL(url);
  const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', [oauth.allowInsecureRequests]: true });
  return oauth.processDiscoveryResponse(issuer, response);
}

/** The parameters of a `Location` header. */
export function answerIn(response: Response): URLSearchParams {
  return new URL(response.headers.get('Location') ?? '').searchParams;
}

/** The header of HTTP Basic, with both parts as they are given. */
export function basic(id: string, secret: string): { Authorization: string } {
  return { Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` };
}

/** A verifier and its challenge. */
export async function pkce() {
  const verifier = oauth.generateRandomCodeVerifier();
  return { verifier, challenge: await oauth.calculatePKCECodeChallenge(verifier) };
}
