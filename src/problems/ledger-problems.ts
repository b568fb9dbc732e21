import { type OverduePayments, overduePayments, type PaymentStage } from '../ledger/bank/waiting-money.ts';
import { countProfilesInReview } from '../ledger/customers/profile-queries.ts';
import { listPartitions, type Partition, type PartitionGap, partitionGaps } from '../ledger/growth/partitions.ts';
import { expiredPartitions, type Expiry } from '../ledger/growth/retention.ts';
import { countHeldLegs, type HeldLegs } from '../ledger/lanes/held-legs.ts';
import { type OverdueLegs, overdueLegs, type UnminedTransactions, unminedTransactions } from '../ledger/lanes/overdue-legs.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { countText, mostCounted } from '../ledger/most-counted.ts';
import { type ContestedLink, contestedLinks } from '../ledger/orders/contested-links.ts';
import { type IdleOrder, idleOrders, type OverdueSignatures, overdueSignatures } from '../ledger/orders/overdue-orders.ts';
import { type StuckOrder, stuckOrders } from '../ledger/orders/stuck-orders.ts';
import { openRecovery, type Recovery } from '../ledger/recoveries.ts';
import { type Chain, chains } from '../platform/chains.ts';
import { networkVariable } from '../platform/settings.ts';
import type { Bounds } from './bounds.ts';
import { bankProblems } from './bank-problems.ts';
import type { Problem } from './problem.ts';

/** Idle orders that are named one by one. There is never a single one unless a rule of the lifecycle is broken. */
const mostIdleOrders = 20;

/** Contested addresses that are named one by one. */
const mostContested = 20;

/** What the ledger shows to be wrong: whatever is older than its bound, or waits for an operator. */
export async function ledgerProblems(ledger: Ledger, bounds: Bounds): Promise<Problem[]> {
  const [legs, held, transactions, signatures, payments, idle, stuck, contested, bank, growth, recovery] = await Promise.all([
    overdueLegs(ledger, bounds.legs),
    countHeldLegs(ledger, chainsOf(bounds)),
    unminedTransactions(ledger, bounds.transactions),
    overdueSignatures(ledger, bounds.signatures),
    overduePayments(ledger, bounds.payments),
    idleOrders(ledger, mostIdleOrders),
    stuckOrders(ledger),
    contestedLinks(ledger, mostContested),
    bankProblems(ledger),
    growthProblems(ledger, bounds.retention),
    openRecovery(ledger),
  ]);
  return [
    ...legs.map(ofLegs),
    ...held.filter(({ reason }) => reason === 'gas_budget').map(ofHeldLegs),
    ...transactions.map(ofTransactions),
    ...signatures.map(ofSignatures),
    ...payments.map(ofPayments),
    ...idle.map(ofIdleOrder),
    ...stuck.map(ofStuckOrder),
    ...contested.map(ofContestedLink),
    ...bank,
    ...growth,
    ...(recovery === undefined ? [] : [ofRecovery(recovery)]),
  ];
}

function ofLegs({ chain, kind, count, since, orderId, state }: OverdueLegs): Problem {
  const text = `${counted(count)} ${kind} ${plural(count, 'leg is', 'legs are')} overdue; the oldest is \`${state}\`: see \`mintrail orders show ${orderId}\``;
  return { kind: 'legs_overdue', chain, subject: kind, since, text };
}

function chainsOf({ legs }: Bounds): Chain[] {
  return legs.map(({ chain }) => chain);
}

/** Profiles that the text names. */
const mostNamed = 3;

function ofHeldLegs({ chain, count, since, profiles }: HeldLegs): Problem {
  const named = `${profiles.slice(0, mostNamed).join(', ')}${profiles.length > mostNamed ? ', …' : ''}`;
  const text =
    `${countText(count, mostCounted.open)} ${plural(count, 'order waits', 'orders wait')} for midnight UTC, because profiles have used up their gas budget of today (${named}): ` +
    `for a customer with that many run \`mintrail orders release ${chain} --profile ID --reason TEXT\`, or raise ${networkVariable(chain, 'gasBudget')} and restart the worker`;
  return { kind: 'gas_budget', chain, subject: 'profiles', since, text };
}

function ofTransactions({ chain, signer, count, since, nonce }: UnminedTransactions): Problem {
  const text = `${count} ${plural(count, 'transaction', 'transactions')} of ${signer} ${plural(count, 'is', 'are')} in no block; the lowest nonce is ${nonce}`;
  return { kind: 'transaction_unmined', chain, subject: signer, since, text };
}

function ofSignatures({ chain, isOnChain, count, since }: OverdueSignatures): Problem {
  const [what, why] = isOnChain
    ? ['that the account gives on chain', 'should have expired']
    : ['of contract accounts', 'should have been checked; does an endpoint answer?'];
  const text = `${count} ${plural(count, 'signature', 'signatures')} ${what} ${why}`;
  return { kind: 'signatures_overdue', chain, subject: isOnChain ? 'on chain' : 'in request', since, text };
}

