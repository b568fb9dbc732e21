import { z } from 'zod';

/** The shapes of docs/api.md, written from its text and not from the code: an answer may hold more, never less. */

export const uuid = z.string().regex(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
export const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
export const timeStamp = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
const currency = z.enum(['eur', 'usd', 'gbp', 'isk']);
const production = ['ethereum', 'gnosis', 'polygon', 'arbitrum', 'linea', 'scroll', 'base', 'noble'] as const;
const sandbox = ['sepolia', 'chiado', 'amoy', 'arbitrumsepolia', 'lineasepolia', 'scrollsepolia', 'basesepolia', 'grand'] as const;
const chain = z.enum([...production, ...sandbox]);
const iban = z.string().regex(/^[A-Z]{2}\d{2}[A-Z0-9]{4,30}$/);
const decimal = z.string().regex(/^\d+(\.\d+)?$/);
const memo = z.string().min(5).max(140);
const referenceNumber = z.string().max(35);

export const welcome = z.object({ hello: z.string(), docs: z.url(), twitter: z.url() });

const profileKind = z.enum(['personal', 'corporate']);
const profileState = z.enum(['created', 'incomplete', 'pending', 'approved', 'rejected']);
const section = z.object({ state: z.enum(['incomplete', 'pending', 'approved', 'rejected']) });
export const profileSummary = z.object({ id: uuid, kind: profileKind, name: z.string(), state: profileState });
export const profile = profileSummary.extend({
  details: section,
  form: section,
  verifications: z.array(section.extend({ kind: z.string(), personId: uuid.optional() })),
});

export const userContext = z.object({
  userId: uuid,
  email: z.email(),
  name: z.string(),
  roles: z.array(z.literal('admin')),
  auth: z.object({ method: z.enum(['password', 'resource', 'jwt', 'apiKey', 'bearer']), subject: z.string(), verified: z.boolean() }),
  defaultProfile: uuid,
  profiles: z.array(profileSummary.extend({ perms: z.array(z.enum(['read', 'write'])) })),
});

export const accessToken = z.object({
  access_token: z.string().min(1),
  expires_in: z.literal(3600),
  refresh_token: z.string().min(1),
  token_type: z.literal('Bearer'),
  /** The default profile; a partner may have none. */
  profile: uuid.optional(),
  userId: uuid,
});

export const linkedAddress = z.object({ profile: uuid, address, chains: z.array(chain).min(1) });
export const ibanObject = z.object({ iban, name: z.string(), bic: z.string(), profile: uuid, address, chain });
export const balance = z.object({ address, chain, balances: z.array(z.object({ currency, amount: decimal })) });

const counterpart = z.object({
  identifier: z.union([
    z.object({ standard: z.literal('iban'), iban }),
    z.object({ standard: z.literal('account') }),
    z.object({ standard: z.literal('chain'), address, chain }),
  ]),
  details: z.record(z.string(), z.unknown()),
});

export const order = z.object({
  id: uuid,
  kind: z.enum(['issue', 'redeem']),
  profile: uuid,
  address,
  chain,
  currency,
  amount: z.string().regex(/^\d+\.\d\d$/),
  counterpart,
  memo,
  referenceNumber: referenceNumber.optional(),
  state: z.enum(['placed', 'pending', 'processed', 'rejected']),
  meta: z.object({
    placedAt: timeStamp,
    processedAt: timeStamp.optional(),
    rejectedReason: z.string().optional(),
    supportingDocumentId: uuid.optional(),
    txHashes: z.array(z.string()).optional(),
  }),
});

export const file = z.object({
  id: uuid,
  name: z.string().max(100),
  type: z.string(),
  size: z.int(),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  meta: z.object({ uploadedBy: uuid, createdAt: timeStamp, updatedAt: timeStamp }),
});

const eventType = z.enum(['iban.updated', 'order.created', 'order.updated', 'profile.error', 'profile.updated']);
export const subscription = z.object({ id: uuid, url: z.url(), types: z.array(eventType), state: z.enum(['active', 'inactive']) });

export const token = z.object({
  currency,
  ticker: z.enum(['EUR', 'GBP', 'USD', 'ISK']),
  symbol: z.enum(['EURe', 'GBPe', 'USDe', 'ISKe']),
  chain,
  address,
  decimals: z.literal(18),
});

export const pendingSignature = z.object({
  id: uuid,
  kind: z.enum(['order', 'linkAddress']),
  chain,
  address,
  amount: decimal.optional(),
  counterpart: counterpart.optional(),
  currency: currency.optional(),
  createdAt: timeStamp,
});

const risk = z.enum(['low', 'medium', 'high', 'restricted', 'prohibited']);
export const countries = z.object({
  countries: z.array(z.object({ name: z.string(), code: z.string().regex(/^[A-Z]{2}$/), nationality: risk, residency: risk })).min(240),
  total: z.int(),
});

export const quote = z.object({
  takerToken: address,
  makerToken: address,
  takerAmount: decimal,
  makerAmount: decimal,
  price: decimal,
  priceImpact: z.string(),
  takerAmountUsd: decimal,
  makerAmountUsd: decimal,
});
export const committedQuote = quote.extend({
  id: uuid,
  chainId: z.literal(421614),
  nonce: z.int(),
  expiry: z.int(),
  signature: z.string().regex(/^0x[0-9a-f]{130}$/),
});

export const accepted = z.object({ code: z.literal(202), status: z.literal('Accepted') });
export const empty = z.object({});

const profileErrors = z.object({
  id: uuid,
  kind: profileKind,
  errors: z.array(z.object({ field: z.string(), reason: z.string() })).min(1),
});

const event = <Type extends string, Data extends z.ZodRawShape>(type: Type, data: Data) =>
  z.object({ type: z.literal(type), timestamp: timeStamp, ...data });

/** The body of a webhook (docs/api.md, Events). */
export const webhookEvent = z.discriminatedUnion('type', [
  event('subscription.created', {}),
  event('order.created', { data: order }),
  event('order.updated', { data: order }),
  event('profile.updated', { data: profile }),
  event('iban.updated', { data: ibanObject }),
  event('profile.error', { data: profileErrors }),
]);
