import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';

/** The libraries with which receivers verify deliveries. */
const verifiers = [StandardWebhook, SvixWebhook];

/** What a receiver does with a delivery: answers with a status, perhaps with headers, never answers, or resets the connection. */
export type Answer = number | { status: number; headers: Record<string, string> } | 'hang' | 'reset';

/** A delivery attempt as it arrived. */
export interface ReceivedDelivery {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** The `webhook-id`. */
  id: string;
  /** The event's type. */
  type: string;
  /** Id of the order or profile, or the IBAN, that the event is about; empty for `subscription.created`. */
  subject: string;
  /** How many signatures it carries. */
  signatures: number;
  answer: Answer;
}

/** A subscriber's HTTP server on loopback. */
export interface WebhookReceiver {
  /** The address of one of its paths. */
  url: (path?: string) => string;
  /** Every delivery attempt that was answered, in that order. */
  received: ReceivedDelivery[];
  /** Those that were answered with 2xx. */
  accepted: () => ReceivedDelivery[];
  /** From now on every delivery is answered so. */
  answerWith: (answer: Answer) => void;
  close: () => Promise<void>;
}

export interface WebhookReceiverOptions {
  /** What deliveries have to be signed with: others are answered with 401, and are not in `received`. Without it nothing is verified. */
  secret?: string;
  /** The answer to each delivery; without it, 200. */
  decide?: (delivery: Omit<ReceivedDelivery, 'answer'>) => Answer | Promise<Answer>;
}

/** Starts a receiver on a free port. */
export async function startWebhookReceiver({ secret, decide = () => 200 }: WebhookReceiverOptions = {}): Promise<WebhookReceiver> {
  const received: ReceivedDelivery[] = [];
  const state = { decide };
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const delivery = await readDelivery(request);
    if (secret !== undefined)
      for (const Webhook of verifiers) new Webhook(secret).verify(delivery.body, request.headers as Record<string, string>);
    const answer = await state.decide(delivery);
    received.push({ ...delivery, answer });
    if (answer === 'reset') request.socket.resetAndDestroy();
    else if (typeof answer === 'number') response.writeHead(answer).end();
    else if (answer !== 'hang') response.writeHead(answer.status, answer.headers).end();
  };
  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.writeHead(401).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: (path = '/hook') => `http://127.0.0.1:${port}${path}`,
    received,
    accepted: () => received.filter(({ answer }) => typeof answer === 'number' && answer >= 200 && answer < 300),
    answerWith(answer) {
      state.decide = () => answer;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function readDelivery(request: IncomingMessage): Promise<Omit<ReceivedDelivery, 'answer'>> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  const { headers, url: path = '' } = request;
  const { type, data } = JSON.parse(body) as { type: string; data?: { id?: string; iban?: string } };
  const signatures = String(headers['webhook-signature'] ?? '')
    .split(' ')
    .filter(Boolean).length;
  return { path, headers, body, type, subject: data?.id ?? data?.iban ?? '', id: String(headers['webhook-id'] ?? ''), signatures };
}
