import type { Pool } from 'pg';
import type { Evidence } from '../chain/evidence/evidence.ts';
import type { Head } from '../chain/head.ts';
import type { Rpc } from '../chain/endpoints/rpc.ts';
import { indexedOutcomes, indexedOutcomesBetween } from '../indexed/outcomes.ts';
import { type Progress, readNews } from '../indexed/progress.ts';
import { readIndexed } from '../indexed/read-indexed.ts';
import { channelOf, hasOutcomes, viewsSchema } from '../indexed/schema-names.ts';
import {
  type DecidedLeg,
  findDecidedLegs,
  findDisregardedOutcomes,
  findLegsDecidedBy,
  hasSentLegs,
  type OutcomeFilter,
} from '../ledger/lanes/decided-legs.ts';
import { renumberLegs } from '../ledger/lanes/renumber-legs.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { mostTracedOrders, tracesOf } from '../ledger/orders/traces/order-traces.ts';
import { settleLegs } from '../ledger/orders/settling/settle-legs.ts';
import { beginRecovery } from '../ledger/recoveries.ts';
import { awaitedComparison } from '../ledger/recovery/outcome-audits.ts';
import { listen } from '../platform/postgres/listen.ts';
import type { Log } from '../platform/log.ts';
import { type Loop, startLoop } from '../platform/loop.ts';
import type { NetworkSettings } from '../platform/settings.ts';
import type { Alarms } from './alarms.ts';
import { createEndpointAlarms, type EndpointAlarms } from './endpoint-alarms.ts';
import { createOutcomeAlarms, type OutcomeAlarms, type UnprovenTransactions } from './outcome-alarms.ts';
import { createOutcomeAudit } from './outcome-audit.ts';
import { createPace } from './pacing/pace.ts';
import { proveOutcomes } from './proven-outcomes.ts';
import { createUsedNumberAlarms, type UsedNumberAlarms } from './used-number-alarms.ts';

/** What settling a network needs. */
export interface SettlerDeps {
  ledger: Ledger;
  network: NetworkSettings;
  evidence: Evidence;
  head: Pick<Head, 'number' | 'outage'>;
  log: Log;
  alarms: Alarms;
  /** Reads the calldata of transactions that the ledger has not recorded. */
  rpc?: Pick<Rpc, 'getTransaction'> | undefined;
  /** The pause after looking at all sent legs, as a multiple of how long that took; in between only new outcomes are looked at. */
  restFactor?: number | undefined;
  /** The time in milliseconds; by default the process's clock. */
  now?: (() => number) | undefined;
  /** Called when endpoints contradict each other, or the chain does not have what the index shows. */
  onDisagreement?: ((between: 'endpoints' | 'index') => void) | undefined;
}

/** Applies indexed outcomes to legs. */
export interface Settler {
  /**
   * Applies the indexed outcomes that the confirmation policy covers and the endpoints prove to the legs they are about. Settles nothing
   * when the endpoints contradict each other, or when fewer than a quorum answer.
   */
  turn(): Promise<void>;
  /** Whether the last turn found sent legs, or a recovery that awaits a comparison: else a new block brings nothing before the index shows outcomes. */
  isWaiting(): boolean;
}

/** A look at all sent legs counts as this long, so that ten seconds pass before the next: each turn looks at the outcomes of new blocks. */
const shortestRunMs = 500;

/** Legs settled in one database transaction: few enough that its locks are short. */
const legsAtOnce = 2_000;

/** A turn ends after so many database transactions, and the next goes on. */
const roundsAtOnce = 20;

/** Between two polls, in case Ponder's notification is missed: while it waits, and while it does not. */
const pollIntervalsMs = { waiting: 1_000, idle: 5_000 };

/** Outcomes of others that the operator is shown. */
const disregardedOutcomesShown = 10;

/** What a settler tells the operator. */
interface SettlerAlarms {
  endpoints: EndpointAlarms;
  outcomes: OutcomeAlarms;
  usedNumbers: UsedNumberAlarms;
}

