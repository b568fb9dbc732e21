import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Running } from '../../src/platform/loop.ts';
import { type AnswerFile, openAnswerFile } from './answer-file.ts';
import { createHistorySlots, type HistorySlots } from './history-slots.ts';
import type { Upstream } from './upstream.ts';
import { UpstreamAnswerError } from './upstream-errors.ts';

/** What a fork reads of its upstream. */
export interface ForkSourceOptions {
  upstream: Upstream;
  /** The last block that the fork has of the live network. */
  block: number;
  /** File in which answers are kept. */
  file: string;
  /** Port of 127.0.0.1. */
  port: number;
  /** Accounts that are new on the live network, such as those of a new mnemonic. Nothing is asked of them. */
  newAccounts: readonly string[];
}

/** A node on the loopback address that has a live network's state up to the block of a fork, and asks the upstream for what it does not have yet. */
export interface ForkSource extends Running {
  url: string;
}

interface Request {
  id: unknown;
  method: string;
  params?: unknown[];
}

/** Calls whose last parameter is the block whose state they read. */
const stateMethods = new Set(['eth_getBalance', 'eth_getCode', 'eth_getTransactionCount', 'eth_call', 'eth_getProof']);

/** What was true when the fork began stays true for it. */
const constantMethods = new Set(['eth_chainId', 'net_version', 'eth_gasPrice', 'eth_maxPriorityFeePerGas', 'eth_blobBaseFee']);

/** Found by a hash, which changes nothing in them. */
const byHashMethods = new Set(['eth_getBlockByHash', 'eth_getTransactionByHash', 'eth_getTransactionReceipt']);

/** Further requests by which Anvil reads the past of a live network, or works out what a call would do there. */
const otherReadMethods = [
  'web3_clientVersion',
  'eth_blockNumber',
  'eth_feeHistory',
  'eth_estimateGas',
  'eth_createAccessList',
  'eth_simulateV1',
  'eth_getStorageAt',
  'eth_getLogs',
  'eth_getBlockByNumber',
  'eth_getBlockReceipts',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getUncleByBlockHashAndIndex',
  'eth_getUncleByBlockNumberAndIndex',
  'debug_traceTransaction',
  'trace_block',
  'trace_transaction',
];

/**
 * All that is handed on to the upstream: nothing that a live network would carry out. `eth_getAccountInfo` is not among them: few nodes have it, and
 * Anvil sends three requests that every node has instead.
 */
const readMethods = new Set([...stateMethods, ...constantMethods, ...byHashMethods, ...otherReadMethods]);

/** Hashes that the live network does not have, such as those of the fork's own transactions, which are looked for again and again. */
const mostUnknownHashes = 10_000;

/**
 * Starts the source of a fork. Every answer about the past of a live network is final, so it is asked for once and kept. An upstream that does
 * not answer is an error for the caller, never an answer.
 */
export async function startForkSource(options: ForkSourceOptions): Promise<ForkSource> {
  const answers = await openAnswerFile(options.file);
  const source = createSource(options, answers);
  const host = `127.0.0.1:${options.port}`;
  const server = createServer((incoming, response) => {
    if (!isLocal(incoming, host)) return void response.writeHead(403).end();
    serve(source, incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, '127.0.0.1', () => resolve());
  });
  return {
    url: `http://${host}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          answers.close();
          resolve();
        });
      }),
  };
}

interface Source {
  answer(method: string, params: readonly unknown[]): Promise<unknown>;
}

function createSource({ upstream, block, newAccounts }: ForkSourceOptions, answers: AnswerFile): Source {
  const history = createHistorySlots(block, answers);
  const isNew = new Set(newAccounts.map((account) => account.toLowerCase()));
  const unknownHashes = new Set<string>();
  const inFlight = new Map<string, Promise<unknown>>();

  const ask = async (key: string, method: string, params: readonly unknown[]): Promise<unknown> => {
    const answer = await upstream.request(method, params);
    if (answer === null && byHashMethods.has(method)) {
      if (unknownHashes.size >= mostUnknownHashes) unknownHashes.clear();
      unknownHashes.add(key);
    } else if (answer !== null && isFinal(method, params, block)) answers.write(key, answer);
    return answer;
  };

  return {
    async answer(method, params) {
      if (!readMethods.has(method)) throw new UpstreamAnswerError({ code: -32601, message: `a fork does not hand on ${method}` });
      const key = `${method} ${JSON.stringify(params)}`.toLowerCase();
      const known = answers.read(key) ?? ownAnswer(method, params, { answers, history, isNew });
      if (known !== undefined) return known;
      if (unknownHashes.has(key)) return null;
      const answer = inFlight.get(key) ?? ask(key, method, params).finally(() => inFlight.delete(key));
      inFlight.set(key, answer);
      return answer;
    },
  };
}

/** What follows without asking; undefined for everything else. */
function ownAnswer(
  method: string,
  params: readonly unknown[],
  { answers, history, isNew }: { answers: AnswerFile; history: HistorySlots; isNew: ReadonlySet<string> },
): unknown {
  const account = String(params[0]).toLowerCase();
  if (isNew.has(account)) {
    if (method === 'eth_getBalance' || method === 'eth_getTransactionCount') return '0x0';
    if (method === 'eth_getCode') return '0x';
  }
  if (method !== 'eth_getStorageAt') return undefined;
  if (history.isOverwritten(account, params[1])) return zeroWord;
  // An account that never sent anything and has no code has no storage: it may only come to have some on the fork.
  const isVoid = (name: string, value: string) =>
    answers.read(`${name} ["${account}",${JSON.stringify(params[2])}]`.toLowerCase()) === value;
  const isEmpty = isNew.has(account) || (isVoid('eth_getCode', '0x') && isVoid('eth_getTransactionCount', '0x0'));
  return isEmpty ? zeroWord : undefined;
}

const zeroWord = `0x${'0'.repeat(64)}`;

/** Whether the answer cannot change any more: it is about a block that the fork has of the live network. */
function isFinal(method: string, params: readonly unknown[], block: number): boolean {
  const isPast = (number: unknown): boolean => typeof number === 'string' && /^0x[0-9a-f]+$/i.test(number) && Number(number) <= block;
  if (constantMethods.has(method) || byHashMethods.has(method)) return true;
  if (stateMethods.has(method)) return isPast(params.findLast((param) => typeof param === 'string'));
  if (method === 'eth_getStorageAt') return isPast(params[2]);
  if (method === 'eth_getBlockByNumber' || method === 'eth_getBlockReceipts') return isPast(params[0]);
  if (method === 'eth_getLogs') return isPast((params[0] as { toBlock?: unknown } | undefined)?.toBlock);
  return false;
}

/**
 * Whether a program of this machine sent the request. A web page could spend the requests of the developer's account at the provider: browsers send
 * its origin, or the host name that it made resolve to this machine.
 */
function isLocal({ headers }: IncomingMessage, host: string): boolean {
  return headers.origin === undefined && headers.host === host;
}

async function serve(source: Source, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const body = JSON.parse(Buffer.concat(chunks).toString()) as Request | Request[];
  const answer = Array.isArray(body) ? await Promise.all(body.map((request) => answerTo(source, request))) : await answerTo(source, body);
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}

async function answerTo(source: Source, { id, method, params = [] }: Request): Promise<object> {
  try {
    return { jsonrpc: '2.0', id, result: await source.answer(method, params) };
  } catch (error) {
    if (error instanceof UpstreamAnswerError) return { jsonrpc: '2.0', id, error: error.error };
    return { jsonrpc: '2.0', id, error: { code: -32000, message: (error as Error).message } };
  }
}
