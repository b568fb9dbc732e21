import { randomUUID } from 'node:crypto';
import { createWallet, linkBody } from '../support/test-api.ts';
import { company, person, personalForm } from '../customers/profiles-data.ts';
import { bankOrder, payeeIban } from '../orders/redeeming.ts';
import { swapTokens } from '../swap/swap-maker.ts';
import { document, receiver, type Resources, webhookSecret } from './access-matrix-tenants.ts';

/** A request to an endpoint, made by every caller: with the ids of what is its own, of what is somebody else's, and of what does not exist. */
export interface AccessCase {
  /** What is named, when an endpoint can name several things. */
  by?: string;
  /** The query or the body; `of` is what is named, `own` what the caller has. Absent for what names nothing. */
  query?: (of: Resources) => string;
  body?: (of: Resources, own: Resources) => unknown;
  /** Status for those who may, when it is theirs. */
  own: number;
  /** Status for what is somebody else's and for what there is not. Absent for what names nothing. */
  foreign?: number;
  /** Where an endpoint treats what does not exist unlike what is somebody else's: its status for the former, and the rule that allows it. */
  missingDiffers?: { status: number; rule: string };
}

/** Who may call an endpoint: everybody, any application, whitelabel ones, or those and private ones (docs/api.md, Applications). */
export interface Row {
  for: 'everybody' | 'applications' | 'partners' | 'servers';
  cases: AccessCase[];
}

const everybody = (own: number): Row => ({ for: 'everybody', cases: [{ own }] });
const applications = (...cases: AccessCase[]): Row => ({ for: 'applications', cases });
const partners = (...cases: AccessCase[]): Row => ({ for: 'partners', cases });
const servers = (...cases: AccessCase[]): Row => ({ for: 'servers', cases });
const byProfile: AccessCase = { by: 'profile', query: ({ profile }) => `?profile=${profile}`, own: 200, foreign: 403 };
const sale = { takerToken: swapTokens.eur, makerToken: swapTokens.usd, takerAmount: '10' };
const target = ({ wallet }: Resources) => ({ address: wallet.address, chain: 'chiado' });
const orderOf = async (of: Resources, own: Resources, given: Record<string, unknown> = {}) =>
  // Whoever has not the key of an address can only sign with another one.
  bankOrder({ ...own.wallet, address: of.wallet.address }, given);

