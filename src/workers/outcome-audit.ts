import { hashMessage, type Hex } from 'viem';
import type { Evidence } from '../chain/evidence/evidence.ts';
import type { Head } from '../chain/head.ts';
import type { Rpc } from '../chain/rpc.ts';
import { decodeRedeem } from '../chain/token/calls.ts';
import { indexedOutcomesBetween } from '../indexed/outcomes.ts';
import { readFinalizedBlock, readProgress } from '../indexed/progress.ts';
import { readIndexed } from '../indexed/read-indexed.ts';
import type { IndexedOutcome } from '../ledger/lanes/decided-legs.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { applyExactOutcomes } from '../ledger/recovery/apply-outcomes.ts';
import { auditedBlock, awaitedComparison, recordAudit, recordComparison, type SeenHead } from '../ledger/recovery/outcome-audits.ts';
import {
  countOpenOutcomes,
  findUnrecordedOutcomes,
  recordUnrecordedOutcomes,
  type SignedMessage,
} from '../ledger/recovery/unrecorded-outcomes.ts';
import type { Log } from '../platform/log.ts';
import type { NetworkSettings } from '../platform/settings.ts';
import type { Alarms } from './alarms.ts';
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
}

/** Compares what the chain's log says with what the ledger has recorded. */
export interface OutcomeAudit {
  /**
   * Looks at the outcomes since the last turn. Those of transactions that the ledger has not recorded are kept once the endpoints prove them, and stop
   * issuing and payments. The legs that they carry out to the letter end by them.
   */
  turn(): Promise<void>;
}

/** Outcomes that one turn looks at. */
const outcomesAtOnce = 500;

/** Creates the audit of a network (docs/restore.md, What stops). It costs the outcomes since the newest block that no reorganisation reaches. */
export function createOutcomeAudit(deps: OutcomeAuditDeps): OutcomeAudit {
  const { ledger, network, log } = deps;
  const { chain, tokens } = network;
  let hasOpen = true;
  /** The head that a recovery waits for. */
  let awaited: SeenHead | undefined;

  async function look(): Promise<void> {
    awaited ??= await headToCompare();
    const progress = await readProgress(ledger, chain);
    if (!progress?.ready) return;
    const after = await auditedBlock(ledger, chain);
    const outcomes = indexedOutcomesBetween(chain, after, progress.block);
    const found = await readIndexed(() => findUnrecordedOutcomes(ledger, { chain, tokens, outcomes, limit: outcomesAtOnce }));
    if (found === undefined) return;
    const unproven = found.length > 0 ? await keepProven(found, progress.block) : undefined;
    const finalized = (await readFinalizedBlock(ledger, chain)) ?? 0n;
    const reach = found.length < outcomesAtOnce ? progress.block : (found.at(-1)?.blockNumber ?? 1n) - 1n;
    const upTo = [finalized, reach, ...(unproven === undefined ? [] : [unproven - 1n])].reduce((least, block) =>
      block < least ? block : least,
    );
    if (upTo > after) await recordAudit(ledger, chain, upTo);
    const isComplete = unproven === undefined && found.length < outcomesAtOnce;
    if (awaited === undefined || !isComplete || progress.block < awaited.block) return;
    await recordComparison(ledger, chain, awaited);
    awaited = undefined;
  }

  /** A recovery ends only when the log is compared up to a head that was seen after it began: an index may itself be from the back-up. */
  async function headToCompare(): Promise<SeenHead | undefined> {
    const seenAt = await awaitedComparison(ledger, chain);
    const block = deps.head.outage() === undefined ? deps.head.number() : undefined;
    return seenAt === undefined || block === undefined ? undefined : { block, seenAt };
  }

  /** Returns the lowest block of an outcome that is not proven; undefined when all are. */
  async function keepProven(found: readonly IndexedOutcome[], indexedBlock: bigint): Promise<bigint | undefined> {
    const [lowest] = found;
    const seen = deps.head.number() ?? 0n;
    const { upTo } = await deps.evidence.confirmedBlock(seen > indexedBlock ? seen : indexedBlock);
    if (upTo === undefined) return lowest?.blockNumber;
    const proof = await proveOutcomes(
      deps.evidence,
      found.filter(({ blockNumber }) => blockNumber <= upTo),
    );
    if (proof.state !== 'complete') return lowest?.blockNumber;
    await recordUnrecordedOutcomes(ledger, { chain, tokens }, await Promise.all(proof.proven.map(withMessage)));
    if (proof.proven.length > 0) {
      hasOpen = true;
      log.error({ outcomes: proof.proven.length }, 'the chain has outcomes of transactions that this ledger has not recorded');
    }
    const proven = new Set(proof.proven);
    return found.find((outcome) => !proven.has(outcome))?.blockNumber;
  }

  async function withMessage(outcome: IndexedOutcome): Promise<IndexedOutcome & Partial<SignedMessage>> {
    if (outcome.messageHash === null || deps.rpc === undefined) return outcome;
    const transaction = await deps.rpc.getTransaction({ hash: outcome.txHash as Hex }).catch(() => undefined);
    const item = transaction && decodeRedeem(transaction.input)?.find(({ message }) => hashMessage(message) === outcome.messageHash);
    return item ? { ...outcome, message: item.message, signature: item.signature } : outcome;
  }

  return {
    async turn() {
      await look();
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
      '`mintrail recover`. Or somebody else has an operator key: revoke its role (`mintrail token revoke`). Until `mintrail recover` has explained each of ' +
      'them, these currencies are not issued there, and no payment leaves',
  );
  return true;
}
