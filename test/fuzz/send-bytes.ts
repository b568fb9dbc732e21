import { connect } from 'node:net';

/** What came back, as it is written; `status` is 0 when the server closed the connection without an answer. */
export interface RawAnswer {
  status: number;
  head: string;
  body: string;
}

/** An order stream has no end, so a part of it is read. */
const streamMs = 60;

/** Nothing takes that long; a server that leaves a connection open without an answer is a finding. */
const timeoutMs = 60_000;

/** Sends bytes over a connection of their own, and reads the answer to its end. A request that is cut off closes its half of the connection. */
export async function sendBytes(port: number, bytes: Buffer, { cutOff }: { cutOff: boolean }): Promise<RawAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
  const chunks: Buffer[] = [];
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: false }, () => {
    if (cutOff) socket.end(bytes);
    else socket.write(bytes);
  });
  const finish = () => {
    clearTimeout(timer);
    socket.destroy();
    resolve(parse(Buffer.concat(chunks)));
  };
  const timer = setTimeout(() => {
    socket.destroy();
    reject(new Error(`no answer within ${timeoutMs} ms`));
  }, timeoutMs);
  socket.on('data', (chunk: Buffer) => {
    if (chunks.push(chunk) === 1 && /^content-type: text\/event-stream/im.test(chunk.toString('latin1'))) setTimeout(finish, streamMs);
  });
  // A server that answers early may reset the connection while the rest of a large body is still being sent.
  socket.on('close', finish).on('error', finish);
  return promise;
}

function parse(bytes: Buffer): RawAnswer {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return { status: 0, head: bytes.toString('utf8'), body: '' };
  const head = bytes.subarray(0, end).toString('latin1');
  const rest = bytes.subarray(end + 4);
  // `100 Continue` announces the answer that follows (RFC 9110, section 15.2).
  if (head.startsWith('HTTP/1.1 100')) return parse(rest);
  const body = /^transfer-encoding: chunked/im.test(head) ? unchunked(rest) : rest;
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0), head, body: body.toString('utf8') };
}

function unchunked(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const size = lineEnd < 0 ? 0 : Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16);
    if (!size) break;
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 4 + size;
  }
  return Buffer.concat(parts);
}
