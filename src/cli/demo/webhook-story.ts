import { createClient, type WebhookEvent } from '../../client/index.ts';
import { webhookLine } from '../webhook/line.ts';
import { createWebhookSecret, startListener } from '../webhook/listener.ts';
import { type Actors, waitFor } from './actors.ts';

/** A partner is told by webhooks what becomes of a payment to its customer's IBAN. */
export async function tellWebhookStory({ file, narrator }: Actors, iban: string): Promise<void> {
  const client = createClient({ baseUrl: file.apiUrl, ...file.applications.whitelabel });
  const events: WebhookEvent[] = [];
  const secret = createWebhookSecret();
  narrator.step('The partner is told what happens: a webhook for each event, which its receiver verifies');
  const receiver = await startListener({
    port: 0,
    secret,
    onEvent: (event) => void events.push(event),
    onRefused: (reason) => narrator.fact('refused', reason),
  });
  let subscription: string | undefined;
  try {
    const { id } = await client.post('/webhooks', {
      body: { url: receiver.url, secret, types: ['order.created', 'order.updated'] },
    });
    subscription = id;
    narrator.fact('subscription', `${id} of ${receiver.url}`);
    const payer = { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' };
    const { order } = await client.post('/sandbox/credits', { body: { iban, amount: '12.00', currency: 'eur', payer } });
    const ofOrder = () => events.filter((event) => 'data' in event && 'id' in event.data && event.data.id === order?.id);
    await waitFor('its events', async () => ofOrder().some(({ type }) => type === 'order.updated') || undefined);
    for (const event of ofOrder()) narrator.fact('event', webhookLine(event));
  } finally {
    if (subscription) await client.request('delete', '/webhooks/{subscription}', { path: { subscription } });
    await receiver.close();
  }
}
