import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server';
import { createServer, type IncomingMessage, METHODS, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { StopError } from '../errors.ts';
import type { Log } from '../log.ts';
import { networkOfRequest } from './client-network.ts';
import { correlationHeader, correlationIdOf } from './correlation-id.ts';
import { createUnfinishedBodies } from './unfinished-bodies.ts';

/** The answer to an error. */
interface ErrorAnswer {
  status: number;
  body: object;
  headers?: Record<string, string>;
}

/** What an application knows of a request's connection; nothing of a request that came by no server. */
export interface AppBindings extends HttpBindings {
  /** Counts the body for who has proved to send it, such as an application, and no longer for its network. */
  proveSender?: (sender: string) => void;
}

/** The application behind a server, and how its connections are kept. */
export interface AppServerOptions {
  fetch: (request: Request, bindings: AppBindings) => Response | Promise<Response>;
  /** The answer of the application to an error that it has not seen. */
  answerError: (error: unknown, correlationId: string) => ErrorAnswer;
  /** How long a connection without a request is kept open. */
  keepAliveSeconds: number;
  /** Proxies before the server, which write the address of the client. */
  trustedProxies: number;
  /** Aborted when the process shuts down: answers then say that their connection ends. */
  closing: AbortSignal;
  log: Log;
}

/** Who sends a request without `Host`, as HTTP/1.0 allows, is answered as if it had named this one. */
const hostname = 'localhost';

/**
 * A head is one packet or two. Who connects and stays silent holds a socket for so long, while connections that have had a request are kept for longer.
 */
const headTimeoutMs = 15_000;

/** How often Node looks for requests that did not arrive in time. */
const timeoutCheckMs = 5_000;

/** How often bodies are looked for that do not arrive in time. */
const sweepMs = 1_000;

/** The methods of any application here, for `OPTIONS *` (RFC 9110, section 9.3.7). */
const methods = 'GET, HEAD, POST, PATCH, DELETE, OPTIONS';

/** What is still on its way when a connection is refused may arrive in this time: a connection that is destroyed at once takes the answer with it. */
const lingerMs = 1_000;

/**
 * A server of HTTP/1.1 for an application. What is wrong with a request before the application can see it has the status of RFC 9110, a body as the
 * application's own errors, a correlation id and a log line.
 */
export function createAppServer({ fetch, answerError, keepAliveSeconds, trustedProxies, closing, log }: AppServerOptions): Server {
  const answering = new Set<ServerResponse>();
  const bodies = createUnfinishedBodies();

  const render = (error: unknown, incoming?: IncomingMessage) => {
    const correlationId = correlationOf(incoming);
    const { status, body, headers } = answerError(error, correlationId);
    if (status >= 500 && !(error instanceof StopError)) log.error({ correlationId, err: error }, 'request failed');
    else log.info({ correlationId, method: incoming?.method, status }, 'request refused before the application');
    const fixed = {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      Connection: 'close',
      [correlationHeader]: correlationId,
    };
    return { status, text: JSON.stringify(body), headers: { ...fixed, ...headers } };
  };

  const endConnection = (socket: Duplex, error: unknown, incoming?: IncomingMessage) => {
    const { status, text, headers } = render(error, incoming);
    const lines = Object.entries({ ...headers, 'Content-Length': Buffer.byteLength(text), Date: new Date().toUTCString() });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${text}`);
    setTimeout(() => socket.destroy(), lingerMs).unref();
  };

  const options = {
    keepAliveTimeout: keepAliveSeconds * 1_000,
    headersTimeout: headTimeoutMs,
    connectionsCheckingInterval: timeoutCheckMs,
    // A request without `Host` is the application's to judge: in HTTP/1.0 it is valid.
    requireHostHeader: false,
  };
  const server = createServer(options, (incoming, outgoing) => {
    if (closing.aborted) outgoing.setHeader('Connection', 'close');
    if (incoming.method === 'OPTIONS' && incoming.url === '*') {
      outgoing.writeHead(204, { Allow: methods, [correlationHeader]: correlationOf(incoming) }).end();
      return;
    }
    bodies.add(incoming, networkOf(incoming, trustedProxies));
    answering.add(outgoing);
    outgoing.once('close', () => answering.delete(outgoing));
    const errorHandler = (error: unknown) => {
      const { status, text, headers } = render(error instanceof RequestError ? targetError(incoming) : error, incoming);
      return new Response(text, { status, headers });
    };
    const proveSender = (sender: string) => bodies.prove(incoming, sender);
    void getRequestListener((request, bindings) => fetch(request, Object.assign(bindings as HttpBindings, { proveSender })), {
      hostname,
      errorHandler,
    })(incoming, outgoing);
  });
  server.on('checkExpectation', (incoming, outgoing) => {
    const { status, text, headers } = render(unmetExpectation(), incoming);
    outgoing.writeHead(status, headers).end(text);
  });
  server.on('connect', (incoming, socket) => endConnection(socket, notImplemented(), incoming));
  server.on('clientError', (error: ParseError, socket) => {
    // The end of a connection that is refused already.
    if (socket.writableEnded) return;
    const isAnswered = Array.from(answering).some(({ req, headersSent }) => req.socket === socket && headersSent);
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswered) socket.destroy();
    else endConnection(socket, parseError(error));
  });
  const sweep = setInterval(() => {
    const error = Object.assign(new Error('the body did not arrive in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    for (const { socket } of bodies.sweep()) server.emit('clientError', error, socket);
  }, sweepMs).unref();
  server.once('close', () => clearInterval(sweep));
  closing.addEventListener('abort', () => {
    for (const outgoing of answering) if (!outgoing.headersSent) outgoing.setHeader('Connection', 'close');
  });
  return server;
}

function networkOf({ headers, socket: { remoteAddress } }: IncomingMessage, trustedProxies: number): string {
  return networkOfRequest({ remoteAddress, forwardedFor: headers['x-forwarded-for']?.toString(), trustedProxies });
}

function correlationOf(incoming: IncomingMessage | undefined): string {
  return correlationIdOf(incoming?.headers[correlationHeader.toLowerCase()]?.toString());
}

/** An error of Node's parser of HTTP. */
interface ParseError extends NodeJS.ErrnoException {
  /** What is wrong, in the parser's words. */
  reason?: string;
  /** The bytes that it was parsing. */
  rawPacket?: Buffer;
}

/** A request line, in contrast to bytes that are no HTTP; its method is the first group. */
const requestLine = /^([\w!#$%&'*+.^`|~-]+) \S+ HTTP\/1\.[01]\r\n/;

function parseError({ code, reason, rawPacket }: ParseError): StopError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new StopError({ code: 'request_head_too_large', message: 'The request line and the headers are larger than 16 kB' });
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW')
    return new StopError({ code: 'body_too_large', message: 'The extensions of the chunks are larger than 16 kB' });
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new StopError({ code: 'request_timeout', message: 'The request did not arrive in time' });
  const method = requestLine.exec(rawPacket?.toString('latin1') ?? '')?.[1];
  if (code === 'HPE_INVALID_METHOD' && method !== undefined && !METHODS.includes(method)) return notImplemented();
  const problem = reason === undefined ? '' : `: ${reason}`;
  return new StopError({ code: 'invalid_request', message: 'Validation errors', fields: { request: `is not HTTP/1.1${problem}` } });
}

/** The framework cannot make a URL of the host and the target of a request. */
function targetError({ headers: { host = '' }, url = '' }: IncomingMessage): StopError {
  const fields = URL.canParse(`http://${host}/`)
    ? { request: `has a target that is not valid: ${url.slice(0, 100)}` }
    : { Host: 'must be a host name with or without a port' };
  return new StopError({ code: 'invalid_request', message: 'Validation errors', fields });
}

function unmetExpectation(): StopError {
  const fields = { Expect: 'must be 100-continue, or left out' };
  return new StopError({ code: 'expectation_failed', message: 'Expectation failed', fields });
}

function notImplemented(): StopError {
  return new StopError({ code: 'not_implemented', message: 'The method of the request is none of this service' });
}
