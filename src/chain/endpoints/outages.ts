import {
  BaseError,
  HttpRequestError,
  LimitExceededRpcError,
  ResponseBodyTooLargeError,
  RpcError,
  RpcRequestError,
  UnknownRpcError,
} from 'viem';

/** The codes of a limit of requests: of EIP-1474, of QuickNode, of gateways, and of HTTP. The first is used for too many results of one request, too. */
const limitCodes = new Set<number>([LimitExceededRpcError.code, -32_007, -32_016, -32_029, 429]);

/** What a text speaks of that is about its one request; `eth_getLogs` is a word of its own. A text may name the limit of requests beside it. */
const requestSizeText = /\b(ranges?|results|blocks|logs|size|too large)\b/i;

/** How nodes that have no code for it say that they limit requests. */
const limitText =
  /\brate.?limit|too many requests|\brequests? (count|limit)\b|\brequests per\b|\bquota\b|\bcompute units\b|(per |\/)(sec|second|minute|day)\b|\brps\b/i;

/** The error with which a node answers a request; undefined when there was no such answer. */
export function nodeError(error: unknown): RpcRequestError | undefined {
  if (!(error instanceof BaseError)) return undefined;
  return (error.walk((inner) => inner instanceof RpcRequestError) as RpcRequestError | null) ?? undefined;
}

/**
 * Whether a node asks for fewer requests, whatever its words; false when its text speaks of what this one request asks, such as a range of blocks. A contract
 * chooses the text of its revert, and must not make an endpoint rest.
 */
export function limitsRequests(error: unknown): boolean {
  const answer = nodeError(error);
  if (!answer)
    return error instanceof BaseError && error.walk((inner) => inner instanceof HttpRequestError && inner.status === 429) !== null;
  if (answer.code === 429) return true;
  if (/\brevert/i.test(answer.details) || requestSizeText.test(answer.details)) return false;
  return limitCodes.has(answer.code) || limitText.test(answer.details);
}

/** Whether a node answers with an error that is about the request. */
export function isRefusal(error: unknown): boolean {
  return nodeError(error) !== undefined && !limitsRequests(error);
}

/** Of the failures of several endpoints, the first by which a node refuses the request, or the first of all. */
export function refusalOrFirst(failures: readonly unknown[]): unknown {
  return failures.find(isRefusal) ?? failures[0];
}

/** Whether a node refuses a request because it is too much, such as a range of blocks. */
export function refusesSize(error: unknown): boolean {
  return isRefusal(error) && requestSizeText.test(nodeError(error)?.details ?? '');
}

/** Whether a node has more to answer than is read. */
export function isTooLong(error: unknown): boolean {
  return error instanceof BaseError && error.walk((inner) => inner instanceof ResponseBodyTooLargeError) !== null;
}

/** The code of an internal error, by JSON-RPC, and that of any error of a node, whose text says then what it is. */
const internalCodes = { internal: -32_603, any: -32_000 };

/** What texts speak of where the request is at fault, whatever their code: what a contract refuses, or what the node cannot know. */
const requestText = /\brevert|\bnot found\b|\bunknown\b|\bmissing\b|\bnonce\b|\bfunds\b|\bunderpriced\b/i;

/** Whether a node answers that it fails itself. By its text alone nobody knows: that another endpoint answers the same request shows it. */
export function isInternalError(error: unknown): boolean {
  const answer = nodeError(error);
  if (!answer || limitsRequests(error) || requestText.test(answer.details) || requestSizeText.test(answer.details)) return false;
  return answer.code === internalCodes.internal || (answer.code === internalCodes.any && /\binternal\b/i.test(answer.details));
}

/** An endpoint that answers for another chain, which is no answer. */
export class OtherChainError extends BaseError {
  override name = 'OtherChainError';
  readonly chainId: number;
  constructor(chainId: number) {
    super('The endpoint is of another chain:', { details: `it answers for the chain id ${chainId}.` });
    this.chainId = chainId;
  }
}

/** What a request fails with that no endpoint is asked, because all are of another chain. */
export const noEndpointOfChain = (): BaseError =>
  new BaseError('No endpoint of the network is of its chain:', { details: 'each answers with the id of another one.' });

/** What any node answers, whatever is asked of it besides. */
const vital = new Set(['eth_blockNumber', 'eth_chainId']);

/** Whether an endpoint did not answer as a node of the chain does, or asks for fewer requests. */
export function isOutage(error: unknown, method: string): boolean {
  if (vital.has(method) || limitsRequests(error) || error instanceof UnknownRpcError) return true;
  // What this one request asks is at fault.
  if (error instanceof HttpRequestError && (error.status === 400 || error.status === 413)) return false;
  if (isTooLong(error)) return false;
  return !(error instanceof RpcError || error instanceof RpcRequestError);
}
