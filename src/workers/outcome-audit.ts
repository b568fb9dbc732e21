import { hashMessage, type Hex } from 'viem';
import type { Evidence } from '../chain/evidence/evidence.ts';
import type { Head } from '../chain/head.ts';
import type { Rpc } from '../chain/endpoints/rpc.ts';
import { decodeRedeem } from '../chain/token/calls.ts';
import { indexedOutcomesBehind, indexedOutcomesBetween } from '../indexed/outcomes.ts';
import type { News, Progress } from '../indexed/progress.ts';
import { readIndexed } from '../indexed/read-indexed.ts';
import type { IndexedOutcome } from '../ledger/lanes/decided-legs.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { applyExactOutcomes } from '../ledger/recovery/apply-outcomes.ts';
import { keepAuditedBlock, recordAudit, recordComparison, type SeenHead } from '../ledger/recovery/outcome-audits.ts';
import {
  countOpenOutcomes,
  findUnrecordedOutcomes,
  hasUnrecordedOutcomes,
  recordUnrecordedOutcomes,
  type SignedMessage,
} from '../ledger/recovery/unrecorded-outcomes.ts';
import type { Log } from '../platform/log.ts';
import type { NetworkSettings } from '../platform/settings.ts';
import type { Alarms } from './alarms.ts';
import { createPace } from './pacing/pace.ts';
import { proveOutcomes } from './proven-outcomes.ts';

/** What the audit of a network's outcomes needs. */
export interface OutcomeAuditDeps {
  ledger: Ledger;
  network: NetworkSettings;
  evidence: Evidence;
  head: Pick<Head, 'number' | 'outage'>;
  log: Log;
  alarms: Alarms;
  /** Reads the calldata of redemptions; without it their messages stay unknown. */
  rpc?: Pick<Rpc, 'getTransaction'> | undefined;
  /** The pause after looking at everything that may still change, as a multiple of how long that took; in between only news is looked at. */
  restFactor?: number | undefined;
  /** The time in milliseconds; by default a clock that never goes back. */
  now?: (() => number) | undefined;
}

/** How far the index is, and what an audit is told with it. */
interface AuditNews extends News {
  /** The time by the database's clock, while a recovery waits for a comparison. */
  awaitedSince: Date | null;
}

/** Compares what the chain's log says with what the ledger has recorded. */
export interface OutcomeAudit {
  /** SQL: whether there are outcomes that the next turn looks at; undefined while it looks at all in any case. */
  hasNew(): ReturnType<typeof hasUnrecordedOutcomes> | undefined;
  /**
   * Looks at the outcomes since the last turn, as far as the index has them. Those of transactions that the ledger has not recorded are kept once the endpoints prove them, and stop
   * issuing and payments. The legs that they carry out to the letter end by them.
   */
  turn(news: AuditNews): Promise<void>;
}

/** The lowest blocks of outcomes that are not known; undefined where there is none. */
interface LowestBlocks {
  /** Of one about which the endpoints have not answered. */
  unanswered?: bigint | undefined;
  /** Of one that is not proven, also because the chain does not have it. Such a row is looked at again only with everything that may still change. */
  unproven?: bigint | undefined;
}

/** A look at everything counts as this long, so that ten seconds pass before the next: each turn looks at the outcomes of new blocks. */
const shortestRunMs = 500;

/** Outcomes that one turn looks at. */
const outcomesAtOnce = 500;

/** The newest blocks are replaced most: they are looked at again together with the next ones. */
const blocksLookedAtAgain = 2n;

/**
 * Creates the audit of a network (docs/restore.md, What stops). A turn costs a look-up for each outcome of the newest blocks. All outcomes since the newest block that
 * no reorganisation reaches are looked at first, then at a pace, and while a recovery waits for it.
 */
