import type { Order, Schemas } from './operations.ts';

/** What the service tells a subscriber. `id` names the event: a delivery may come twice, and then it is the same. */
export type WebhookEvent = { id: string; timestamp: string } & (
  | { type: 'subscription.created' }
  | { type: 'order.created' | 'order.updated'; data: Order }
  | { type: 'profile.updated'; data: Schemas['Profile'] }
  | { type: 'profile.error'; data: { id: string; kind: 'personal' | 'corporate'; errors: { field: string; reason: string }[] } }
  | { type: 'iban.updated'; data: Schemas['Iban'] }
);

export type OrderEvent = Extract<WebhookEvent, { type: 'order.created' | 'order.updated' }>;

/** A request that was not sent by the service, or not just now: answer it with a refusal and do nothing. */
export class MintrailWebhookError extends Error {
  override readonly name = 'MintrailWebhookError';
}

export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

/** Seconds by which the clocks of sender and receiver may differ. */
const tolerance = 5 * 60;

/**
 * The event in a request that was sent by the service, signed by one of the subscription's secrets (Standard Webhooks).
 * `body` is the request's as it came, before any parsing. Throws MintrailWebhookError when it is not from there.
 */
export async function verifyWebhook(secrets: string | string[], headers: WebhookHeaders, body: string | Uint8Array): Promise<WebhookEvent> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  const age = Date.now() / 1_000 - (/^\d+$/.test(timestamp) ? Number(timestamp) : Number.NaN);
  if (!(Math.abs(age) <= tolerance))
    throw new MintrailWebhookError(`The time "${timestamp}" of the event is not within five minutes of now`);
  const signed = concatenate(`${id}.${timestamp}.`, body);
  for (const secret of [secrets].flat()) {
    const key = await importKey(secret);
    for (const signature of signatures) if (await isSignature(key, signature, signed)) return { ...parse(body), id };
  }
  throw new MintrailWebhookError('No signature of the event is by a secret of the subscription');
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value =
    headers instanceof Headers ? headers.get(name) : Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
  if (typeof value === 'string' && value !== '') return value;
  throw new MintrailWebhookError(`The request has no header ${name}`);
}

/** The key is what the secret's text stands for, after the prefix that tells that it is one. */
async function importKey(secret: string) {
  const bytes = decode(secret.replace(/^whsec_/, ''));
  if (!bytes?.length) throw new TypeError('A webhook secret must be whsec_ and base64');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** WebCrypto compares in constant time. */
async function isSignature(
  key: Awaited<ReturnType<typeof importKey>>,
  signature: string,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const digest = signature.startsWith('v1,') ? decode(signature.slice('v1,'.length)) : undefined;
  return digest !== undefined && crypto.subtle.verify('HMAC', key, digest, signed);
}

function concatenate(head: string, body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  const [first, second] = [head, body].map((part) => (typeof part === 'string' ? new TextEncoder().encode(part) : part)) as [
    Uint8Array,
    Uint8Array,
  ];
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

function decode(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function parse(body: string | Uint8Array): WebhookEvent {
  return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)) as WebhookEvent;
}
