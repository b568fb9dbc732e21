// Receives events: verifies each, takes it once, and answers before it works on it.
//   WEBHOOK_SECRET=whsec_… node examples/webhook-receiver/receiver.ts
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import process from 'node:process';
import { MintrailWebhookError, verifyWebhook, type WebhookEvent } from 'mintrail-client';

const { WEBHOOK_SECRET: secret = '', PORT: port = '4000' } = process.env;
if (secret === '') throw new Error('WEBHOOK_SECRET is missing: it is what you subscribe with (POST /webhooks)');

/** Longer than any event of the service. A body beyond it is somebody else's. */
const mostBytes = 1_000_000;

/** Ids of events that were taken. Yours belong into a table with a unique key, written in the transaction that acts on the event. */
const taken = new Set<string>();

const server = createServer((request, response) => {
  receive(request, response).catch((error: unknown) => {
    // Anything but 2xx is sent again: after an outage of your own, that is what you want.
    console.error('not taken:', error);
    response.writeHead(error instanceof MintrailWebhookError ? 400 : 500).end();
  });
});
server.listen(Number(port), '127.0.0.1', () => console.log(`Listening on http://127.0.0.1:${port}/`));

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  // The signature is that of the bytes as they came: verify before you parse.
  const event = await verifyWebhook(secret, request.headers, await read(request));
  if (!taken.has(event.id)) {
    taken.add(event.id);
    act(event);
  }
  response.writeHead(204).end();
}

function act(event: WebhookEvent): void {
  if (event.type !== 'order.created' && event.type !== 'order.updated') return console.log(event.type);
  // The event has the whole order. Events of one order come in their order; those of several may overtake each other.
  const { id, kind, state, amount, currency } = event.data;
  console.log(`${event.type} ${id} ${kind} ${amount} ${currency} ${state}`);
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new MintrailWebhookError('The body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
