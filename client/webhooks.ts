import type { Order, Schemas } from './operations.ts';

/** An event as the service delivers it. The `id` is the event's: a repeated delivery has the same one. */
export type WebhookEvent = { id: string; timestamp: string } & (
  | { type: 'subscription.created' }
  | { type: 'order.created' | 'order.updated'; data: Order }
  | { type: 'profile.updated'; data: Schemas['Profile'] }
  | { type: 'profile.error'; data: { id: string; kind: 'personal' | 'corporate'; errors: { field: string; reason: string }[] } }
  | { type: 'iban.updated'; data: Schemas['Iban'] }
);

/** An event of an order, as the order stream has it; `data` is the whole order. No webhook is sent when an order is held. */
export type OrderEvent = { id: string; timestamp: string; type: 'order.created' | 'order.held' | 'order.updated'; data: Order };

/** The request was not sent by the service, or not just now. Answer it with 400 and do nothing. */
export class MintrailWebhookError extends Error {
  override readonly name = 'MintrailWebhookError';
}

/** The headers of a request, as the web platform or as Node has them. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

/** Seconds by which the clocks of sender and receiver may differ. */
const toleranceSeconds = 5 * 60;

/**
 * Verifies that the service sent a request, signed by one of the subscription's secrets (Standard Webhooks), and returns its event.
 * `body` must be the raw body, before any parsing. Throws MintrailWebhookError when the request is not from the service.
 */
export async function verifyWebhook(secrets: string | string[], headers: WebhookHeaders, body: string | Uint8Array): Promise<WebhookEvent> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  const age = Date.now() / 1_000 - (/^\d+$/.test(timestamp) ? Number(timestamp) : Number.NaN);
  if (!(Math.abs(age) <= toleranceSeconds))
    throw new MintrailWebhookError(`The time "${timestamp}" of the event is not within five minutes of now`);
  const signed = concatenate(`${id}.${timestamp}.`, body);
  for (const secret of [secrets].flat()) {
    const key = await importKey(secret);
    for (const signature of signatures) if (await isSignature(key, signature, signed)) return { ...parse(body), id };
  }
  throw new MintrailWebhookError('No signature of the event was made with a secret of the subscription');
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value =
    headers instanceof Headers ? headers.get(name) : Object.entries(headers).find(([header]) => header.toLowerCase() === name)?.[1];
  if (typeof value === 'string' && value !== '') return value;
  throw new MintrailWebhookError(`The request has no header ${name}`);
}

/** The key is the base64 text behind the prefix. */
async function importKey(secret: string) {
  const bytes = decode(secret.replace(/^whsec_/, ''));
  if (!bytes?.length) throw new TypeError('A webhook secret must be whsec_ and base64');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** WebCrypto compares signatures in constant time. */
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
