import { createHmac } from 'node:crypto';
import { secretKey } from './secret.ts';

/** What a delivery's signature covers: the event's id, the exact text of the body, and the time of sending. */
export interface SignedContent {
  id: string;
  body: string;
  sentAt: Date;
}

/**
 * The headers of a delivery as Standard Webhooks defines them (docs/api.md, Webhook signature). There is one signature for
 * each secret, so that a receiver can verify with the one it knows. Throws `invalid_request` for a malformed secret.
 */
export function signatureHeaders({ id, body, sentAt }: SignedContent, secrets: readonly string[]) {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  const content = `${id}.${timestamp}.${body}`;
  const signatures = secrets.map((secret) => `v1,${createHmac('sha256', secretKey(secret)).update(content).digest('base64')}`);
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
