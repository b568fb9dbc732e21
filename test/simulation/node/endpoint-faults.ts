import { numberToHex } from 'viem';
import type { Random } from '../random.ts';
import type { Chain } from './chain.ts';
import type { JsonRpcAnswer, JsonRpcError } from './json-rpc.ts';

/** What a call gets instead of the node's answer. */
export type Spoiled = { result: unknown } | { error: JsonRpcError } | { outage: 'timeout' | 'unavailable' };

/** A call that is spoiled. */
interface SpoiledCall {
  method: string;
  params: readonly unknown[];
  random: Random;
  chain: Chain;
  /** The node's answer; undefined before the call. */
  answer?: JsonRpcAnswer | Spoiled;
}

/** One way in which an endpoint fails. */
interface EndpointFaultRules {
  /** The calls it hits; all of them where it is left out. */
  methods?: RegExp;
  /** Whether the call does not reach the node. */
  isBefore?: boolean;
  /**
   * `outage`: no answer, which may happen at any endpoint. `slip`: a single wrong answer, from any endpoint. `lie`: wrong answers again and again,
   * which only another endpoint can contradict.
   */
  nature: 'outage' | 'slip' | 'lie';
  /** What the call gets; undefined leaves the answer as it is. Left out where the endpoint's view of the chain is what fails. */
  spoil?: (call: SpoiledCall) => Spoiled | undefined;
}

const error = (message: string, code = -32_000): Spoiled => ({ error: { code, message } });
const gwei = 10n ** 9n;
const isSend = /^eth_sendRawTransaction$/;
const isCount = /^eth_getTransactionCount$/;

/** What is done with the answer of a count: nothing when there is none. */
function changeCount({ answer }: SpoiledCall, change: (count: number) => number): Spoiled | undefined {
  if (!answer || !('result' in answer)) return undefined;
  return { result: numberToHex(Math.max(0, change(Number(answer.result)))) };
}

/** Another number of the newest block. */
function changeHead({ method, params, random, answer }: SpoiledCall): Spoiled | undefined {
  if (!answer || !('result' in answer)) return undefined;
  const number = random.pick('head', ['0x2625a00', '0x0', '0xffffffff']);
  if (method === 'eth_blockNumber') return { result: number };
  return params[0] === 'latest' ? { result: { ...(answer.result as object), number } } : undefined;
}

/** A block in place of the one that was asked for by its tag. */
function changeTag({ params, chain }: SpoiledCall): Spoiled | undefined {
  if (params[0] !== 'finalized' && params[0] !== 'safe') return undefined;
  const tip = chain.tip();
  return {
    result: {
      number: numberToHex(tip.number + 3n),
      hash: tip.hash,
      parentHash: tip.hash,
      timestamp: numberToHex(tip.timestamp),
      baseFeePerGas: numberToHex(tip.baseFee),
      gasLimit: numberToHex(chain.rules.blockGas),
      gasUsed: numberToHex(tip.gasUsed),
      transactions: [],
    },
  };
}

const rules = {
  unreachable: { nature: 'outage', isBefore: true, spoil: () => ({ outage: 'unavailable' }) },
  'no answer': { nature: 'outage', isBefore: true, spoil: () => ({ outage: 'timeout' }) },
  'lost answer': { nature: 'outage', spoil: () => ({ outage: 'timeout' }) },
  'too many requests': { nature: 'outage', isBefore: true, spoil: () => error('rate limit exceeded', -32_005) },
  'internal error': { nature: 'outage', isBefore: true, spoil: () => error('internal error', -32_603) },
  'pruned state': {
    nature: 'outage',
    methods: isCount,
    isBefore: true,
    spoil: ({ params }) => (params[1] === 'latest' || params[1] === 'pending' ? undefined : error('missing trie node')),
  },
  'null answer': { nature: 'slip', methods: /^eth_(getTransactionReceipt|getBlockByNumber)$/, spoil: () => ({ result: null }) },
  'missing receipts': { nature: 'lie', methods: /^eth_getTransactionReceipt$/, spoil: () => ({ result: null }) },
  'stale view': { nature: 'slip' },
  frozen: { nature: 'lie' },
  'own fork': { nature: 'lie' },
  'other chain': { nature: 'lie' },
  'absurd head': { nature: 'slip', methods: /^eth_(blockNumber|getBlockByNumber)$/, spoil: changeHead },
  'count too high': {
    nature: 'slip',
    methods: isCount,
    spoil: (call) => changeCount(call, (count) => count + call.random.integer('by', 1, 5)),
  },
  'count absurd': { nature: 'slip', methods: isCount, spoil: (call) => changeCount(call, () => 1_000_000) },
  'count too low': {
    nature: 'slip',
    methods: isCount,
    spoil: (call) => changeCount(call, (count) => count - call.random.integer('by', 1, 3)),
  },
  'count always too high': { nature: 'lie', methods: isCount, spoil: (call) => changeCount(call, (count) => count + 3) },
  'inflated finality': { nature: 'lie', methods: /^eth_getBlockByNumber$/, isBefore: true, spoil: changeTag },
  'absurd tip': {
    nature: 'slip',
    methods: /^eth_(maxPriorityFeePerGas|gasPrice)$/,
    spoil: ({ random }) => ({ result: numberToHex(random.pick('tip', [0n, 1_000_000n * gwei, 40n * gwei])) }),
  },
  'swallowed send': { nature: 'lie', methods: isSend, isBefore: true, spoil: () => ({ result: `0x${'ab'.repeat(32)}` }) },
  'refused send: underpriced': { nature: 'slip', methods: isSend, isBefore: true, spoil: () => error('transaction underpriced') },
  'refused send: replacement underpriced': {
    nature: 'slip',
    methods: isSend,
    isBefore: true,
    spoil: () => error('replacement transaction underpriced'),
  },
  'refused send: capped': {
    nature: 'slip',
    methods: isSend,
    isBefore: true,
    spoil: () => error('tx fee (1.20 ether) exceeds the configured cap (1.00 ether)'),
  },
  'refused send: unfunded': {
    nature: 'slip',
    methods: isSend,
    isBefore: true,
    spoil: () => error('insufficient funds for gas * price + value: balance 0, tx cost 1, overshot 1'),
  },
  'refused send: false "already known"': { nature: 'slip', methods: isSend, isBefore: true, spoil: () => error('already known') },
  'refused send: false "nonce too low"': { nature: 'slip', methods: isSend, isBefore: true, spoil: () => error('nonce too low') },
  'refused send: pool full': { nature: 'slip', methods: isSend, isBefore: true, spoil: () => error('txpool is full') },
} satisfies Record<string, EndpointFaultRules>;

/** The name of a way in which an endpoint fails. */
export type EndpointFault = keyof typeof rules;

/** Every way in which an endpoint fails. */
export const endpointFaults: Record<EndpointFault, EndpointFaultRules> = rules;
