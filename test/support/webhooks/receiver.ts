import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** What a receiver does with a delivery: answers with a status, says nothing, or cuts the connection. */
export type Answer = number | 'hang' | 'reset';

export interface Received {
  id: string;
  type: string;
  /** Id of what it is about; empty for `subscription.created`. */
  subject: string;
  body: string;
  answer: Answer;
  /** How many `v1,` values there were. */
  signatures: number;
}

export interface Receiver {
  url: string;
  /** All that came, in the order in which it came; each was verified with the `standardwebhooks` package. */
  received: Received[];
  /** Those that were taken: answered with 2xx. */
  taken: () => Received[];
  close(): Promise<void>;
}

/** A subscriber on a socket of its own. What its secret does not verify is answered 401, and kept in no list. */
export async function startReceiver(
  secret: string,
  decide: (delivery: Omit<Received, 'answer'>) => Answer | Promise<Answer> = () => 200,
): Promise<Receiver> {
  const webhook = new Webhook(secret);
  const received: Received[] = [];
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const headers = request.headers as Record<string, string>;
    const event = webhook.verify(body, headers) as { type: string; data?: { id?: string; iban?: string } };
    const signatures = headers['webhook-signature']?.split(' ').length ?? 0;
    const subject = event.data?.id ?? event.data?.iban ?? '';
    const delivery = { id: headers['webhook-id'] ?? '', type: event.type, subject, body, signatures };
    const answer = await decide(delivery);
    received.push({ ...delivery, answer });
    if (answer === 'reset') request.socket.resetAndDestroy();
    else if (answer !== 'hang') response.writeHead(answer).end();
  };
  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.writeHead(401).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    taken: () => received.filter(({ answer }) => typeof answer === 'number' && answer >= 200 && answer < 300),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