/** Starts a settler that takes its turns by itself: after each block and at least every second while it waits, and when the index has new outcomes. */
export function startSettler(deps: SettlerDeps & { directPool: Pool; head: Head }): Loop {
  const { directPool, network, head, log } = deps;
  const settler = createSettler(deps);
  return startLoop({
    name: `settler ${network.chain}`,
    intervalMs: pollIntervalsMs.idle,
    wokenBy: [
      (wake) =>
        listen(
          directPool,
          channelOf(viewsSchema(network.chain)),
          (payload) => (settler.isWaiting() || hasOutcomes(payload)) && wake(),
          log,
        ),
      // What the endpoints say of the block is known when the index has it.
      (wake) => head.onBlock(() => settler.isWaiting() && wake()),
    ],
    log,
    turn: async () => {
      await settler.turn();
      return settler.isWaiting() ? pollIntervalsMs.waiting : pollIntervalsMs.idle;
    },
  });
}

/**
 * Creates a settler that takes a turn whenever its caller lets it, and does nothing while the indexer is not ready. Nothing else ends a leg on chain. A turn looks at the outcomes of new blocks. That may
 * miss some, because Ponder's rows vanish for seconds after its restart, so all sent legs are looked at too: first, and then at a pace. The index only says where to look:
 * what settles is the receipt.
 */
export function createSettler(deps: SettlerDeps): Settler {
  const { ledger, network, now = Date.now } = deps;
  const alarms = {
    endpoints: createEndpointAlarms(network, deps.alarms, now),
    outcomes: createOutcomeAlarms(deps.alarms, now),
    usedNumbers: createUsedNumberAlarms({ ledger, network, alarms: deps.alarms, now }),
  };
  const audit = createOutcomeAudit(deps);
  const pace = createPace(deps.restFactor, deps.now, shortestRunMs);
  /** The outcomes up to this block have been applied to the legs that were sent then. Undefined until all sent legs have been looked at once. */
  let appliedUpTo: bigint | undefined;
  let isWaiting = true;
  let isCompared = true;

  async function settleUpTo(upToBlock: bigint): Promise<void> {
    const filter = { chain: network.chain, upToBlock, limit: legsAtOnce };
    let applied: Applied | undefined;
    if (appliedUpTo === undefined || pace.isDue()) applied = await pace.run(() => applyAll(filter));
    else if (upToBlock > appliedUpTo) applied = await applyNew(filter, appliedUpTo);
    if (applied?.isAll) appliedUpTo = upToBlock;
  }

  function applyNew(filter: Omit<OutcomeFilter, 'outcomes' | 'except'>, after: bigint): Promise<Applied | undefined> {
    const outcomes = indexedOutcomesBetween(network.chain, after, filter.upToBlock);
    return applyFound(deps, alarms, filter.upToBlock, (except) => findLegsDecidedBy(ledger, { ...filter, outcomes, except }));
  }

  async function applyAll(filter: Omit<OutcomeFilter, 'outcomes' | 'except'>): Promise<Applied | undefined> {
    const outcomes = indexedOutcomes(network.chain);
    const applied = await applyFound(deps, alarms, filter.upToBlock, (except) => findDecidedLegs(ledger, { ...filter, outcomes, except }));
    if (applied) alarms.outcomes.unproven(applied.unproven);
    const look = { ...filter, outcomes, except: [], limit: disregardedOutcomesShown };
    alarms.outcomes.disregarded((await readIndexed(() => findDisregardedOutcomes(ledger, look))) ?? []);
    return applied;
  }

  return {
    async turn() {
      await alarms.usedNumbers.recall();
      const facts = { isWaiting: hasSentLegs(network.chain), awaitedSince: awaitedComparison(network.chain) };
      const news = await readNews(ledger, network.chain, { hasNew: audit.hasNew(), facts });
      // Since its restart Ponder has dropped its tables' indexes: each look would read all outcomes, and hold up the views, whose owner waits for it.
      if (!news?.ready) return;
      isWaiting = news.isWaiting;
      isCompared = news.awaitedSince === null;
      // First: what it finds stops payments that a leg settled in this turn would release.
      await audit.turn(news);
      if (!isWaiting) return restAlarms(alarms);
      const upToBlock = await provableBlock(deps, alarms, news);
      if (upToBlock !== undefined) await settleUpTo(upToBlock);
    },
    isWaiting: () => isWaiting || !isCompared,
  };
}

/** Nothing waits for the endpoints. */
function restAlarms({ endpoints, outcomes }: SettlerAlarms): void {
  endpoints.idle();
  outcomes.unproven([]);
  outcomes.disregarded([]);
}

