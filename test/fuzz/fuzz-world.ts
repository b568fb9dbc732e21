import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { errorResponse } from '../../src/api/http/error-response.ts';
import { createApplication } from '../../src/ledger/access/applications/create-application.ts';
import { createSession } from '../../src/ledger/access/sessions.ts';
import { userSubject } from '../../src/ledger/access/subject.ts';
import { createAppServer } from '../../src/platform/http/app-server.ts';
import { createLog } from '../../src/platform/log.ts';
import { baseUrl } from '../../src/platform/settings.ts';
import type { Deliver } from '../../src/webhooks/deliverer.ts';
import { application, authorized, invalidTokens, missing, type Resources, userApplication } from '../api/access/access-matrix-tenants.ts';
import { mailServer } from '../api/support/mails.ts';
import { createTestApi, type TestApi } from '../api/support/test-api.ts';
import { createTestMaker, swapEnv } from '../api/swap/swap-maker.ts';

/** Where the service of a campaign runs. */
export type FuzzEnvironment = 'sandbox' | 'production';

/** Somebody whose data nobody else may see or change. */
export interface Holder {
  name: string;
  own: Resources;
  user: string;
  email: string;
  /** A text in names, memos and titles that no request contains: wherever it appears, the data comes from the database. */
  canary: string;
}

/** Somebody who sends requests. */
export interface FuzzCaller {
  name: string;
  headers: [string, string][];
  /** What is theirs; of nobody, what does not exist. */
  own: Resources;
  /** The user of a browser; absent for callers of the API. */
  browserOf?: Holder;
  /** Whose data they may see. */
  sees: Holder[];
  /** The token of a browser's forms. */
  csrf?: string;
}

