import { type Address, type Hex, hexToBigInt, hexToNumber, numberToHex, padHex } from 'viem';
import { ancestry, type Block, blockAt, type Chain, findMined, nextBaseFee } from './chain.ts';
import { type Call, type CallOutcome, executeCall } from './execution.ts';
import { encodeResults, readMulticall } from './multicall.ts';
import { readTransaction } from './signed-transaction.ts';

/** An error that a node answers. */
export interface JsonRpcError {
  code: number;
  message: string;
  data?: Hex;
}

/** What a node answers to a request. */
export type JsonRpcAnswer = { result: unknown } | { error: JsonRpcError };

/** Calldata of `callGas` in src/chain/call-gas.ts: returns the gas that it was given. */
const gasCode = '0x5a60005260206000f3';

/** Most gas of a call that names none (go-ethereum's `--rpc.gascap`, bounded by EIP-7825). */
const maxCallGas = 16_777_216;

/** go-ethereum's estimate ends its search when it is this near. */
const estimateErrorRatio = 0.015;

type CallParameters = Partial<Record<'from' | 'to' | 'data' | 'input' | 'gas' | 'gasPrice' | 'maxFeePerGas' | 'maxPriorityFeePerGas', Hex>>;

class RpcFailure extends Error {
  readonly answer: JsonRpcError;
  constructor(answer: JsonRpcError) {
    super(answer.message);
    this.answer = answer;
  }
}

/** Methods that were asked for and that the simulated node does not know: each has to be added here. */
export const unknownMethods = new Set<string>();

/** Answers a request as a go-ethereum node whose chain ends with `tip`. */
export function answerRequest(chain: Chain, tip: Block, method: string, params: readonly unknown[]): JsonRpcAnswer {
  const handler = handlers[method];
  if (!handler) {
    unknownMethods.add(method);
    return { error: { code: -32_601, message: `the method ${method} does not exist/is not available` } };
  }
  try {
    return { result: handler({ chain, tip }, params as never) };
  } catch (error) {
    if (error instanceof RpcFailure) return { error: error.answer };
    throw error;
  }
}

interface View {
  chain: Chain;
  tip: Block;
}

const handlers: Record<string, (view: View, params: never) => unknown> = {
  eth_chainId: ({ chain }) => numberToHex(chain.rules.chainId),
  eth_blockNumber: ({ tip }) => numberToHex(tip.number),
  eth_getBlockByNumber: (view, [tag, isFull]: [string, boolean]) => renderBlock(view, resolve(view, tag), isFull),
  eth_getBlockByHash: (view, [hash, isFull]: [string, boolean]) => {
    const block = view.chain.find(hash);
    return renderBlock(view, block && isOn(view.tip, block) ? block : undefined, isFull);
  },
  eth_getTransactionCount: (view, [address, tag]: [string, string]) => {
    const used = stateAt(view, tag).nonces.get(address.toLowerCase()) ?? 0;
    return numberToHex(tag === 'pending' ? pendingCount(view.chain, address.toLowerCase(), used) : used);
  },
  eth_getBalance: (view, [address, tag]: [string, string]) => numberToHex(stateAt(view, tag).balances.get(address.toLowerCase()) ?? 0n),
  eth_getCode: (view, [address]: [string]) => {
    const { contracts, tokens } = view.tip.state;
    return contracts.get(address.toLowerCase())?.code ?? (tokens.has(address.toLowerCase()) ? '0x60006000fd' : '0x');
  },
  eth_call: (view, [parameters, tag]: [CallParameters, string]) => call(view, parameters, tag),
  eth_estimateGas: (view, [parameters]: [CallParameters]) => numberToHex(estimateGas(view, parameters)),
  eth_gasPrice: ({ chain, tip }) => numberToHex(tip.baseFee + chain.rules.minTip),
  eth_maxPriorityFeePerGas: ({ chain }) => numberToHex(chain.rules.minTip),
  eth_feeHistory: (view, [count, tag, percentiles]: [Hex, string, number[]]) => feeHistory(view, hexToNumber(count), tag, percentiles),
  eth_sendRawTransaction: ({ chain, tip }, [raw]: [Hex]) => {
    const transaction = readTransaction(raw);
    const refusal = findMined(tip, transaction.hash) ? 'already known' : chain.pool.add(transaction, tip.state);
    if (refusal !== undefined) throw new RpcFailure({ code: -32_000, message: refusal });
    return transaction.hash;
  },
  eth_getTransactionReceipt: ({ tip }, [hash]: [string]) => renderReceipt(tip, hash),
  eth_getTransactionByHash: ({ chain, tip }, [hash]: [string]) => renderTransaction(chain, tip, hash),
};

