import { createHash, createHmac, randomBytes } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { hashMessage, type Hex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { createSiweMessage } from 'viem/siwe';
import { z } from 'zod';
import * as shapes from '../shapes.ts';

/**
 * A client that was written from the text of this API family's specification alone, all of which docs/api.md has too. It uses fetch, viem for keys
 * and signatures, and the shapes of that text, but nothing of the service and no step that only this service knows. Every answer is held against its
 * shape, and every refusal against that of errors.
 */
export function createSpecificationClient(baseUrl: string) {
  const call = (method: string, path: string, request: Request = {}) => send(baseUrl, method, path, request);
  const authorize = async (method: 'GET' | 'POST', fields: Record<string, string>) => {
    const { status, headers } = await call(method, '/auth', method === 'GET' ? { query: fields } : { form: fields });
    return { status, location: new URL(headers.get('Location') ?? '') };
  };
  return {
    baseUrl,
    start: async () => read(await call('GET', '/'), 200, shapes.welcome),
    countries: async () => read(await call('GET', '/countries'), 200, shapes.countries),
    authorize,
    grant: async (fields: Record<string, string>) => read(await call('POST', '/auth/token', { form: fields }), 200, shapes.accessToken),
    refresh: async (client_id: string, refresh_token: string) =>
      read(await call('POST', '/auth/token', { form: { grant_type: 'refresh_token', client_id, refresh_token } }), 200, shapes.accessToken),
    as: (token: string) => createCaller((method, path, request = {}) => call(method, path, { ...request, token })),
  };
}

/** Whoever has an access token. Bodies are sent as they are, so that wrong ones can be. */
function createCaller(call: (method: string, path: string, request?: Request) => Promise<Answer>) {
  return {
    context: async () => read(await call('GET', '/auth/context'), 200, shapes.userContext),
    profiles: {
      create: async (json: object) => read(await call('POST', '/profiles', { json }), 201, shapes.profile),
      list: async (query = {}) =>
        read(await call('GET', '/profiles', { query }), 200, z.object({ profiles: shapes.profileSummary.array() })).profiles,
      show: async (id: string) => read(await call('GET', `/profiles/${id}`), 200, shapes.profile),
      submit: async (id: string, section: 'details' | 'form' | 'verifications', json: object) =>
        read(await call('PATCH', `/profiles/${id}/${section}`, { json }), 202, shapes.empty),
      share: async (id: string, json: object) => read(await call('POST', `/profiles/${id}/share`, { json }), 202, z.unknown()),
    },
    addresses: {
      link: async (json: object) => {
        const answer = await call('POST', '/addresses', { json });
        read(answer, answer.status === 202 ? 202 : 201, answer.status === 202 ? shapes.accepted : shapes.empty);
        return answer.status;
      },
      list: async (query = {}) =>
        read(await call('GET', '/addresses', { query }), 200, z.object({ addresses: shapes.linkedAddress.array() })).addresses,
      show: async (address: string) => read(await call('GET', `/addresses/${address}`), 200, shapes.linkedAddress),
    },
    balance: async (chain: string, address: string, query = {}) =>
      read(await call('GET', `/balances/${chain}/${address}`, { query }), 200, shapes.balance),
    ibans: {
      request: async (json: object) => (await call('POST', '/ibans', { json })).status,
      list: async (query = {}) => read(await call('GET', '/ibans', { query }), 200, z.object({ ibans: shapes.ibanObject.array() })).ibans,
      show: async (iban: string) => read(await call('GET', `/ibans/${encodeURIComponent(iban)}`), 200, shapes.ibanObject),
      move: async (iban: string, json: object) => (await call('PATCH', `/ibans/${iban}`, { json })).status,
    },
    orders: {
      place: async (json: object) => read(await call('POST', '/orders', { json }), 200, shapes.order),
      placeUnsigned: async (json: object) => read(await call('POST', '/orders', { json }), 202, shapes.accepted),
      list: async (query = {}) => read(await call('GET', '/orders', { query }), 200, z.object({ orders: shapes.order.array() })).orders,
      show: async (id: string) => read(await call('GET', `/orders/${id}`), 200, shapes.order),
    },
    signatures: async (query = {}) => {
      const answer = await call('GET', '/signatures', { query });
      const { pending, total } = read(answer, 200, z.object({ pending: shapes.pendingSignature.array(), total: z.int() }));
      return { pending, total, header: answer.headers.get('X-Total-Count') };
    },
    upload: async (name: string, content: Buffer<ArrayBuffer>) => {
      const file = new FormData();
      file.append('file', new Blob([content]), name);
      return read(await call('POST', '/files', { file }), 200, shapes.file);
    },
    tokens: async () => read(await call('GET', '/tokens'), 200, shapes.token.array()),
    webhooks: {
      subscribe: async (json: object) => read(await call('POST', '/webhooks', { json }), 201, shapes.subscription),
      list: async () => read(await call('GET', '/webhooks'), 200, z.object({ subscriptions: shapes.subscription.array() })).subscriptions,
      change: async (id: string, json: object) => read(await call('PATCH', `/webhooks/${id}`, { json }), 200, shapes.subscription),
    },
    swap: {
      quote: async (json: object) => read(await call('POST', '/swap', { json }), 200, shapes.quote),
      commit: async (json: object) => read(await call('POST', '/swap/commit', { json }), 200, shapes.committedQuote),
    },
  };
}

export type Caller = ReturnType<typeof createCaller>;

interface Request {
  token?: string;
  query?: Record<string, string>;
  json?: object;
  form?: Record<string, string>;
  file?: FormData;
}

interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

/** An answer of 400 and above, in the shape that the specification has for errors. */
export class Refusal extends Error {
  readonly status: number;
  readonly errors: Record<string, string>;

  constructor(status: number, message: string, errors: Record<string, string>) {
    super(message);
    this.status = status;
    this.errors = errors;
  }
}

const refusal = z.object({
  code: z.int(),
  status: z.string(),
  message: z.string().min(1),
  errors: z.record(z.string(), z.string()).optional(),
});

async function send(baseUrl: string, method: string, path: string, { token, query = {}, json, form, file }: Request): Promise<Answer> {
  const parameters = new URLSearchParams(query).toString();
  const body = file ?? (form ? new URLSearchParams(form) : JSON.stringify(json));
  const headers = {
    Accept: 'application/vnd.ledger.api-v2+json',
    ...(json ? { 'Content-Type': 'application/json' } : {}),
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
  };
  const response = await fetch(`${baseUrl}${path}${parameters === '' ? '' : `?${parameters}`}`, {
    method,
    headers,
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  const isRedirect = response.status >= 300 && response.status < 400;
  if (isRedirect) return { status: response.status, headers: response.headers, body: undefined };
  const answer = { status: response.status, headers: response.headers, body: JSON.parse(text) as unknown };
  if (response.status < 400) return answer;
  const { code, status, message, errors = {} } = refusal.parse(answer.body);
  if (code !== response.status || status !== STATUS_CODES[code]) throw new Error(`${response.status} was answered as ${code} ${status}`);
  throw new Refusal(code, message, errors);
}

function read<Shape extends z.ZodType>({ status, body }: Answer, expected: number, shape: Shape): z.infer<Shape> {
  if (status !== expected) throw new Error(`${status} instead of ${expected}: ${JSON.stringify(body)}`);
  return shape.parse(body);
}

/** What links an address, signed by its key. */
export const linkSentence = 'I hereby declare that I am the address owner.';

/** The text that authorizes a payment; no two have the same time. */
export function paymentText(currency: string, amount: string, to: string): string {
  moment += 1;
  return `Send ${currency.toUpperCase()} ${amount} to ${to} at ${new Date(Date.now() + moment).toISOString()}`;
}
let moment = 0;

/** The signature of an owner of a Safe, made off chain: EIP-712 over the hash of the text, as Safe contracts expect it. */
export function safeSignature(owner: PrivateKeyAccount, safe: Hex, chainId: number, text: string): Promise<Hex> {
  return owner.signTypedData({
    domain: { chainId, verifyingContract: safe },
    types: { SafeMessage: [{ name: 'message', type: 'bytes' }] },
    primaryType: 'SafeMessage',
    message: { message: hashMessage(text) },
  });
}

/** A verifier of PKCE and its challenge (S256). */
export function pkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

interface SignIn {
  wallet: PrivateKeyAccount;
  chainId: number;
  redirectUri: string;
  resources: string[] | undefined;
}

/** An EIP-4361 message and its signature. */
export async function siwe({ wallet, chainId, redirectUri, resources }: SignIn): Promise<{ message: string; signature: Hex }> {
  const message = createSiweMessage({
    domain: new URL(redirectUri).host,
    address: wallet.address,
    uri: redirectUri,
    version: '1',
    chainId,
    nonce: randomBytes(12).toString('hex'),
    issuedAt: new Date(),
    expirationTime: new Date(Date.now() + 300_000),
    ...(resources ? { resources } : {}),
  });
  return { message, signature: await wallet.signMessage({ message }) };
}

/** The event in a delivery. Throws when no signature is right, or the time is more than five minutes off. */
export function verifiedEvent(secret: string, headers: Record<string, unknown>, rawBody: string) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (Math.abs(Number(timestamp) - Date.now() / 1_000) > 300) throw new Error('the delivery is too old, or too new');
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const digest = createHmac('sha256', key)
    .update(`${String(id)}.${String(timestamp)}.${rawBody}`)
    .digest('base64');
  if (!String(signatures).split(' ').includes(`v1,${digest}`)) throw new Error('no signature is right');
  return shapes.webhookEvent.parse(JSON.parse(rawBody));
}
