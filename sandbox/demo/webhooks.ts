import { createClient, type WebhookEvent } from '../../client/index.ts';
import { webhookLine } from '../../src/cli/webhook/line.ts';
import { createWebhookSecret, startListener } from '../../src/cli/webhook/listener.ts';
import { type DemoContext, waitFor } from './shared-steps.ts';

/** Webhooks: a partner receives the events of a payment to its customer's IBAN. */
export async function demonstrateWebhooks({ file, printer }: DemoContext, iban: string): Promise<void> {
  const client = createClient({ baseUrl: file.apiUrl, ...file.applications.whitelabel });
  const events: WebhookEvent[] = [];
  const secret = createWebhookSecret();
  printer.step('The partner receives a webhook for each event, and verifies its signature');
  const receiver = await startListener({
    port: 0,
    secret,
    onEvent: (event) => void events.push(event),
    onInvalid: (reason) => printer.fact('answered 401', reason),
  });
  let subscription: string | undefined;
  try {
    const { id } = await client.post('/webhooks', {
      body: { url: receiver.url, secret, types: ['order.created', 'order.updated'] },
    });
    subscription = id;
    printer.fact('subscription', `${id} to ${receiver.url}`);
    const payer = { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' };
    const { order } = await client.post('/sandbox/credits', { body: { iban, amount: '12.00', currency: 'eur', payer } });
    const ofOrder = () => events.filter((event) => 'data' in event && 'id' in event.data && event.data.id === order?.id);
    await waitFor('The events of the order', async () => ofOrder().some(({ type }) => type === 'order.updated') || undefined);
    for (const event of ofOrder()) printer.fact('event', webhookLine(event));
  } finally {
    if (subscription) await client.request('delete', '/webhooks/{subscription}', { path: { subscription } });
    await receiver.close();
  }
}