function isOn(tip: Block, block: Block): boolean {
  return blockAt(tip, block.number) === block;
}

function resolve({ chain, tip }: View, tag: string | undefined): Block | undefined {
  const behind = (depth: bigint) => blockAt(tip, tip.number > depth ? tip.number - depth : 0n);
  if (tag === undefined || tag === 'latest' || tag === 'pending') return tip;
  if (tag === 'safe') return behind(chain.rules.safeDepth);
  if (tag === 'finalized') return behind(chain.rules.finalizedDepth);
  if (tag === 'earliest') return blockAt(tip, 0n);
  return blockAt(tip, hexToBigInt(tag as Hex));
}

function stateAt(view: View, tag: string | undefined): Block['state'] {
  const block = resolve(view, tag);
  if (!block) throw new RpcFailure({ code: -32_000, message: 'header not found' });
  return block.state;
}

function pendingCount({ pool }: Chain, address: string, used: number): number {
  let next = used;
  while (pool.find(address, next)) next += 1;
  return next;
}

function readCall({ from, to, data, input, gas, gasPrice, maxFeePerGas }: CallParameters): Call {
  return {
    from: (from?.toLowerCase() ?? `0x${'0'.repeat(40)}`) as Address,
    to: to?.toLowerCase() as Address | undefined,
    data: data ?? input ?? '0x',
    gas: gas ? hexToNumber(gas) : maxCallGas,
    gasPrice: (gasPrice ?? maxFeePerGas) ? hexToBigInt((gasPrice ?? maxFeePerGas) as Hex) : 0n,
  };
}

function call(view: View, parameters: CallParameters, tag: string): Hex {
  const request = readCall(parameters);
  if (request.data === gasCode && !request.to) return padHex(numberToHex(request.gas), { size: 32 });
  const block = resolve(view, tag);
  if (!block) throw new RpcFailure({ code: -32_000, message: 'header not found' });
  const execute = (inner: Partial<Call>) => succeeded(executeCall(block.state, { ...request, ...inner }, block.timestamp)).result;
  const multicall = request.to === undefined ? readMulticall(request.data) : undefined;
  return multicall === undefined ? execute({}) : encodeResults(multicall.map(execute));
}

function succeeded(outcome: CallOutcome): Extract<CallOutcome, { status: 'success' }> {
  if (outcome.status === 'success') return outcome;
  if (outcome.status === 'reverted') throw new RpcFailure({ code: 3, message: 'execution reverted', data: outcome.data });
  throw new RpcFailure({ code: -32_000, message: 'out of gas' });
}

/** Like go-ethereum's estimator: with plenty first, then a search that begins at what was used. */
function estimateGas({ tip }: View, parameters: CallParameters): number {
  const request = readCall(parameters);
  let most = Math.min(request.gas, maxCallGas);
  const balance = tip.state.balances.get(request.from) ?? 0n;
  if (request.gasPrice > 0n && balance / request.gasPrice < BigInt(most)) most = Number(balance / request.gasPrice);
  const tryWith = (gas: number) => executeCall(tip.state, { ...request, gas }, tip.timestamp);
  const first = tryWith(most);
  if (first.status === 'out of gas') throw new RpcFailure({ code: -32_000, message: `gas required exceeds allowance (${most})` });
  let tooLittle = succeeded(first).gasUsed - 1;
  let enough = most;
  const optimistic = Math.floor(((tooLittle + 1 + 2_300) * 64) / 63);
  if (optimistic < most) {
    if (tryWith(optimistic).status === 'success') enough = optimistic;
    else tooLittle = optimistic;
  }
  while (tooLittle + 1 < enough && (enough - tooLittle) / enough > estimateErrorRatio) {
    const middle = Math.min(Math.floor((tooLittle + enough) / 2), tooLittle * 2);
    if (tryWith(middle).status === 'success') enough = middle;
    else tooLittle = middle;
  }
  return enough;
}

