import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MintrailWebhookError, verifyWebhook, type WebhookEvent } from '../../../client/index.ts';
import { messageOf, StopError } from '../../platform/errors.ts';

/** How a listener receives events; `secret` is that of the subscription. */
export interface ListenerOptions {
  /** Port on 127.0.0.1; 0 for a free one. */
  port: number;
  secret: string;
  /** Number of events to answer with 500 before the first is accepted. */
  failFirst?: number;
  /** Called with each event of the service; `status` is the answer to it. */
  onEvent: (event: WebhookEvent, status: number) => void;
  /** Called for each request that is not from the service or too old; it is answered with 401. */
  onInvalid: (reason: string) => void;
}

/** A listener that receives events at `url` until it is closed. */
export interface Listener {
  url: string;
  close(): Promise<void>;
}

/** More bytes than any event has. */
const mostBytes = 1_000_000;

/** Creates a secret for a subscription. */
export function createWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** Receives webhooks on the loopback address, and accepts only what is correctly signed. Throws `port_in_use`. */
export async function startListener({ port, secret, failFirst = 0, onEvent, onInvalid }: ListenerOptions): Promise<Listener> {
  let toFail = failFirst;

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let status = 401;
    try {
      const event = await verifyWebhook(secret, request.headers, await bodyOf(request));
      // A subscription whose validation fails is not created.
      status = toFail > 0 && event.type !== 'subscription.created' ? 500 : 200;
      if (status === 500) toFail -= 1;
      onEvent(event, status);
    } catch (error) {
      onInvalid(error instanceof MintrailWebhookError ? error.message : `the request could not be read: ${messageOf(error)}`);
    }
    response.writeHead(status).end();
  }

  const server = createServer((request, response) => void receive(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new StopError({ code: 'port_in_use', message: `Port ${port} cannot be used: ${cause.message}` })),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new MintrailWebhookError('The body is too large for an event');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
