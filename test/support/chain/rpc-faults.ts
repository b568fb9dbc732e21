import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * How a node fails. `refusesSend` returns the text with which the node refuses a signed transaction, or undefined to pass it on; `answers` are
 * results by method that the node does not have from its chain. An Error as result is answered as an error, with its code.
 */
export type RpcFault =
  | 'refuses'
  | 'hangs'
  | 'cuts'
  | 'null'
  | 'empty'
  | 'not JSON'
  | 'one error for all'
  | 'drops the first'
  | { status: number }
  /** Answers after so many milliseconds, all or only these methods. */
  | { lateMs: number; methods?: readonly string[] }
  | { refusesSend: (raw: string) => string | undefined }
  | { answers: Record<string, unknown> }
  | { error: RpcFailure }
  /** Answers logs of at most so many blocks at once, and the error to who asks for more. */
  | { refusesLogsOver: bigint; error: RpcFailure }
  /** Answers something else: what the functions make of the true results of their methods. */
  | { lies: Partial<Record<string, Lie>> };

interface RpcFailure {
  code: number;
  message: string;
  data?: unknown;
}

/** Makes a false result of a true one. */
export type Lie = (result: unknown, params: readonly unknown[]) => unknown;

/** A proxy in front of a node, which fails as a test wants. */
export interface FaultyRpc {
  url: string;
  /** How many HTTP requests have come so far, of all methods or of one. */
  requests(method?: string): number;
  /** How many callers wait for an answer of a node that hangs. */
  waiting(): number;
  /** Fails every request in this way until `heal` is called. */
  fail(fault: RpcFault): Promise<void>;
  heal(): Promise<void>;
  /** Stands in front of another node from now on. */
  leadTo(target: string): void;
  close(): Promise<void>;
}

type Request = { id: number; method: string; params?: unknown[] };

/** Starts the proxy in front of the node at `target`. */
export async function startFaultyRpc(target: string): Promise<FaultyRpc> {
  let node = target;
  const sockets = new Set<Socket>();
  const state: { fault: RpcFault | undefined; requests: number; waiting: number } = { fault: undefined, requests: 0, waiting: 0 };
  const ofMethods = new Map<string, number>();
  const count = (method: string) => void ofMethods.set(method, (ofMethods.get(method) ?? 0) + 1);
  const server = createServer((request, response) => {
    state.requests += 1;
    if (state.fault === 'hangs') {
      state.waiting += 1;
      response.once('close', () => (state.waiting -= 1));
    }
    answer({ target: node, fault: state.fault, count }, request, response).catch(() => response.destroy());
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const port = await listen(server, 0);
  const hangUp = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    requests: (method) => (method === undefined ? state.requests : (ofMethods.get(method) ?? 0)),
    waiting: () => state.waiting,
    async fail(fault) {
      if (fault === 'refuses' && server.listening) await hangUp();
      if (fault !== 'refuses' && !server.listening) await listen(server, port);
      state.fault = fault;
    },
    async heal() {
      state.fault = undefined;
      if (!server.listening) await listen(server, port);
    },
    leadTo(other) {
      node = other;
    },
    async close() {
      if (server.listening) await hangUp();
    },
  };
}

interface Answering {
  target: string;
  fault: RpcFault | undefined;
  count: (method: string) => void;
}

async function answer({ target, fault, count }: Answering, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await read(request);
  for (const { method } of [JSON.parse(body) as Request | Request[]].flat()) count(method);
  if (fault === 'hangs') return;
  if (typeof fault === 'object' && 'status' in fault) {
    response.writeHead(fault.status).end('try again later');
    return;
  }
  const requests = JSON.parse(body) as Request | Request[];
  if (typeof fault === 'object' && 'lateMs' in fault) {
    const isLate = [requests].flat().some(({ method }) => fault.methods?.includes(method) ?? true);
    if (isLate) await delay(fault.lateMs);
  }
  const own = Array.isArray(requests) ? undefined : ownAnswer(fault, requests);
  if (own !== undefined) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(own);
    return;
  }
  const text =
    typeof fault === 'object' && 'error' in fault && !('refusesLogsOver' in fault)
      ? withError(requests, fault.error)
      : await spoil(fault, requests, await forward(target, body));
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  if (fault !== 'cuts') response.end(text);
  else response.write(text.slice(0, text.length / 2), () => response.destroy());
}

/** What the node answers by itself, without its chain; undefined for what it passes on. */
function ownAnswer(fault: RpcFault | undefined, { id, method, params }: Request): string | undefined {
  const failure = (message: string, code = -32_000) => JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
  if (typeof fault !== 'object') return undefined;
  if ('refusesSend' in fault && method === 'eth_sendRawTransaction') {
    const text = fault.refusesSend(String(params?.[0]));
    return text === undefined ? undefined : failure(text);
  }
  if ('refusesLogsOver' in fault) {
    const { fromBlock, toBlock } = (params?.[0] ?? {}) as Partial<Record<string, string>>;
    const isRefused = method === 'eth_getLogs' && fromBlock && toBlock && BigInt(toBlock) - BigInt(fromBlock) >= fault.refusesLogsOver;
    return isRefused ? JSON.stringify({ jsonrpc: '2.0', id, error: fault.error }) : undefined;
  }
  if (!('answers' in fault) || !Object.hasOwn(fault.answers, method)) return undefined;
  const result = fault.answers[method];
  return result instanceof Error
    ? failure(result.message, (result as { code?: number }).code)
    : JSON.stringify({ jsonrpc: '2.0', id, result });
}

async function spoil(fault: RpcFault | undefined, requests: Request | Request[], text: string): Promise<string> {
  if (fault === 'null') return each(requests, ({ id }) => ({ jsonrpc: '2.0', id, result: null }));
  if (fault === 'empty') return each(requests, ({ id }) => ({ jsonrpc: '2.0', id, result: '0x' }));
  if (fault === 'not JSON') return '<html>Bad gateway</html>';
  if (fault === 'one error for all') return JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32005, message: 'too many' } });
  // Some gateways answer only a part of a batch. A client that matches answers by position would take one for another.
  if (typeof fault === 'object' && 'lies' in fault) return withLies(fault.lies, requests, text);
  if (fault === 'drops the first' && Array.isArray(requests)) return JSON.stringify((JSON.parse(text) as unknown[]).slice(1));
  return text;
}

function withLies(lies: Partial<Record<string, Lie>>, requests: Request | Request[], text: string): string {
  const answers = [JSON.parse(text)].flat() as { id: number; result?: unknown }[];
  return each(requests, ({ id, method, params = [] }) => {
    const answer = answers.find((candidate) => candidate.id === id);
    const lie = lies[method];
    return lie ? { ...answer, result: lie(answer?.result, params) } : answer;
  });
}

function withError(requests: Request | Request[], error: RpcFailure): string {
  return each(requests, ({ id }) => ({ jsonrpc: '2.0', id, error }));
}

function each(requests: Request | Request[], answerTo: (request: Request) => unknown): string {
  return JSON.stringify(Array.isArray(requests) ? requests.map(answerTo) : answerTo(requests));
}

async function forward(target: string, body: string): Promise<string> {
  const response = await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return response.text();
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.removeListener('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