/** The service with several tenants, on a port of the loopback address. */
export interface FuzzWorld {
  api: TestApi;
  port: number;
  callers: FuzzCaller[];
  holders: Holder[];
  /** Those who send no request: their rows may not change. */
  bystanders: Holder[];
  /** An application that asks users for authorization. */
  client: { id: string; redirectUri: string };
  /** Gives callers back what earlier requests took from them, such as a session that signed itself out. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

export const redirectUri = 'https://client.example/callback';

/** Nothing is sent to the addresses that requests name. */
const deliver: Deliver = async () => ({ ok: true, status: 200, reason: '', milliseconds: 1 });

/** Starts the service and fills it: each tenant has one of everything. */
export async function createFuzzWorld(environment: FuzzEnvironment): Promise<FuzzWorld> {
  const swap = createTestMaker();
  const limits = { RATE_LIMITS: 'application:0,address:0,failedLogins:0' };
  const production = { MINTRAIL_ENVIRONMENT: 'production', BASE_URL: 'https://money.example', ...mailServer };
  const env = { ...swapEnv, ...limits, ...(environment === 'production' ? production : {}) };
  const api = await createTestApi({ env, deliver, ...(environment === 'sandbox' ? { swap } : {}) });
  api.fund(swap.signer.address, 1_000_000_000n, 'usd', 'arbitrumsepolia');
  const tenants = await createTenants(api);
  const { callers, holders, bystanders } = tenants;
  const client = await registeredClient(api);
  const people = new Set(['user 1 of application 1', 'user 2 of application 1', 'newcomer']);
  const browsers = holders.filter(({ name }) => people.has(name)).map((holder) => browserOf(holder));
  callers.push({ ...anonymousBrowser(), own: missing(), sees: [] }, ...browsers);
  const renewed = holders.filter((holder) => !bystanders.includes(holder)).map(({ own }) => own.subscription);
  const subscriptions = await api.ledger.selectFrom('webhookSubscriptions').where('id', 'in', renewed).select(['id', 'secret']).execute();
  const server = createAppServer({
    fetch: api.app.fetch,
    answerError: errorResponse,
    keepAliveSeconds: 5,
    trustedProxies: 0,
    closing: new AbortController().signal,
    log: createLog('silent'),
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const world: FuzzWorld = {
    api,
    port: (server.address() as AddressInfo).port,
    callers,
    holders,
    bystanders,
    client,
    async renew() {
      for (const caller of browsers) await signInBrowser(api, caller);
      for (const { id, secret } of subscriptions)
        await api.pool.query(`update webhook_subscriptions set state = 'active', secret = $2 where id = $1`, [id, secret]);
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await api.close();
    },
  };
  await world.renew();
  return world;
}

async function createTenants(api: TestApi) {
  const [first, second] = [await userApplication(api, ['read', 'write']), await userApplication(api, ['read', 'write'])];
  const tenants = {
    'private 1': await application(api, 'private'),
    'private 2': await application(api, 'private'),
    'whitelabel 1': await application(api, 'whitelabel'),
    'whitelabel 2': await application(api, 'whitelabel'),
    'user 1 of application 1': await authorized(api, first),
    'user 2 of application 1': await authorized(api, first),
    'user 3 of application 2': await authorized(api, second),
    'user 4 of application 2, reading': await authorized(api, await userApplication(api, ['read'])),
    'silent private': await application(api, 'private'),
    'silent whitelabel': await application(api, 'whitelabel'),
    'silent user of application 1': await authorized(api, first),
  };
  const holders: Holder[] = [];
  const callers: FuzzCaller[] = [];
  for (const [name, { user, own, headers }] of Object.entries(tenants)) {
    const holder = await mark(api, { name, own, user, email: `${letters()}@example.com`, canary: `Zq${letters()}` });
    holders.push(holder);
    if (!name.startsWith('silent')) callers.push({ name, headers: Object.entries(headers), own, sees: [holder] });
  }
  holders.push(await newcomer(api));
  for (const [name, { headers, own }] of Object.entries(await invalidTokens(api)))
    callers.push({ name: `token: ${name}`, headers: Object.entries(headers), own, sees: [] });
  callers.push({ name: 'nobody', headers: [], own: missing(), sees: [] });
  return { holders, callers, bystanders: holders.filter(({ name }) => name.startsWith('silent')) };
}

/** Somebody in the middle of the onboarding, who has nothing but a profile. */
async function newcomer(api: TestApi): Promise<Holder> {
  const { user, profile } = await api.partner();
  await api.ledger.updateTable('profiles').set({ state: 'incomplete' }).where('id', '=', profile).execute();
  const holder = { name: 'newcomer', own: { ...missing(), profile, iban: letters() }, user, email: `${letters()}@example.com` };
  return mark(api, { ...holder, canary: `Zq${letters()}` });
}

/** Letters only, so that a name may consist of them. */
function letters(): string {
  return [...randomBytes(12)].map((byte) => String.fromCodePoint(97 + (byte % 26))).join('');
}

/** Writes a holder's canary wherever a text of theirs is stored. */
async function mark(api: TestApi, holder: Holder): Promise<Holder> {
  const { own, user, email, canary } = holder;
  const write = (statement: string, ...values: unknown[]) => api.pool.query(statement, values);
  await write('update users set name = $1, email = $2 where id = $3', canary, email, user);
  await write('update profiles set name = $1 where id = $2 or owner = $3', canary, own.profile, user);
  await write(
    `update orders set memo = $1, counterpart = jsonb_set(counterpart, '{details,firstName}', to_jsonb($1::text)) where profile = $2`,
    canary,
    own.profile,
  );
  await write(`update webhook_subscriptions set url = 'https://example.com/' || $1 where id = $2`, canary, own.subscription);
  await write("update files set name = $1 || '.pdf' where id = $2 or uploaded_by = $3", canary, own.file, user);
  await write(
    `insert into profile_sections (profile, section, state, data)
     select id, 'details', case state when 'approved' then state else 'incomplete' end, jsonb_build_object('firstName', $2::text) from profiles where id = $1
     on conflict do nothing`,
    own.profile,
    canary,
  );
  await write(
    `insert into passkeys (user_id, credential_id, public_key, counter, transports, is_synchronised, name) values ($1, $2, 'x', 0, '{}', true, $3)`,
    user,
    canary,
    canary,
  );
  await write(
    `insert into consents (user_id, application, permissions) select $1, id, '{read}' from applications where kind = 'authorization_code' limit 1`,
    user,
  );
  await createSession(api.ledger, userSubject(user), { browser: canary, network: '127.0.0.1' });
  await write(
    `insert into signature_requests (kind, profile, chain, address, digest, signature, draft)
     values ('linkAddress', $1, 'chiado', '0x' || substr(md5($2) || md5(reverse($2)), 1, 40), '0x' || repeat('ab', 32), '0x', '{}')`,
    own.profile,
    canary,
  );
  return holder;
}

async function registeredClient(api: TestApi) {
  const { user } = await api.partner();
  const { id } = await createApplication(api.ledger, {
    kind: 'authorization_code',
    name: 'Shop',
    owner: user,
    redirectUris: [redirectUri],
  });
  return { id, redirectUri };
}

function browserOf(holder: Holder): FuzzCaller {
  return { name: `browser of ${holder.name}`, headers: [], own: holder.own, browserOf: holder, sees: [holder] };
}

function anonymousBrowser() {
  const secret = randomUUID().replaceAll('-', '').padEnd(43, 'x');
  return {
    name: 'browser of nobody',
    headers: [['Cookie', `session=${secret}; __Host-session=${secret}`]] as [string, string][],
    csrf: csrfOf(secret),
  };
}

async function signInBrowser(api: TestApi, caller: FuzzCaller): Promise<void> {
  const secret = await createSession(api.ledger, userSubject(caller.browserOf?.user ?? ''), { browser: 'Firefox', network: '127.0.0.1' });
  const origin = new URL(baseUrl(api.deps.settings)).origin;
  caller.headers = [
    ['Cookie', `session=${secret}; __Host-session=${secret}`],
    ['Origin', origin],
  ];
  caller.csrf = csrfOf(secret);
}

const csrfOf = (secret: string) => createHash('sha256').update(`csrf ${secret}`).digest('base64url');