/** Every endpoint of the document; one that is added needs a row here. */
export const matrix: Record<string, Row> = {
  'GET /': everybody(200),
  'GET /.well-known/oauth-authorization-server': everybody(200),
  'GET /health/live': everybody(200),
  'GET /health/ready': everybody(200),
  'GET /tokens': everybody(200),
  'GET /countries': everybody(200),
  // Without parameters: nobody is let in, and no client is known.
  'GET /auth': everybody(400),
  'POST /auth': everybody(400),
  'POST /auth/token': everybody(400),
  'POST /auth/revoke': everybody(400),
  'GET /auth/context': applications({ own: 200 }),
  'GET /webhooks': servers({ own: 200 }),
  'POST /webhooks': servers({ body: async () => ({ url: await receiver(), secret: webhookSecret }), own: 201 }),
  // Before it is made inactive.
  'GET /webhooks/{subscription}/deliveries': servers(
    { by: 'subscription', own: 200, foreign: 404 },
    { by: 'cursor', query: ({ delivery }) => `?after=${delivery}`, own: 200, foreign: 404 },
  ),
  'POST /webhooks/{subscription}/deliveries/{delivery}/replay': servers({ own: 202, foreign: 404 }),
  'PATCH /webhooks/{subscription}': servers({ body: () => ({ state: 'inactive' }), own: 200, foreign: 404 }),
  'DELETE /webhooks/{subscription}': servers({ own: 200, foreign: 404 }),
  'POST /profiles': partners(
    { body: () => ({ kind: 'personal' }), own: 201 },
    {
      by: 'id',
      body: ({ profile }) => ({ kind: 'personal', id: profile }),
      own: 409,
      foreign: 409,
      missingDiffers: { status: 201, rule: '409 (profile with that id exists)' },
    },
  ),
  'GET /profiles': applications({ own: 200 }),
  'GET /profiles/{profile}': applications({ own: 200, foreign: 403 }),
  'POST /profiles/{profile}/share': partners({
    body: () => ({ provider: 'sumsub', personal: { token: 'ok' } }),
    own: 400,
    foreign: 403,
  }),
  'PATCH /profiles/{profile}/details': partners({ body: () => ({ personal: person, corporate: company }), own: 409, foreign: 403 }),
  'PATCH /profiles/{profile}/form': partners({ body: () => ({ personal: personalForm }), own: 409, foreign: 403 }),
  'PATCH /profiles/{profile}/verifications': partners({
    body: ({ file }) => ({ personal: [{ kind: 'sourceOfFunds', documents: [{ fileId: file }] }] }),
    own: 409,
    foreign: 403,
  }),
  'POST /addresses': applications(
    { by: 'profile', body: async ({ profile }) => ({ ...(await linkBody(createWallet())), profile }), own: 201, foreign: 403 },
    // Whoever has the key of an address is its owner, and is told that it is linked (docs/api.md, Addresses).
    {
      by: 'address',
      body: async ({ wallet, profile }, own) => ({ ...(await linkBody(wallet)), profile: wallet === own.wallet ? profile : own.profile }),
      own: 201,
      foreign: 400,
      missingDiffers: { status: 201, rule: '400 `already linked` for another profile, to whoever proves to own the address' },
    },
  ),
  'GET /addresses': applications({ own: 200 }, byProfile),
  'GET /addresses/{address}': applications({ own: 200, foreign: 403 }),
  'GET /balances/{chain}/{address}': applications({ own: 200, foreign: 403 }),
  'POST /ibans': applications({ by: 'address', body: target, own: 304, foreign: 400 }),
  'GET /ibans': applications({ own: 200 }, byProfile),
  'GET /ibans/{iban}': applications({ own: 200, foreign: 403 }),
  'PATCH /ibans/{iban}': applications({ by: 'iban', body: (_, own) => target(own), own: 200, foreign: 403 }),
  'POST /orders': applications(
    { by: 'address', body: orderOf, own: 200, foreign: 400 },
    {
      by: 'document',
      body: ({ file }, own) => orderOf(own, own, { amount: '15000', supportingDocumentId: file }),
      own: 200,
      foreign: 400,
    },
    {
      by: 'id',
      body: ({ order }, own) => orderOf(own, own, { id: order }),
      own: 409,
      foreign: 409,
      missingDiffers: { status: 200, rule: 'Same `id`, different body: 409' },
    },
  ),
  'GET /orders': applications(
    { own: 200 },
    byProfile,
    { by: 'address', query: ({ wallet }) => `?address=${wallet.address}`, own: 200, foreign: 200 },
    { by: 'transaction', query: ({ order }) => `?txHash=0x${order.replaceAll('-', '').repeat(2)}`, own: 200, foreign: 200 },
    { by: 'cursor', query: ({ order, profile }) => `?after=${order}&profile=${profile}`, own: 200, foreign: 403 },
  ),
  'GET /orders/stream': applications({ own: 200 }, byProfile),
  'GET /orders/{orderId}': applications({ own: 200, foreign: 403 }),
  'GET /orders/{orderId}/events': applications({ own: 200, foreign: 403 }),
  'GET /signatures': applications({ own: 200 }, byProfile, {
    by: 'address',
    query: ({ wallet }) => `?address=${wallet.address}`,
    own: 200,
    foreign: 200,
  }),
  'POST /swap': applications({ body: () => sale, own: 200 }),
  'POST /swap/commit': applications({
    by: 'address',
    body: ({ wallet }) => ({ ...sale, taker: wallet.address, chainId: 421_614 }),
    own: 200,
    foreign: 403,
  }),
  'POST /files': applications({ body: document, own: 200 }),
  // The sandbox's bank: anybody may pay anybody, and learns what became of it.
  'POST /sandbox/credits': applications({
    body: ({ iban }) => ({ iban, amount: '1', currency: 'eur', reference: randomUUID(), payer: { name: 'Max', iban: payeeIban } }),
    own: 201,
    foreign: 201,
    missingDiffers: { status: 201, rule: 'Sandbox simulates peripheral services: a payment to an IBAN is told whether it arrived' },
  }),
  'POST /sandbox/payouts/{id}/reject': applications({ body: () => ({}), own: 200, foreign: 403 }),
  'POST /sandbox/payouts/{id}/return': applications({ body: () => ({}), own: 409, foreign: 403 }),
  'POST /sandbox/profiles/{id}/approve': applications({ body: () => ({}), own: 409, foreign: 403 }),
  'POST /sandbox/profiles/{id}/reject': applications({ body: () => ({}), own: 409, foreign: 403 }),
  'POST /sandbox/profiles/{id}/incomplete': applications({ body: () => ({}), own: 409, foreign: 403 }),
  // Whoever is on the machine of the sandbox.
  'GET /sandbox/mail': everybody(200),
  'GET /sandbox/mail/{id}': everybody(404),
};

/** The path of an endpoint with what it names. `{id}` stands for an order or a profile, by what comes before it. */
export function pathOf(template: string, { profile, wallet, iban, order, subscription, delivery }: Resources): string {
  const named: Record<string, string> = { profile, chain: 'chiado', address: wallet.address, iban, orderId: order, subscription, delivery };
  named['id'] = template.includes('/profiles/') ? profile : order;
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = named[name];
    if (value === undefined) throw new Error(`the access matrix does not know what {${name}} in ${template} names`);
    return value;
  });
}
