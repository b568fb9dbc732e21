import { sql } from 'kysely';
import type { Chain } from '../../platform/chains.ts';
import type { MinorUnits } from '../../platform/money.ts';
import { makePaymentsOfLegs } from '../bank/payment-legs.ts';
import { inTransaction, type Ledger, type LedgerTransaction, rehearse } from '../ledger.ts';
import { acceptBookedPayments } from './booked-before.ts';
import { applyExactOutcomes } from './apply-outcomes.ts';
import { listLostPayments, type LostPayments } from './lost-payments.ts';
import { takeKeptStatuses } from '../bank/payment-statuses.ts';
import { refuseGivenBackPayouts } from './given-back.ts';
import { uncomparedChains } from './outcome-audits.ts';
import { rebuildRedemptions } from './rebuild-redemptions.ts';
import { rejectTakenBackOrders } from './taken-back-before.ts';
import { endRecovery, openRecovery, type Recovery } from '../recoveries.ts';
import { countOpenOutcomes, listOpenOutcomes, type OpenOutcome } from './unrecorded-outcomes.ts';

/** What a recovery has done, or would do. */
export interface RecoveryReport {
  /** Whether it was done. */
  isApplied: boolean;
  /** The recovery that was open before. */
  recovery: Recovery | undefined;
  /** Legs that the chains have carried out. */
  legs: number;
  /** Payouts whose tokens were given back before the ledger was restored. */
  givenBack: number;
  /** Redemptions that were rebuilt from what the chains keep. */
  rebuilt: number;
  /** Payments that were made of legs that are due. */
  payments: number;
  /** What those of them come to that the bank is yet to pay, by currency. */
  toPay: PaymentSum[];
  /** Short digest of which payments were made and which outcomes were applied: others have another. */
  digest: string;
  /** Payments that were due and that the bank had booked before the ledger was restored. */
  booked: number;
  /** Outcomes that nothing in this ledger explains, the oldest first, at most {@link mostListed}. */
  open: OpenOutcome[];
  openCount: number;
  /** Chains whose log no worker has compared with the ledger since the recovery began. */
  uncompared: Chain[];
  /** Payments that only the bank knows, at most {@link mostListed} of each kind. */
  lost: LostPayments;
  /** Whether nothing keeps the recovery from ending: with `apply` it has. */
  isExplained: boolean;
  /** Whether no recovery is open any more: payments leave. */
  isEnded: boolean;
}

/** What payments of one currency come to. */
interface PaymentSum {
  currency: string;
  amount: MinorUnits;
}

/** How a recovery is run. */
export interface RecoverOptions {
  /** Whether it is done; otherwise everything is undone, and the report says what would be. */
  apply: boolean;
  operator: string;
  /** The chains of the configured networks: a recovery ends when all of them are compared. */
  chains: readonly Chain[];
  /** Memo of redemptions that are rebuilt: theirs is lost. */
  defaultMemo: string;
}

/** Open outcomes that a report names one by one. */
const mostListed = 1_000;

/** Legs whose payments are made at once. */
const legsAtOnce = 500;

/**
 * Rebuilds what the ledger has lost from what it knows again: the outcomes of the chains and the bank's files that were imported. All of it happens in
 * one transaction, or nothing; run again it does what has become possible since. The recovery ends when every network is compared, and every outcome
 * and every payment that the bank reports is explained.
 */
export async function recover(ledger: Ledger, options: RecoverOptions): Promise<RecoveryReport> {
  if (options.apply) return inTransaction(ledger, (tx) => rebuild(tx, options));
  const report = await rehearse(ledger, (tx) => rebuild(tx, options));
  // What is undone has ended nothing.
  return { ...report, isEnded: report.recovery === undefined && report.isEnded };
}

async function rebuild(tx: LedgerTransaction, { apply, operator, chains, defaultMemo }: RecoverOptions): Promise<RecoveryReport> {
  const recovery = await openRecovery(tx);
  const done = { legs: 0, givenBack: 0, rebuilt: 0 };
  for (;;) {
    const legs = await applyAll(tx);
    const rebuilt = await rebuildRedemptions(tx, defaultMemo);
    const givenBack = await refuseGivenBackPayouts(tx);
    done.legs += legs;
    done.rebuilt += rebuilt;
    done.givenBack += givenBack;
    if (legs + rebuilt + givenBack === 0) break;
  }
  let payments = 0;
  for (let made = legsAtOnce; made === legsAtOnce; payments += made) ({ made } = await makePaymentsOfLegs(tx, legsAtOnce));
  await takeKeptStatuses(tx);
  const booked = await acceptBookedPayments(tx, operator);
  const lost = await listLostPayments(tx, mostListed);
  const counts = await countOpenOutcomes(tx);
  const openCount = counts.reduce((sum, { count }) => sum + count, 0);
  const uncompared = await uncomparedChains(tx, chains);
  const isExplained = openCount + uncompared.length + lost.debits.length + lost.statuses.length === 0;
  if (isExplained) await rejectTakenBackOrders(tx);
  const isEnded = isExplained && (recovery === undefined || (await endRecovery(tx, operator)));
  return {
    isApplied: apply,
    recovery,
    ...done,
    payments,
    ...(await readChanges(tx)),
    booked,
    open: await listOpenOutcomes(tx, mostListed),
    openCount,
    uncompared,
    lost,
    isExplained,
    isEnded,
  };
}

async function applyAll(tx: LedgerTransaction): Promise<number> {
  const chains = await tx.selectFrom('unrecordedOutcomes').where('state', '!=', 'applied').select('chain').distinct().execute();
  let legs = 0;
  for (const { chain } of chains) legs += await applyExactOutcomes(tx, chain);
  return legs;
}

/** What this transaction has changed, which names it: rows have its beginning as their time. */
async function readChanges(tx: LedgerTransaction): Promise<Pick<RecoveryReport, 'toPay' | 'digest'>> {
  const { rows: toPay } = await sql<PaymentSum>`
    select currency, sum(amount)::bigint as amount from payments where created_at = now() and state = 'ready' group by currency order by currency
  `.execute(tx);
  const { rows } = await sql<{ digest: string }>`
    select left(encode(sha256(coalesce(string_agg(id || state, ' ' order by id), '')::bytea), 'hex'), 16) as digest from (
      select id, state from payments where created_at = now()
      union all
      select id, state from unrecorded_outcomes where decided_at = now()
    ) changed
  `.execute(tx);
  return { toPay, digest: rows[0]?.digest ?? '' };
}
