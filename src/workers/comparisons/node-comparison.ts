import { setTimeout as delay } from 'node:timers/promises';
import { type Endpoint, rpcQuorum } from '../../chain/endpoints/endpoints.ts';
import { readAgreedSupply, type SupplyEvidence } from '../../chain/evidence/agreed-supply.ts';
import { tokensOn } from '../../ledger/book/accounts.ts';
import type { Comparison } from '../../ledger/reserve/comparison.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Loop } from '../../platform/loop.ts';
import type { NetworkSettings } from '../../platform/settings.ts';
import { compareIndexWithNodes, type IndexedSupplies, readIndexedSupplies } from '../../reconciliation/index-and-nodes.ts';
import type { Alarms } from '../alarms.ts';
import { createPace } from '../pacing/pace.ts';
import { type ComparisonDeps, startComparison } from './comparison-loop.ts';
import { createIndexCheck } from './index-check.ts';

/** What the comparison of the index with the nodes needs. */
export interface NodeComparisonDeps {
  ledger: Ledger;
  network: NetworkSettings;
  endpoints: readonly Endpoint[];
  alarms: Alarms;
  /** Milliseconds before endpoints that do not have the block yet are asked again. */
  pauseMs?: number;
}

/** Between two comparisons that hold: each costs calls at all endpoints. */
const intervalMs = 30_000;

/** Between two comparisons while one has no result, or does not hold. */
const retryIntervalMs = 5_000;

/** Some endpoints learn of a block later than the indexer's. */
const attempts = 3;
const defaultPauseMs = 1_000;

/** Comparisons in a row in which endpoints contradict each other before it is an alarm: on two forks they do for a moment. */
const disagreementsInARow = 3;

/** Subject of alarms about the supply. */
const subject = 'supply';

/** Starts the comparison of a network's indexed supply with what its nodes say of the same block. An index that does not add up is rebuilt instead. */
export function startNodeComparison(deps: NodeComparisonDeps & ComparisonDeps): Loop {
  const compare = createNodeComparison(deps);
  const isDamaged = createIndexCheck(deps);
  const pace = createPace();
  let dueAt = 0;
  const { chain, tokens } = deps.network;
  return startComparison({
    ...deps,
    comparison: 'nodes',
    // A currency whose difference is not certain yet has no result in a turn.
    lasting: Object.keys(tokens).map((currency) => ({ comparison: 'nodes', currency, account: tokensOn(chain), chain })),
    intervalMs: retryIntervalMs,
    async compare() {
      if (Date.now() < dueAt || !pace.isDue()) return [];
      if (await pace.run(isDamaged)) return [];
      const results = await compare();
      const agreeing = results.filter(({ difference }) => difference === 0n);
      if (agreeing.length === Object.keys(tokens).length) dueAt = Date.now() + intervalMs;
      return results;
    },
  });
}

/**
 * Creates the comparison of a network's indexed supply with `totalSupply` by a quorum of its endpoints at the same block, which has the confirmations of
 * the network below the newest indexed one. It has no result while
 * the indexer is not ready, fewer than a quorum have the block and its state, or they contradict each other. An endpoint that the others
 * outvote, and endpoints that contradict each other, are an alarm and never a difference. An indexer that is down keeps the rows of blocks that a
 * reorganisation has replaced, so a difference is a result only when the indexer has written a heartbeat since the look before, which found one, too.
 * Currencies that agree have their results meanwhile.
 */
export function createNodeComparison(deps: NodeComparisonDeps): () => Promise<Comparison[]> {
  const { ledger, network, alarms } = deps;
  let disagreements = 0;
  let heartbeatOfDifference: string | null | undefined;
  const judge = (evidence: SupplyEvidence) => {
    const text = contradictionOf(evidence);
    if (evidence.verdict === 'unavailable') return;
    disagreements = text === undefined ? 0 : disagreements + 1;
    if (text === undefined) alarms.clear('endpoints_disagree', subject);
    else if (disagreements >= disagreementsInARow) alarms.raise('endpoints_disagree', subject, text);
  };
  return async () => {
    const indexed = await readIndexedSupplies(ledger, network);
    if (indexed === undefined) return [];
    const evidence = await askNodes(deps, indexed);
    judge(evidence);
    if (evidence.verdict !== 'agreed') return [];
    const results = compareIndexWithNodes(network, indexed, evidence.supplies);
    const differs = results.some(({ difference }) => difference !== 0n);
    const hasLivedSince = heartbeatOfDifference !== undefined && heartbeatOfDifference !== indexed.heartbeat;
    heartbeatOfDifference = differs ? indexed.heartbeat : undefined;
    return hasLivedSince ? results : results.filter(({ difference }) => difference === 0n);
  };
}

async function askNodes(deps: NodeComparisonDeps, { block, tokens }: IndexedSupplies): Promise<SupplyEvidence> {
  const { network, endpoints, pauseMs = defaultPauseMs } = deps;
  const question = {
    chain: network.chain,
    endpoints,
    quorum: rpcQuorum(network),
    tokens: tokens.map(({ token }) => token),
    blockNumber: block,
  };
  let evidence = await readAgreedSupply(question);
  for (let attempt = 1; attempt < attempts && evidence.verdict === 'unavailable'; attempt += 1) {
    await delay(pauseMs);
    evidence = await readAgreedSupply(question);
  }
  return evidence;
}

function contradictionOf(evidence: SupplyEvidence): string | undefined {
  const remedy = 'Find out which of them lies, by a third source, and remove it';
  if (evidence.verdict === 'disagreement')
    return `The endpoints contradict each other about the supply of the tokens (in token units): ${evidence.text}. The supply is compared with none of them. ${remedy}`;
  if (evidence.verdict === 'agreed' && evidence.outvoted.length > 0)
    return `An endpoint says of the supply of the tokens (in token units) what the others do not: ${evidence.outvoted.join(', ')}. It is outvoted. ${remedy}`;
  return undefined;
}
