import { setTimeout } from 'node:timers/promises';
import { formatGwei } from 'viem';
import type { NetworkSettings } from '../platform/settings.ts';
import type { Endpoint } from './endpoints/endpoints.ts';
import { feeCeiling, unprovenTip } from './fee-policy.ts';
import { type FeeMarket, lowerMedian, readFeeMarket } from './fees.ts';
import type { Rpc } from './endpoints/rpc.ts';

/** A price above this part of the ceiling is many times the usual (docs/settings.md): a single endpoint's word does not suffice for it. */
const usualPriceDivisor = 4n;

/** How long the endpoints that hang hold up those that have answered. */
const patienceMs = 2_000;

/** What a market is read from. */
export interface MarketDeps {
  rpc: Rpc;
  /** Each endpoint of the network; without them, `rpc` alone. */
  endpoints?: readonly Endpoint[] | undefined;
  network: NetworkSettings;
}

/** A market, and whose word it is. */
export interface AgreedMarket extends FeeMarket {
  /** What each endpoint says, for the operator. Empty when the network has one endpoint, or none was asked by name. */
  sources: string;
}

/**
 * Reads the market for a new transaction from the first endpoint that answers, or from all where that one asks for many times what is usual. Throws
 * what the node throws.
 */
export async function readMarket(deps: MarketDeps): Promise<AgreedMarket> {
  const { rpc, network } = deps;
  const market = await readFeeMarket(rpc, unprovenTip(network));
  const isUsual = (market.baseFeePerGas + market.tipPerGas) * usualPriceDivisor <= feeCeiling(network, 1n);
  return isUsual ? { ...market, sources: '' } : readAgreedMarket(deps);
}

/**
 * Reads the market from all endpoints: the median of what they say, the lower of two in the middle, so that the minority changes nothing. One that
 * fails or hangs has no voice. Throws what the node throws when none answers.
 */
export async function readAgreedMarket({ rpc, endpoints = [], network }: MarketDeps): Promise<AgreedMarket> {
  if (endpoints.length < 2) return { ...(await readFeeMarket(rpc, unprovenTip(network))), sources: '' };
  const answers: { name: string; market: FeeMarket }[] = [];
  const reads = endpoints.map(async (endpoint) => {
    answers.push({ name: endpoint.name, market: await readFeeMarket(endpoint.rpc, unprovenTip(network)) });
  });
  await unlessLate(Promise.allSettled(reads));
  if (answers.length === 0) await Promise.any(reads).catch(({ errors }: AggregateError) => Promise.reject(errors[0]));
  const said = [...answers];
  return {
    baseFeePerGas: lowerMedian(said.map(({ market }) => market.baseFeePerGas)) ?? 0n,
    tipPerGas: lowerMedian(said.map(({ market }) => market.tipPerGas)) ?? 0n,
    sources: said.map(({ name, market }) => `${name} says ${formatGwei(market.baseFeePerGas)} gwei`).join(', '),
  };
}

async function unlessLate(all: Promise<unknown>): Promise<void> {
  const timer = new AbortController();
  await Promise.race([all, setTimeout(patienceMs, undefined, { signal: timer.signal }).catch(() => {})]);
  timer.abort();
}
