// Receives the events of orders. It needs API, ID, SECRET, and RECEIVER, the address under which this program is reached.
// #region receive
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createClient, MintrailWebhookError, verifyWebhook } from 'mintrail-client';

const { API = '', ID = '', SECRET = '', RECEIVER = 'http://127.0.0.1:0' } = process.env;
const secret = `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64')}`;

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  try {
    const event = await verifyWebhook(secret, request.headers, Buffer.concat(chunks));
    // Record the event under its id, and answer. Work on it afterwards: an answer that takes ten seconds counts as a failure.
    console.log('received', event.id, event.type);
    response.writeHead(204).end();
  } catch (error) {
    response.writeHead(error instanceof MintrailWebhookError ? 400 : 500).end();
  }
}
const server = createServer((request, response) => void receive(request, response));
server.listen(Number(new URL(RECEIVER).port), new URL(RECEIVER).hostname);
// #endregion
await new Promise((resolve) => server.once('listening', resolve));
const address = server.address() as { port: number };
const url = `http://127.0.0.1:${address.port}/hook`;

// #region subscribe
const mintrail = createClient({ baseUrl: API, clientId: ID, clientSecret: SECRET });
const subscription = await mintrail.post('/webhooks', { body: { url, secret, types: ['order.created', 'order.updated'] } });
// #endregion

// #region missed
const query = { state: ['failed' as const] };
const path = { subscription: subscription.id };
for await (const delivery of mintrail.pages('/webhooks/{subscription}/deliveries', { path, query }))
  await mintrail.post('/webhooks/{subscription}/deliveries/{delivery}/replay', { path: { ...path, delivery: delivery.id } });
// #endregion
server.close();
console.log('done', subscription.state);