const paymentTexts: Record<PaymentStage, (overdue: OverduePayments) => string> = {
  leg: ({ count, oldest }) =>
    `${counted(count)} ${plural(count, 'payout or return', 'payouts or returns')} without a payment; the oldest is of order ${oldest}: is the bank set up (BANK_OUTBOX), does \`mintrail worker --common\` run?`,
  payment: ({ count, oldest }) =>
    `${counted(count)} ${plural(count, 'payment was', 'payments were')} not handed to the bank; the oldest is ${oldest}: see \`mintrail payments list --state ready\``,
  file: ({ count, oldest }) =>
    `${counted(count)} payment ${plural(count, 'file is', 'files are')} not written to BANK_OUTBOX; the oldest is ${oldest}: is the folder writable?`,
  bank: ({ count, oldest }) =>
    `${counted(count)} ${plural(count, 'payment', 'payments')} without a decision of the bank; the oldest is ${oldest}: ask the bank, and import its reports (\`mintrail bank import FILE\`)`,
};

function ofPayments(overdue: OverduePayments): Problem {
  return { kind: 'payments_overdue', chain: '', subject: overdue.stage, since: overdue.since, text: paymentTexts[overdue.stage](overdue) };
}

function ofIdleOrder({ id, chain, since }: IdleOrder): Problem {
  const text = `order ${id} is open although nothing of it is under way: see \`mintrail orders show ${id}\` and report it as a defect`;
  return { kind: 'order_idle', chain, subject: id, since, text };
}

function ofStuckOrder({ id, chain, reason, since }: StuckOrder): Problem {
  const text = `the tokens of order ${id} cannot be given back (${reason}): remove the cause, then run \`mintrail orders give-back ${id} --reason TEXT\``;
  return { kind: 'order_stuck', chain, subject: id, since, text };
}

function ofContestedLink({ address, chain, profiles, since }: ContestedLink): Problem {
  const text = `${profiles.length} profiles wait for the same sentence, which ${address} has signed on chain (${profiles.join(', ')}): have it sign a linking message for its own, or find out whose it is and run \`mintrail address decide ${address} --chain ${chain} --profile ID\``;
  return { kind: 'address_contested', chain, subject: address, since, text };
}

function ofRecovery({ beganAt, beganBy }: Recovery): Problem {
  const isOfChain = (chains as readonly string[]).includes(beganBy);
  const remedy = isOfChain
    ? `the chain has what this ledger does not know: \`mintrail recover\` lists it. If you restored a back-up, import the bank's files up to now. If not, an operator's key is stolen: revoke its role (\`mintrail token revoke operator ADDRESS --chain ${beganBy} --currency CURRENCY\`), then set aside what the thief did`
    : "import the bank's files up to now, then run `mintrail recover`";
  const text = `no payment leaves, because a recovery is open (${beganBy}): ${remedy}`;
  return { kind: 'recovery_open', chain: '', subject: 'payments', since: beganAt, text };
}

/** A count of what is overdue, which is counted up to a bound. */
function counted(count: number): string {
  return countText(count, mostCounted.overdue);
}

function plural(count: number, singular: string, several: string): string {
  return count === 1 ? singular : several;
}

/** The common worker makes partitions three months ahead: less than this is left only if it has not done so for weeks. */
const partitionDaysLeft = 14;

/** The common worker looks every hour; a table may be in use for a while. */
const retiredWithinMs = 3 * 86_400_000;

/** What is wrong with the partitions of what grows. */
export async function growthProblems(ledger: Ledger, { rules, now }: Bounds['retention']): Promise<Problem[]> {
  const partitions = await listPartitions(ledger);
  const gaps = await partitionGaps(ledger, partitions, new Date(now.getTime() + partitionDaysLeft * 86_400_000));
  const overdue = expiredPartitions(partitions, rules, new Date(now.getTime() - retiredWithinMs));
  return [...gaps.map((gap) => ofGap(gap, now)), ...overdue.map(ofOverdue)];
}

function ofGap({ table, endsSoon, hasUnsortedRows }: PartitionGap, now: Date): Problem {
  const causes = [
    ...(endsSoon ? [`the last partition of ${table} ends on ${endsSoon.toISOString().slice(0, 10)}`] : []),
    ...(hasUnsortedRows ? [`rows of ${table} are in its default partition`] : []),
  ];
  const text = `${causes.join(', and ')}: does \`mintrail worker --common\` run? See \`mintrail retention\``;
  return { kind: 'partition_missing', chain: '', subject: table, since: endsSoon && endsSoon < now ? endsSoon : now, text };
}

function ofOverdue({ name, action, expiredAt }: Partition & Expiry): Problem {
  const verb = action === 'drop' ? 'dropped' : 'archived';
  const text = `the partition ${name} should be ${verb} since ${expiredAt.toISOString().slice(0, 10)}: the log of \`mintrail worker --common\` says why it is kept`;
  return { kind: 'retention_overdue', chain: '', subject: name, since: expiredAt, text };
}

/** Profiles that wait for a decision of ours. */
export async function reviewProblems(ledger: Ledger): Promise<Problem[]> {
  const waiting = await countProfilesInReview(ledger);
  if (waiting === undefined) return [];
  const { count, since, oldest } = waiting;
  const profiles = count === 1 ? '1 profile waits' : `${countText(count, mostCounted.overdue)} profiles wait`;
  const text = `${profiles} for a review, the oldest ${oldest}: look at it with \`mintrail profile show ${oldest}\`, then run \`mintrail profile review ${oldest} --approve\`, \`--reject REASON\` or \`--incomplete FIELD=REASON\``;
  return [{ kind: 'profiles_in_review', chain: '', subject: 'profiles', since, text }];
}
