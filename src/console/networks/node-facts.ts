import { type Address, getAddress, isAddress } from 'viem';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { createEndpoints, type Endpoint, rpcQuorum } from '../../chain/endpoints/endpoints.ts';
import { suggestFees } from '../../chain/fees.ts';
import { describeRpcError } from '../../chain/node-answer.ts';
import { createRpc, type Rpc } from '../../chain/endpoints/rpc.ts';
import { readMintLimits } from '../../chain/token/mint-limits.ts';
import { chainFacts } from '../../platform/chains.ts';
import { MintrailError } from '../../platform/errors.ts';
import { type Currency, tokenSymbol } from '../../platform/money.ts';
import type { NetworkSettings } from '../../platform/settings.ts';
import { formatCoins, formatGwei, formatTokenAmount } from './amounts.ts';
import { withDeadline } from './deadline.ts';

/** So far below the lowest head, correct nodes of one chain have the same block. */
const settledDepth = 64n;

/**
 * What a network's nodes say at this moment: each endpoint by itself, whether they agree, what the signers have left, and the present fees. What does
 * not answer in time is shown as that, and never throws.
 */
export async function readNodeFacts(network: NetworkSettings, signers: readonly string[]) {
  const addresses = signers.filter((signer) => isAddress(signer)).map((signer) => getAddress(signer));
  const rpc = createRpc(network);
  const [endpoints, tokens, fees, accounts] = await Promise.all([
    readEndpoints(network),
    Promise.all(Object.entries(network.tokens).map(([currency, address]) => readToken(rpc, currency as Currency, address))),
    answerOf(async () => ({ maxFeeGwei: formatGwei((await suggestFees(rpc)).maxFeePerGas) })),
    Promise.all(addresses.map((address) => readSigner(rpc, network, address))),
  ]);
  return { ...endpoints, quorum: rpcQuorum(network), tokens, fees, signers: accounts, readAt: new Date() };
}

interface Head {
  number: bigint;
  timestamp: bigint;
}

async function readEndpoints(network: NetworkSettings) {
  const { id } = chainFacts(network.chain);
  const connected = createEndpoints(network);
  const read = await Promise.all(
    connected.map(async (endpoint) => {
      const startedAt = performance.now();
      const answer = await answerOf(async () => {
        const [chainId, head] = await Promise.all([endpoint.rpc.getChainId(), endpoint.rpc.getBlock({ blockTag: 'latest' })]);
        if (chainId !== id) throw new Error(`it serves chain ${chainId}, and not ${id}`);
        return { number: head.number, timestamp: head.timestamp } satisfies Head;
      });
      return { endpoint, answer, latencyMs: Math.round(performance.now() - startedAt) };
    }),
  );
  const heads = read.flatMap(({ endpoint, answer }) => ('error' in answer ? [] : [{ endpoint, number: answer.number }]));
  const highest = heads.reduce((most, { number }) => (number > most ? number : most), 0n);
  return {
    agreement: await readAgreement(heads),
    endpoints: read.map(({ endpoint, answer, latencyMs }) =>
      'error' in answer
        ? { name: hostOf(endpoint), error: answer.error, head: null, behind: null, headAt: null, latencyMs: null }
        : {
            name: hostOf(endpoint),
            error: null,
            head: String(answer.number),
            behind: String(highest - answer.number),
            headAt: new Date(Number(answer.timestamp) * 1_000),
            latencyMs,
          },
    ),
  };
}

/** Whether the endpoints that answer have the same block, some way below the lowest of their heads. */
async function readAgreement(heads: readonly { endpoint: Endpoint; number: bigint }[]) {
  if (heads.length < 2) return { state: 'single' as const, block: null, detail: null };
  const lowest = heads.reduce((least, { number }) => (number < least ? number : least), heads[0]?.number ?? 0n);
  const blockNumber = lowest > settledDepth ? lowest - settledDepth : 0n;
  const block = String(blockNumber);
  const answers = await Promise.all(
    heads.map(async ({ endpoint }) => {
      const answer = await answerOf(async () => ({ hash: (await endpoint.rpc.getBlock({ blockNumber })).hash }));
      return { name: hostOf(endpoint), hash: 'error' in answer ? undefined : answer.hash };
    }),
  );
  const byHash = Map.groupBy(
    answers.filter(({ hash }) => hash !== undefined),
    ({ hash }) => hash,
  );
  if (byHash.size <= 1) return { state: byHash.size === 0 ? ('unknown' as const) : ('agree' as const), block, detail: null };
  const detail = [...byHash].map(([hash, group]) => `${group.map(({ name }) => name).join(', ')}: ${hash}`).join('; ');
  return { state: 'disagree' as const, block, detail };
}

async function readToken(rpc: Rpc, currency: Currency, address: Address) {
  const answer = await answerOf(async () => ({
    paused: await rpc.readContract({ address, abi: eMoneyTokenAbi, functionName: 'paused' }),
  }));
  return { currency, symbol: tokenSymbol(currency), address: getAddress(address), ...answer };
}

async function readSigner(rpc: Rpc, { chain, tokens }: NetworkSettings, address: Address) {
  const { decimals, symbol } = chainFacts(chain).currency;
  const answer = await answerOf(async () => {
    const [balance, mined, pending, limits] = await Promise.all([
      rpc.getBalance({ address }),
      rpc.getTransactionCount({ address, blockTag: 'latest' }),
      rpc.getTransactionCount({ address, blockTag: 'pending' }),
      Promise.all(Object.entries(tokens).map(async ([currency, token]) => readLimits(rpc, currency as Currency, token, address))),
    ]);
    return { gas: formatCoins(balance, decimals), gasCurrency: symbol, nextNonce: mined, pendingNonce: pending, limits };
  });
  return { address, ...answer };
}

async function readLimits(rpc: Rpc, currency: Currency, token: Address, signer: Address) {
  const { allowance, daily, mintable } = await readMintLimits(rpc, token, signer);
  return {
    currency,
    symbol: tokenSymbol(currency),
    allowance: formatTokenAmount(allowance),
    daily: formatTokenAmount(daily),
    mintable: formatTokenAmount(mintable),
  };
}

/** An answer of a node, or why there is none. */
async function answerOf<T extends object>(ask: () => Promise<T>): Promise<T | { error: string }> {
  try {
    return await withDeadline(ask());
  } catch (error) {
    return { error: error instanceof MintrailError ? error.message : describeRpcError(error) };
  }
}

/** The host alone, as the page has no room for the protocol. */
function hostOf({ name }: Endpoint): string {
  return name.replace(/^https?:\/\//, '');
}