export function createOutcomeAudit(deps: OutcomeAuditDeps): OutcomeAudit {
  const { ledger, network, log } = deps;
  const { chain, tokens } = network;
  const pace = createPace(deps.restFactor, deps.now, shortestRunMs);
  let hasOpen = true;
  /** The endpoints have answered about every outcome up to this block. Undefined until all since the audited block have been looked at once. */
  let answeredUpTo: bigint | undefined;
  /** The head that a recovery waits for. */
  let awaited: SeenHead | undefined;

  const lookedBehind = () => (answeredUpTo === undefined ? undefined : answeredUpTo - blocksLookedAtAgain);

  async function look(news: AuditNews): Promise<void> {
    awaited ??= headToCompare(news.awaitedSince);
    if (!news.ready) return;
    const behind = lookedBehind();
    if (behind === undefined || awaited !== undefined || pace.isDue()) await pace.run(() => lookAtAll(news));
    else if (news.block <= behind + blocksLookedAtAgain) return;
    else if (news.hasNew) await lookBehind(behind, news.block);
    else answeredUpTo = news.block;
  }

  async function lookAtAll({ block, finalizedBlock }: Progress): Promise<void> {
    // A leg that is settled later must not move it past an outcome that is not known yet.
    const audited = await keepAuditedBlock(ledger, chain);
    const knownUpTo = await lookBehind(audited, block);
    if (knownUpTo === undefined) return;
    const upTo = finalizedBlock < knownUpTo ? finalizedBlock : knownUpTo;
    if (upTo > audited) await recordAudit(ledger, chain, upTo);
    if (awaited === undefined || knownUpTo < block || block < awaited.block) return;
    await recordComparison(ledger, chain, awaited);
    awaited = undefined;
  }

  /** Returns the block up to which every outcome is known; undefined when the index could not be read. */
  async function lookBehind(after: bigint, upTo: bigint): Promise<bigint | undefined> {
    const outcomes = indexedOutcomesBetween(chain, after, upTo);
    const unrecorded = await readIndexed(() => findUnrecordedOutcomes(ledger, { chain, tokens, outcomes, limit: outcomesAtOnce }));
    if (unrecorded === undefined) return undefined;
    const { unanswered, unproven } = unrecorded.length > 0 ? await keepProven(unrecorded, upTo) : {};
    const reach = unrecorded.length < outcomesAtOnce ? upTo : (unrecorded.at(-1)?.blockNumber ?? 1n) - 1n;
    const reachBefore = (block: bigint | undefined) => (block !== undefined && block <= reach ? block - 1n : reach);
    answeredUpTo = reachBefore(unanswered);
    return reachBefore(unproven);
  }

  /** A recovery ends only when the log is compared up to a head that was seen after it began: an index may itself be from the back-up. */
  function headToCompare(seenAt: Date | null): SeenHead | undefined {
    const block = deps.head.outage() === undefined ? deps.head.number() : undefined;
    return seenAt === null || block === undefined ? undefined : { block, seenAt };
  }

  async function keepProven(unrecorded: readonly IndexedOutcome[], indexedBlock: bigint): Promise<LowestBlocks> {
    const lowest = unrecorded[0]?.blockNumber;
    const isUnanswered = { unanswered: lowest, unproven: lowest };
    const seen = deps.head.number() ?? 0n;
    const { upTo } = await deps.evidence.confirmedBlock(seen > indexedBlock ? seen : indexedBlock);
    if (upTo === undefined) return isUnanswered;
    const proof = await proveOutcomes(
      deps.evidence,
      unrecorded.filter(({ blockNumber }) => blockNumber <= upTo),
    );
    if (proof.state !== 'complete') return isUnanswered;
    await recordUnrecordedOutcomes(ledger, { chain, tokens }, await Promise.all(proof.proven.map(withMessage)));
    if (proof.proven.length > 0) {
      hasOpen = true;
      log.error({ outcomes: proof.proven.length }, 'the chain has outcomes of transactions that this ledger has not recorded');
    }
    const proven = new Set(proof.proven);
    return {
      unanswered: unrecorded.find(({ blockNumber }) => blockNumber > upTo)?.blockNumber,
      unproven: unrecorded.find((outcome) => !proven.has(outcome))?.blockNumber,
    };
  }

  async function withMessage(outcome: IndexedOutcome): Promise<IndexedOutcome & Partial<SignedMessage>> {
    if (outcome.messageHash === null || deps.rpc === undefined) return outcome;
    const transaction = await deps.rpc.getTransaction({ hash: outcome.txHash as Hex }).catch(() => undefined);
    const item = transaction && decodeRedeem(transaction.input)?.find(({ message }) => hashMessage(message) === outcome.messageHash);
    return item ? { ...outcome, message: item.message, signature: item.signature } : outcome;
  }

  return {
    hasNew() {
      const behind = lookedBehind();
      return behind === undefined ? undefined : hasUnrecordedOutcomes({ chain, tokens, outcomes: indexedOutcomesBehind(chain, behind) });
    },
    async turn(news) {
      await look(news);
      if (!hasOpen) return;
      const applied = await applyExactOutcomes(ledger, chain);
      if (applied > 0) log.warn({ legs: applied }, 'legs are ended by transactions that this ledger has not recorded');
      hasOpen = await alarmOpen(deps);
    },
  };
}

/** Whether there are open outcomes. */
async function alarmOpen({ ledger, network: { chain }, alarms }: OutcomeAuditDeps): Promise<boolean> {
  const open = await countOpenOutcomes(ledger, chain);
  if (open.length === 0) {
    alarms.clear('ledger_behind', chain);
    return false;
  }
  const counts = open
    .map(({ count, kind, currency }) => `${count} ${kind === 'issue' ? 'issues' : 'redemptions'} of ${currency}`)
    .join(', ');
  alarms.raise(
    'ledger_behind',
    chain,
    `The chain has ${counts} that this ledger does not know. Either it was restored from an earlier back-up: import the bank's files since then, and run ` +
      '`mintrail recover`. Or somebody else has an operator key: revoke its role (`mintrail token revoke operator ADDRESS --chain NAME --currency CURRENCY`). Until `mintrail recover` has explained each of ' +
      'them, these currencies are not issued there, and no payment leaves',
  );
  return true;
}
