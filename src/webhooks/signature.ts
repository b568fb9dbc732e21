import { createHmac } from 'node:crypto';
import { secretKey } from './secret.ts';

/** What is signed: the event's id, the body's exact text, and when it is sent. */
export interface Signed {
  id: string;
  body: string;
  sentAt: Date;
}

/**
 * The headers of a delivery, as Standard Webhooks has them (docs/api.md, Webhook signature). Every secret signs; a receiver
 * accepts when one of the signatures is that of the secret it knows.
 */
export function signatureHeaders({ id, body, sentAt }: Signed, secrets: readonly string[]) {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  const content = `${id}.${timestamp}.${body}`;
  const signatures = secrets.map((secret) => `v1,${createHmac('sha256', secretKey(secret)).update(content).digest('base64')}`);
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