/** The newest block whose outcomes may be settled; undefined when there is nobody to prove it. */
async function provableBlock(deps: SettlerDeps, alarms: SettlerAlarms, progress: Progress): Promise<bigint | undefined> {
  const { network, head, evidence } = deps;
  const { confirmations } = network;
  const seen = head.number() ?? 0n;
  const confirmed = await evidence.confirmedBlock(seen > progress.block ? seen : progress.block);
  alarms.endpoints.answered(confirmed);
  if (confirmed.upTo === undefined) return undefined;
  // Where one endpoint is asked, the index is the second witness for the newest block.
  const indexed = progress.block - (typeof confirmations === 'number' ? BigInt(confirmations) : 0n);
  return confirmed.upTo < indexed ? confirmed.upTo : indexed;
}

/** What was applied of the outcomes that were looked at. */
interface Applied {
  /** Whether no outcome is left but the unproven ones, which are looked at again with all sent legs. */
  isAll: boolean;
  unproven: UnprovenTransactions;
}

/** Applies what `find` finds, except the outcomes that are not proven, until there is no more. Undefined while the endpoints or the index do not answer. */
async function applyFound(
  deps: SettlerDeps,
  alarms: SettlerAlarms,
  upToBlock: bigint,
  find: (unproven: UnprovenTransactions) => Promise<DecidedLeg[]>,
): Promise<Applied | undefined> {
  const unproven: UnprovenTransactions = [];
  let isLast = false;
  for (let rounds = 0; rounds < roundsAtOnce && !isLast; rounds += 1) {
    const decided = await readIndexed(() => find(unproven));
    if (decided === undefined) return undefined;
    const proof = await proveOutcomes(deps.evidence, decided);
    if (proof.state === 'disagreement') {
      deps.onDisagreement?.('endpoints');
      alarms.endpoints.disagree(proof.text);
    }
    if (proof.state === 'unavailable') alarms.endpoints.waits(proof.reason);
    if (proof.state !== 'complete') return undefined;
    await apply(deps, alarms, proof.proven, upToBlock);
    unproven.push(...proof.unproven);
    // A row that the chain does not have may stand in front of the true one of the same leg: it is left out in the next round.
    isLast = decided.length < legsAtOnce && proof.unproven.length === 0;
  }
  if (unproven.length > 0) deps.onDisagreement?.('index');
  alarms.endpoints.agree();
  return { isAll: isLast, unproven };
}

async function apply(deps: SettlerDeps, alarms: SettlerAlarms, legs: readonly DecidedLeg[], upToBlock: bigint): Promise<void> {
  const { ledger, log } = deps;
  const ended = legs.filter(({ effect }) => effect === 'ends');
  const unnumbered = legs.filter(({ effect }) => effect === 'number used');
  const foreign = new Set(ended.flatMap(({ txHash, isOwn }) => (isOwn ? [] : [txHash])));
  if (foreign.size > 0) await beginRecovery(ledger, deps.network.chain);
  for (const txHash of foreign) log.warn({ txHash }, 'legs are settled by a transaction that this ledger did not send');
  if (ended.length > 0) await settleLegs(ledger, ended);
  logSettled(deps, ended, upToBlock);
  if (unnumbered.length === 0) return;
  const used = unnumbered.map((leg) => ({ ...leg, sequence: BigInt(leg.sequence ?? 0) }));
  const { chain } = deps.network;
  if ((await readIndexed(() => renumberLegs(ledger, { chain, used, outcomes: indexedOutcomes(chain) }))) === undefined) return;
  for (const leg of unnumbered) alarms.usedNumbers.raise(leg);
}

/** Names the order of each leg, in as many lines as that takes. */
function logSettled({ log }: SettlerDeps, ended: readonly DecidedLeg[], upToBlock: bigint): void {
  for (let from = 0; from < ended.length; from += mostTracedOrders) {
    const legs = ended.slice(from, from + mostTracedOrders);
    const traces = tracesOf(legs.map(({ legOrderId, correlationId }) => ({ id: legOrderId, correlationId })));
    log.info({ legs: legs.length, block: upToBlock.toString(), ...traces }, 'legs settled');
  }
}
