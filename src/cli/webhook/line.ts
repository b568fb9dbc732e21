import type { WebhookEvent } from '../../../client/index.ts';

/** An event as one line for people: type, event id, id of its subject, state, and the amount of an order. */
export function webhookLine(event: WebhookEvent): string {
  return [event.type.padEnd('subscription.created'.length), event.id, ...facts(event)].join('  ');
}

function facts(event: WebhookEvent): string[] {
  switch (event.type) {
    case 'order.created':
    case 'order.updated': {
      const { id, state, amount, currency, meta } = event.data;
      return [id, state, `${amount} ${currency}`, ...(meta.rejectedReason ? [meta.rejectedReason] : [])];
    }
    case 'profile.updated':
      return [event.data.id, event.data.state];
    case 'profile.error':
      return [event.data.id, event.data.errors.map(({ field, reason }) => `${field} ${reason}`).join(', ')];
    case 'iban.updated':
      return [event.data.iban, event.data.state];
    case 'subscription.created':
      return [];
  }
}
