import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { ResourceNotFoundRpcError } from 'viem';
import { describeRpcError } from '../../chain/node-answer.ts';
import { blockHashOf } from '../../chain/endpoints/chain-of-answer.ts';
import { limitsRequests, nodeError, refusalOrFirst } from '../../chain/endpoints/outages.ts';
import type { SharedEndpoint } from '../../chain/endpoints/endpoints.ts';
import { firstAnswer } from '../../chain/endpoints/first-answer.ts';
import type { Running } from '../../platform/loop.ts';
import { type AgreedNetwork, createAgreedAnswers, DifferingAnswers } from './agreed-answers.ts';
import { isOfForm } from './answer-forms.ts';
import { within } from './within.ts';

/** All endpoints of a network as one, on a port of the loopback address. Only who knows its URL is served: endpoints may cost money. */
export interface EndpointProxy extends Running {
  url: string;
  /** Whether a request was given up, because no endpoint answered it or too few of them alike, since this was asked last. */
  hasFailed(): boolean;
}

/** Ponder gives an endpoint ten seconds, and then pauses, twice as long each time: what waits here goes on as soon as an endpoint answers. */
const longestHoldMs = 8_000;

/** Nodes behind one address learn of a block at different times. One that none knows after this was replaced. */
const unknownBlockMs = 2_000;

/** Between two attempts while no endpoint answers. One that rests is not bothered by them. */
const pauseMs = 250;

/**
 * Serves Ponder, whose own client asks its endpoints by chance, and pauses for a minute and more after an outage of all. A request is sent to the endpoints in
 * the order of their health; while none answers it, or all ask for fewer requests, it is held. The errors of nodes are passed on as they are: Ponder reads in
 * their texts how many blocks a node allows at once. A request that stays limited while others are answered ends with 429, to which Ponder adapts.
 * While none is answered it ends with 503: asking less often is of no use then, and makes Ponder come back late.
 * A block that a reorganisation has replaced is 404: after any other error Ponder asks for it for a minute, and for nothing else.
 * Blocks and logs are those on which endpoints agree (see `AgreedAnswers`); while they do not, the request is held as if no endpoint answered.
 */
export async function startEndpointProxy(network: AgreedNetwork): Promise<EndpointProxy> {
  const { endpoints } = network;
  const closing = new AbortController();
  const path = `/${randomBytes(16).toString('hex')}`;
  const agreed = createAgreedAnswers(network);
  let answeredAt: number | undefined;
  let hasFailed = false;
  const ask = async (request: JsonRpc): Promise<unknown> => {
    const result = await (isOfForm(request) ? agreed.ask(request) : askNode(endpoints, request));
    answeredAt = Date.now();
    return result;
  };
  const server = createServer((request, response) => {
    if (request.url !== path) return void response.writeHead(404).end();
    response.once('finish', () => (hasFailed ||= response.statusCode === 503));
    serve({ ...network, ask, answeredAt: () => answeredAt }, request, response, closing.signal).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve());
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    hasFailed() {
      const failed = hasFailed;
      hasFailed = false;
      return failed;
    },
    async close() {
      closing.abort();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

interface JsonRpc {
  id: unknown;
  method: string;
  params?: unknown;
}

async function serve(
  network: AgreedNetwork & {
    ask: (request: JsonRpc) => Promise<unknown>;
    answeredAt: () => number | undefined;
  },
  request: IncomingMessage,
  response: ServerResponse,
  closing: AbortSignal,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const call = JSON.parse(Buffer.concat(chunks).toString('utf8')) as JsonRpc;
  const answer = (status: number, body: object) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id: call.id, ...body }));
  };
  const since = Date.now();
  const until = since + longestHoldMs;
  const hash = blockHashOf(call.params);
  for (;;) {
    try {
      return answer(200, { result: await within(until - Date.now(), network.ask(call)) });
    } catch (failure) {
      const node = nodeError(failure);
      const error = node
        ? { code: node.code, message: node.details, data: node.data }
        : { code: -32603, message: describeRpcError(failure) };
      const isLimit = limitsRequests(failure);
      const isOfBlock = hash !== undefined && !isLimit && (node !== undefined || failure instanceof DifferingAnswers);
      const isReplaced = isOfBlock && (await isUnknown(network, hash));
      if (node && !isLimit && !isReplaced) return answer(200, { error });
      if (isReplaced && Date.now() + pauseMs >= since + unknownBlockMs)
        return answer(404, { error: { code: ResourceNotFoundRpcError.code, message: `the endpoints do not have the block ${hash}` } });
      if (response.destroyed || closing.aborted) return;
      if (Date.now() + pauseMs >= until) return answer(isLimit && (network.answeredAt() ?? 0) >= since ? 429 : 503, { error });
      await delay(pauseMs);
    }
  }
}

/**
 * The answer of the first endpoint that has one. Where a node answers with an error the next may have what it lacks; when none has, that error is thrown, however
 * the others failed. Endpoints check of which chain they are: Ponder would take the blocks of another chain for a reorganisation.
 */
function askNode(endpoints: readonly SharedEndpoint[], { method, params }: JsonRpc): Promise<unknown> {
  return firstAnswer(endpoints, { method, params }, ({ rpc }) => rpc.request({ method, params } as never), refusalOrFirst);
}

/** Whether endpoints answer that there is no such block, and none has it, or too few others are left that could agree on it: those are noted, and asked last. */
async function isUnknown({ endpoints, quorum }: AgreedNetwork, hash: string): Promise<boolean> {
  const question = { method: 'eth_getBlockByHash', params: [hash, false] };
  const blocks = await Promise.all(
    endpoints.map(({ rpc }) => rpc.request(question as never).catch(() => undefined) as Promise<object | null | undefined>),
  );
  const denials = blocks.filter((block) => block === null).length;
  const those = endpoints.filter((_, index) => blocks[index]);
  const isOutvoted = endpoints.length > quorum && denials > endpoints.length - quorum;
  if (isOutvoted)
    for (const { health } of those)
      health.failures.note('eth_getBlockByNumber', new Error(`it has the block ${hash}, and the others have not`));
  return denials > 0 && (those.length === 0 || isOutvoted);
}
