import { Agent, request } from 'node:http';
import { connect } from 'node:net';

/** What the answer to a hostile request was. */
export interface Answer {
  status: number;
  cookies: string;
  /** Where a redirect leads. */
  location: string;
  text: string;
}

/** A request of somebody who attacks. `from` is the address of this machine that it comes from, the first of the sender's unless it says another. */
export interface HostileRequest {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  from?: string;
}

/** Sends requests to an address and counts what they cost who sends them. */
export interface Sender {
  requests: number;
  bytes: number;
  /** How often each status was answered; 0 stands for a connection that ended without an answer. */
  statuses: Map<number, number>;
  /** One of its addresses, of which each is a network of its own. Nobody else has them. */
  address(number: number): string;
  send(hostile: HostileRequest): Promise<Answer>;
  /** Sends these bytes on a connection of their own, and keeps it open. Returns what closes it. */
  leaveOpen(bytes: string | Buffer): () => void;
}

/** Nothing is sent at first. `network` is that of the sender's addresses, from 1 to 254. */
export function createSender(base: string, network: number): Sender {
  const { hostname, port } = new URL(base);
  const agent = new Agent({ keepAlive: false });
  const sender: Sender = {
    requests: 0,
    bytes: 0,
    statuses: new Map(),
    address: (number) => `127.0.${network}.${number + 1}`,
    async send({ method = 'GET', path, headers = {}, body = '', from = sender.address(0) }) {
      sender.requests += 1;
      const { promise, resolve } = Promise.withResolvers<Answer>();
      const length = method === 'GET' ? {} : { 'content-length': Buffer.byteLength(body) };
      const sent = request({ hostname, port, path, method, agent, localAddress: from, headers: { ...headers, ...length } }, (response) => {
        const chunks: Buffer[] = [];
        const answered = () =>
          resolve({
            status: response.statusCode ?? 0,
            cookies: (response.headers['set-cookie'] ?? []).map((line) => line.split(';')[0]).join('; '),
            location: response.headers.location ?? '',
            text: Buffer.concat(chunks).toString(),
          });
        response.on('data', (chunk: Buffer) => void chunks.push(chunk)).once('close', answered);
      });
      sent.once('error', () => resolve({ status: 0, cookies: '', location: '', text: '' }));
      sent.end(body);
      const answer = await promise;
      sender.bytes += sent.socket?.bytesWritten ?? 0;
      sender.statuses.set(answer.status, (sender.statuses.get(answer.status) ?? 0) + 1);
      return answer;
    },
    leaveOpen(bytes) {
      sender.requests += 1;
      sender.bytes += Buffer.byteLength(bytes);
      const socket = connect({ host: hostname, port: Number(port), localAddress: sender.address(0) });
      socket
        .on('error', () => {})
        .resume()
        .write(bytes);
      return () => socket.destroy();
    },
  };
  return sender;
}
