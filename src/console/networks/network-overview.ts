import { z } from 'zod';
import { type Heartbeat, silentAfterSeconds } from '../../ledger/lanes/heartbeats.ts';
import { type TransactionInFlight, transactionsInFlight } from '../../ledger/lanes/in-flight.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type Chain, chainFacts, chainsOf } from '../../platform/chains.ts';
import { type Currency, tokenSymbol } from '../../platform/money.ts';
import type { NetworkSettings, Settings } from '../../platform/settings.ts';
import { readProblems } from '../../problems/read-status.ts';
import { renderProblem } from '../overview/render-status.ts';
import { formatGwei } from './amounts.ts';

/** Transactions in flight that are listed, of all networks together. */
const mostInFlight = 500;

const workerFacts = z.object({
  ok: z.boolean().catch(false),
  head: z.string().nullish(),
  outage: z.string().nullish(),
  lanes: z.array(z.object({ signer: z.string(), held: z.boolean(), inFlight: z.number(), outage: z.string().nullish() })).default([]),
});

const indexerFacts = z.object({
  ok: z.boolean().catch(false),
  ready: z.boolean().default(false),
  block: z.string().nullish(),
  head: z.string().nullish(),
});

/** Every configured network as its processes report it and the ledger has it. No node is asked. */
export async function readNetworks(ledger: Ledger, settings: Settings) {
  const [{ problems, warnings, heartbeats, openLegs }, inFlight] = await Promise.all([
    readProblems(ledger, settings),
    transactionsInFlight(ledger, mostInFlight),
  ]);
  return chainsOf(settings.networks).map((chain) => {
    const ofChain = <Row extends { chain: string }>(rows: readonly Row[]) => rows.filter((row) => row.chain === chain);
    const workers = ofChain(heartbeats).filter(({ component }) => component === 'worker');
    return Object.assign(describeNetwork(settings.networks[chain] as NetworkSettings), {
      worker: workerOf(workers),
      indexer: indexerOf(ofChain(heartbeats).filter(({ component }) => component === 'indexer')),
      lanes: lanesOf(workers, ofChain(inFlight)),
      problems: ofChain([...problems, ...warnings]).map(renderProblem),
      openLegs: ofChain(openLegs).map(({ kind, state, count, isMore, oldestSeconds }) => ({ kind, state, count, isMore, oldestSeconds })),
    });
  });
}

function describeNetwork({ chain, tokens, confirmations, blockTimeSeconds, feeCeilingGwei, rpcUrls }: NetworkSettings) {
  const { name, id, isTestnet, currency } = chainFacts(chain);
  return {
    chain,
    name,
    chainId: id,
    isTestnet,
    gasCurrency: currency.symbol,
    confirmations: typeof confirmations === 'number' ? `${confirmations} blocks` : confirmations,
    blockTimeSeconds,
    feeCeilingGwei: String(feeCeilingGwei),
    endpoints: rpcUrls.filter((url) => url.startsWith('http')).length,
    tokens: (Object.entries(tokens) as [Currency, string][]).map(([currency, address]) => ({
      currency,
      symbol: tokenSymbol(currency),
      address,
    })),
  };
}

/** The worker that works best of several copies. */
function workerOf(beats: readonly Heartbeat[]) {
  const beat = beats.find(({ facts }) => facts['ok'] === true) ?? beats[0];
  if (!beat) return { state: 'missing' as const, copies: 0, ageSeconds: null, head: null, outage: null };
  const { head = null, outage = null, ok } = workerFacts.parse(beat.facts);
  const state = beat.age >= silentAfterSeconds ? ('silent' as const) : ok ? ('running' as const) : ('failing' as const);
  return { state, copies: beats.length, ageSeconds: Math.round(beat.age), head, outage };
}

function indexerOf(beats: readonly Heartbeat[]) {
  const beat = beats[0];
  if (!beat) return { state: 'missing' as const, ageSeconds: null, block: null, behind: null };
  const { ok, ready, block = null, head } = indexerFacts.parse(beat.facts);
  const state =
    beat.age >= silentAfterSeconds ? ('silent' as const) : ok ? ('running' as const) : ready ? ('behind' as const) : ('reading' as const);
  const behind = block === null || head == null ? null : String(largerOrZero(BigInt(head) - BigInt(block)));
  return { state, ageSeconds: Math.round(beat.age), block, behind };
}

/** A head that was read before the index is not a negative lag. */
function largerOrZero(blocks: bigint): bigint {
  return blocks > 0n ? blocks : 0n;
}

/** Each signer once: of several workers, one holds its lane and the others are hot spares. */
function lanesOf(beats: readonly Heartbeat[], inFlight: readonly TransactionInFlight[]) {
  const alive = beats.filter(({ age }) => age < silentAfterSeconds);
  const seen = alive.flatMap(({ facts }, index) => {
    const worker = alive.length === 1 ? 'the worker' : `worker ${index + 1} of ${alive.length}`;
    return workerFacts.parse(facts).lanes.map(({ signer, held, outage }) => ({ signer, held, outage, worker }));
  });
  const signers = [...new Set([...seen.map(({ signer }) => signer), ...inFlight.map(({ signer }) => signer)])];
  return signers.map((signer) => {
    const ofSigner = seen.filter((lane) => lane.signer === signer);
    const holder = ofSigner.find(({ held }) => held);
    return {
      signer,
      heldBy: holder?.worker ?? null,
      outage: (holder ?? ofSigner[0])?.outage ?? null,
      inFlight: inFlight
        .filter((transaction) => transaction.signer === signer.toLowerCase())
        .map(({ nonce, kind, currency, legs, attempts, hash, maxFeePerGas, createdAt }) => ({
          nonce: String(nonce),
          kind,
          currency,
          legs,
          attempts,
          hash,
          maxFeeGwei: formatGwei(maxFeePerGas),
          createdAt,
        })),
    };
  });
}

/** The signers of a network whose addresses its workers have reported. */
export function signersOf(heartbeats: readonly Heartbeat[], chain: Chain): string[] {
  const lanes = heartbeats
    .filter((beat) => beat.component === 'worker' && beat.chain === chain)
    .flatMap(({ facts }) => workerFacts.safeParse(facts).data?.lanes ?? []);
  return [...new Set(lanes.map(({ signer }) => signer))];
}
