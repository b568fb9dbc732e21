import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getAddress } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { insertPair } from '../../../src/ledger/access/access-tokens.ts';
import { createGrant } from '../../../src/ledger/access/grants.ts';
import { createApplication } from '../../../src/ledger/access/applications/create-application.ts';
import { assignIbans } from '../../support/assign-ibans.ts';
import { makePaymentsOfLegs } from '../../../src/ledger/bank/payment-legs.ts';
import type { Permission } from '../../../src/schema/column-types.ts';
import { createSubscription } from '../../../src/ledger/webhooks/subscriptions.ts';
import { createWallet, linkBody, type Partner, type TestApi } from '../support/test-api.ts';
import { bankOrder } from '../orders/redeeming.ts';
import { inTransaction } from '../../../src/ledger/ledger.ts';
import { testSealer } from '../../support/test-sealer.ts';
import { png } from '../../support/documents.ts';
import { endLeg } from '../../support/end-leg.ts';

/** One of each kind of thing that an endpoint may name. */
export interface Resources {
  profile: string;
  wallet: PrivateKeyAccount;
  iban: string;
  /** A redemption whose tokens are burnt and whose payout lies with the bank. */
  order: string;
  file: string;
  /** A subscription to webhooks. */
  subscription: string;
  /** A delivery to it. */
  delivery: string;
}

/** Somebody who calls, and what is theirs. */
export interface Tenant {
  headers: Record<string, string>;
  own: Resources;
}

/** An application that acts by its own credentials. */
export interface Application extends Tenant {
  user: string;
  clientId: string;
  secret: string;
  post: Partner['post'];
  patch: Partner['patch'];
}

/** A private application with the default profile of its user, or a whitelabel application with a customer that it onboarded. */
export async function application(api: TestApi, kind: 'private' | 'whitelabel'): Promise<Application> {
  const caller = await api.partner(kind);
  const { profile, headers, user, clientId, secret, post, patch } = caller;
  const tenant = { headers, user, clientId, secret, post, patch };
  if (kind === 'private') return { ...tenant, own: await resources(api, caller, profile) };
  const { id } = (await post('/profiles', { kind: 'personal' })).json;
  // What a customer gives at the onboarding is not what is tried here.
  await api.ledger.updateTable('profiles').set({ state: 'approved', name: 'Customer' }).where('id', '=', id).execute();
  return { ...tenant, own: await resources(api, caller, id) };
}

/** An application of several users, and what they let it do. */
export interface UserApplication {
  id: string;
  permissions: Permission[];
}

/** An application that asks users for access to their profiles. */
export async function userApplication(api: TestApi, permissions: Permission[]): Promise<UserApplication> {
  const { user } = await api.partner();
  const { id } = await createApplication(api.ledger, { kind: 'authorization_code', name: 'Web', owner: user, permissions });
  return { id, permissions };
}

/** Another user who gave an application access to their profiles. */
export async function authorized(api: TestApi, client: UserApplication): Promise<Tenant & { user: string }> {
  const { user, own } = await application(api, 'private');
  const grant = { application: client.id, user, proof: { method: 'password' as const, subject: 'jane@example.org' } };
  const { accessToken } = await inTransaction(api.ledger, async (tx) => insertPair(tx, await createGrant(tx, grant)));
  const headers = { Authorization: `Bearer ${accessToken}` };
  // Files belong to the application that uploaded them; where it may not, the id is nobody's.
  return { headers, user, own: { ...own, file: client.permissions.includes('write') ? await upload(api, headers) : randomUUID() } };
}

/** A private application that may only read. */
export async function readOnlyApplication(api: TestApi): Promise<Tenant> {
  const tenant = await application(api, 'private');
  await api.pool.query(`update applications set permissions = '{read}' where id = $1`, [tenant.clientId]);
  // The API trusts what it knows of a token for three seconds.
  return { own: tenant.own, headers: await freshToken(api, tenant) };
}

