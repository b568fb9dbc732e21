import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A mail server as others run them. */
export interface TestMailServer {
  port: number;
  /** The mails that it has taken, as they were sent. */
  received: string[];
  options: SMTPServerOptions;
  close(): Promise<void>;
}

/** Starts one that takes every mail, from whoever connects, if these options do not say otherwise. */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<TestMailServer> {
  const received: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, _session, callback) => {
      let text = '';
      stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
      stream.on('end', () => {
        received.push(text);
        callback();
      });
    },
    ...options,
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    options: server.options,
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  };
}
