import { createReadStream } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { RetryError } from './errors.ts';

/** A scanner that is busy queues what it is sent; after this time it counts as unavailable. */
const defaultTimeoutMs = 30_000;

const chunkBytes = 64 * 1024;

/**
 * The name of the malware that clamd finds in a file; `undefined` when it finds none. `address` is the path of its socket, or its host and port. Throws
 * `antivirus_unavailable` when it does not answer in time or cannot scan the file, and the reason of the signal. Protocol: clamd(8), command INSTREAM. Own code, since the packages for
 * it look for programs of an installation on the same machine.
 */
export async function findVirus(
  file: string,
  address: string,
  { signal, timeoutMs = defaultTimeoutMs }: { signal?: AbortSignal; timeoutMs?: number } = {},
): Promise<string | undefined> {
  let reply: string;
  try {
    reply = await scan(file, address, AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]));
  } catch (error) {
    signal?.throwIfAborted();
    throw unavailable(error);
  }
  if (reply === 'stream: OK') return undefined;
  const malware = /^stream: (.+) FOUND$/.exec(reply)?.[1];
  if (malware === undefined) throw unavailable(new Error(`clamd answered ${JSON.stringify(reply.slice(0, 100))}`));
  return malware;
}

async function scan(file: string, address: string, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const socket = open(address);
  const abort = () => socket.destroy(signal.reason as Error);
  signal.addEventListener('abort', abort);
  try {
    const reply = readAll(socket);
    reply.catch(() => {});
    await write(socket, 'zINSTREAM\0');
    for await (const chunk of createReadStream(file, { highWaterMark: chunkBytes }) as AsyncIterable<Buffer>) {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(chunk.length);
      await write(socket, Buffer.concat([length, chunk]));
    }
    await write(socket, Buffer.alloc(4));
    return (await reply).replace(/\0.*$/s, '');
  } finally {
    signal.removeEventListener('abort', abort);
    socket.destroy();
  }
}

function open(address: string): Socket {
  const [, host = '', port = ''] = /^(.+):(\d+)$/.exec(address) ?? [];
  return host === '' ? connect(address) : connect({ host, port: Number(port) });
}

function write(socket: Socket, data: string | Buffer): Promise<void> {
  return new Promise((resolve, reject) => socket.write(data, (error) => (error ? reject(error) : resolve())));
}

async function readAll(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}

function unavailable(cause: unknown): RetryError {
  return new RetryError({
    code: 'antivirus_unavailable',
    message: 'The virus scanner does not answer: upload the file again in a minute',
    cause,
  });
}
