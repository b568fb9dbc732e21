import { existsSync } from 'node:fs';
import { zeroAddress } from 'viem';
import { type Chain, chainIds } from '../../src/platform/chains.ts';
import { RetryError, StopError } from '../../src/platform/errors.ts';
import { type Fork, instanceFile, readInstance } from '../instance.ts';
import type { Currency } from '../../src/platform/money.ts';
import { checkToken } from './check-token.ts';
import type { ForkRequest } from './fork-options.ts';
import { createUpstream, type Upstream } from './upstream.ts';
import { UpstreamError, upstreamError } from './upstream-errors.ts';

/** What a sandbox is asked to fork, and where its data is. */
export interface PlanOptions {
  dataDir: string;
  /** Whether the stored data is deleted first. */
  fresh: boolean;
  requests: readonly ForkRequest[];
}

/** The forks of a sandbox, by network: those that it has already, and new ones. */
export type Forks = Partial<Record<Chain, Fork>>;

/** Blocks at the head that a reorganisation of a live network may still replace. */
const unsettledBlocks = 8;

/**
 * Decides what is forked, and pins each new fork to a block. Reads the upstreams and writes nothing. A fork that the sandbox has already goes on,
 * from another endpoint where one is named. Throws `wrong_chain`, `bad_input`, `not_possible` and `upstream_unavailable`.
 */
export async function planForks({ dataDir, fresh, requests }: PlanOptions): Promise<Forks> {
  const instance = !fresh && existsSync(instanceFile(dataDir)) ? readInstance(dataDir) : undefined;
  const forks: Forks = { ...instance?.forks };
  for (const request of requests) {
    const known = forks[request.chain];
    if (known) requireSame(request, known);
    else if (instance?.networks[request.chain])
      throw mismatch(`${request.chain} is a fresh chain in this sandbox, and cannot become a fork`);
    if (known?.url === request.url) continue;
    forks[request.chain] = await pin(request, known);
  }
  return forks;
}

function requireSame({ chain, block, tokens }: ForkRequest, known: Fork): void {
  if (block !== undefined && block !== known.block)
    throw mismatch(`the fork of ${chain} begins at block ${known.block}, and not at ${block}`);
  const differs = Object.entries(tokens).some(([currency, token]) => known.inherited[currency as keyof typeof known.inherited] !== token);
  if (differs) throw mismatch(`the tokens of the fork of ${chain} were chosen at its first start`);
}

async function pin({ chain, url, block: namedBlock, tokens }: ForkRequest, known: Fork | undefined): Promise<Fork> {
  const upstream = createUpstream({ chain, url, ...(namedBlock === undefined ? {} : { block: namedBlock }) });
  try {
    const chainId = Number(await upstream.request('eth_chainId', []));
    if (chainId !== chainIds[chain])
      throw new StopError({
        code: 'wrong_chain',
        message: `The upstream of --fork ${chain}, ${new URL(url).host}, serves the chain with id ${chainId}: ${chain} has the id ${chainIds[chain]}`,
      });
    const block = known?.block ?? namedBlock ?? (await recentBlock(upstream));
    const hash = await hashOf(upstream, { chain, url }, block);
    if (known && known.hash !== hash) throw mismatch(`the fork of ${chain} begins at a block ${block} that the new endpoint does not have`);
    // A node without the state of this block is found out now, and not when the first contract is called.
    await upstream.request('eth_getBalance', [zeroAddress, `0x${block.toString(16)}`]);
    if (known) return { ...known, url };
    for (const [currency, token] of Object.entries(tokens))
      await checkToken(upstream, { chain, block, currency: currency as Currency, token });
    return { url, block, hash, inherited: tokens };
  } catch (error) {
    throw error instanceof UpstreamError ? unavailable(error) : error;
  }
}

async function recentBlock(upstream: Upstream): Promise<number> {
  return Math.max(0, Number(await upstream.request('eth_blockNumber', [])) - unsettledBlocks);
}

async function hashOf(upstream: Upstream, { chain, url }: { chain: Chain; url: string }, block: number): Promise<`0x${string}`> {
  const atBlock = (await upstream.request('eth_getBlockByNumber', [`0x${block.toString(16)}`, false])) as { hash?: `0x${string}` } | null;
  if (atBlock?.hash) return atBlock.hash;
  const head = Number(await upstream.request('eth_blockNumber', []));
  if (block > head) throw invalid(`Block ${block} of --fork ${chain} is beyond the head of ${new URL(url).host}, which is ${head}`);
  throw upstreamError('pruned', { chain, url, block });
}

/** The error of an upstream that does not answer while the sandbox starts. */
export function unavailable(error: UpstreamError): RetryError {
  return new RetryError({ code: 'upstream_unavailable', message: error.message, cause: error });
}

function invalid(message: string): StopError {
  return new StopError({ code: 'bad_input', message });
}

function mismatch(what: string): StopError {
  return new StopError({
    code: 'not_possible',
    message: `${what.replace(/^./, (letter) => letter.toUpperCase())}. To fork anew, start with empty data: add --fresh`,
  });
}