function feeHistory(view: View, count: number, tag: string, percentiles: readonly number[]): unknown {
  const newest = resolve(view, tag);
  if (!newest) throw new RpcFailure({ code: -32_000, message: 'header not found' });
  const blocks: Block[] = [];
  for (const block of ancestry(newest)) if (blocks.push(block) === count) break;
  blocks.reverse();
  return {
    oldestBlock: numberToHex(blocks[0]?.number ?? 0n),
    baseFeePerGas: [...blocks.map(({ baseFee }) => baseFee), nextBaseFee(newest, view.chain.rules.blockGas)].map((fee) => numberToHex(fee)),
    gasUsedRatio: blocks.map(({ gasUsed }) => gasUsed / view.chain.rules.blockGas),
    reward: blocks.map(({ marketTip }) => percentiles.map(() => numberToHex(marketTip))),
  };
}

function renderBlock({ chain, tip }: View, block: Block | undefined, isFull: boolean): unknown {
  if (!block) return null;
  return {
    number: numberToHex(block.number),
    hash: block.hash,
    parentHash: block.parent?.hash ?? padHex('0x', { size: 32 }),
    timestamp: numberToHex(block.timestamp),
    baseFeePerGas: numberToHex(block.baseFee),
    gasLimit: numberToHex(chain.rules.blockGas),
    gasUsed: numberToHex(block.gasUsed),
    transactions: block.transactions.map(({ transaction: { hash } }) => (isFull ? renderTransaction(chain, tip, hash) : hash)),
  };
}

function renderReceipt(tip: Block, hash: string): unknown {
  const mined = findMined(tip, hash);
  if (!mined) return null;
  const { block, executed, index, firstLogIndex } = mined;
  const { transaction, status, gasUsed, effectiveGasPrice, events } = executed;
  const where = {
    transactionHash: hash,
    transactionIndex: numberToHex(index),
    blockHash: block.hash,
    blockNumber: numberToHex(block.number),
  };
  return {
    ...where,
    type: '0x2',
    status: status === 'success' ? '0x1' : '0x0',
    from: transaction.from,
    to: transaction.to ?? null,
    contractAddress: null,
    gasUsed: numberToHex(gasUsed),
    cumulativeGasUsed: numberToHex(gasUsed),
    effectiveGasPrice: numberToHex(effectiveGasPrice),
    logsBloom: '0x',
    logs: events.map((event, position) => Object.assign({ logIndex: numberToHex(firstLogIndex + position), removed: false }, event, where)),
  };
}

function renderTransaction(chain: Chain, tip: Block, hash: string): unknown {
  const mined = findMined(tip, hash);
  const transaction = mined?.executed.transaction ?? chain.pool.all().find((pooled) => pooled.hash === hash);
  if (!transaction) return null;
  return {
    hash,
    type: '0x2',
    from: transaction.from,
    to: transaction.to ?? null,
    nonce: numberToHex(transaction.nonce),
    gas: numberToHex(transaction.gas),
    value: numberToHex(transaction.value),
    input: transaction.data,
    chainId: numberToHex(transaction.chainId),
    maxFeePerGas: numberToHex(transaction.maxFeePerGas),
    maxPriorityFeePerGas: numberToHex(transaction.maxPriorityFeePerGas),
    blockHash: mined?.block.hash ?? null,
    blockNumber: mined ? numberToHex(mined.block.number) : null,
    transactionIndex: mined ? numberToHex(mined.index) : null,
  };
}