/** Private applications with what is theirs, whose tokens are not valid any more, or never were. */
export async function invalidTokens(api: TestApi): Promise<Record<'expired' | 'revoked' | 'disabled' | 'garbage', Tenant>> {
  const expired = await application(api, 'private');
  const revoked = await application(api, 'private');
  const disabled = await application(api, 'private');
  // The API trusts a token for three seconds after its use, so these tenants get tokens that were never used.
  for (const tenant of [expired, revoked, disabled]) tenant.headers = await freshToken(api, tenant);
  await api.pool.query(
    `update access_tokens set expires_at = now() - interval '1 second' where grant_id in (select id from grants where application = $1)`,
    [expired.clientId],
  );
  await api.pool.query('delete from access_tokens where grant_id in (select id from grants where application = $1)', [revoked.clientId]);
  await api.pool.query('update applications set disabled_at = now() where id = $1', [disabled.clientId]);
  return { expired, revoked, disabled, garbage: { headers: { Authorization: 'Bearer garbage' }, own: missing() } };
}

async function freshToken(api: TestApi, { clientId, secret }: Application): Promise<Record<string, string>> {
  const { json } = await api.form({ grant_type: 'client_credentials', client_id: clientId, client_secret: secret });
  return { Authorization: `Bearer ${json.access_token}` };
}

/** What nobody has. */
export function missing(): Resources {
  return {
    profile: randomUUID(),
    wallet: createWallet(),
    iban: 'DE89370400440532013000',
    order: randomUUID(),
    file: randomUUID(),
    subscription: randomUUID(),
    delivery: randomUUID(),
  };
}

const any = (...spellings: string[]) => new RegExp(spellings.join('|'), 'g');

/** Every spelling by which an answer could name these. */
export function identifiers({ profile, wallet, iban, order, file, subscription, delivery }: Resources): [string, RegExp][] {
  return [
    ['profile', any(profile)],
    ['address', any(getAddress(wallet.address), wallet.address.toLowerCase())],
    ['iban', any(iban)],
    ['order', any(order)],
    ['file', any(file)],
    ['subscription', any(subscription)],
    ['delivery', any(delivery)],
  ];
}

async function resources(api: TestApi, { headers, clientId }: Partner, profile: string): Promise<Resources> {
  const wallet = createWallet();
  const post = async (path: string, body: unknown) =>
    (await api.send('POST', path, { headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify(body) })).json;
  await post('/addresses', { ...(await linkBody(wallet)), profile });
  // Where swaps are; refused where that network is not configured.
  await post('/addresses', { ...(await linkBody(wallet, 'arbitrumsepolia')), profile });
  await post('/ibans', { address: wallet.address, chain: 'chiado' });
  await assignIbans(api.ledger);
  const { iban } = (await api.send('GET', `/ibans?profile=${profile}`, { headers })).json.ibans[0];
  api.fund(wallet.address, 1_000_000n);
  const order = (await post('/orders', await bankOrder(wallet))).id;
  await burn(api, order);
  const subscribed = { url: 'https://example.com/', secret: webhookSecret, types: [] };
  const { id: subscription } = await createSubscription(api.ledger, testSealer, clientId, subscribed);
  const event = await api.ledger.selectFrom('events').where('subject', '=', order).selectAll().executeTakeFirstOrThrow();
  const { id: delivery } = await api.ledger
    .insertInto('webhookDeliveries')
    .values({ subscription, event: event.id, type: event.type, subject: order, sequence: event.sequence })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { profile, wallet, iban, order, file: await upload(api, headers), subscription, delivery };
}

export async function burn(api: TestApi, order: string): Promise<void> {
  await endLeg(api.ledger, order, 'redeem', { txHash: `0x${order.replaceAll('-', '').repeat(2)}` });
  await makePaymentsOfLegs(api.ledger, 100);
}

export function document(): FormData {
  const form = new FormData();
  form.append('file', new Blob([png]), 'invoice.png');
  return form;
}

export const webhookSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

let receiving: Server | undefined;

/** The address of somebody who accepts webhooks, for as long as the process lives. */
export async function receiver(): Promise<string> {
  if (!receiving) {
    receiving = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
    await once(receiving.unref(), 'listening');
  }
  return `http://127.0.0.1:${(receiving.address() as AddressInfo).port}/`;
}

async function upload(api: TestApi, headers: Record<string, string>): Promise<string> {
  const response = await api.app.request('/files', { method: 'POST', headers, body: document() });
  return ((await response.json()) as { id: string }).id;
}
