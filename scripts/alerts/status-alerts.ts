import type { WarningKind } from '../../src/status/warning.ts';
import { problemKinds } from '../../src/status/problem.ts';
import { isWarningKind, warningKinds } from '../../src/status/warning.ts';
import { alarmKinds } from '../../src/workers/alarms.ts';
import type { Alert } from './alert.ts';

type ProblemKind = (typeof problemKinds)[number] | (typeof alarmKinds)[number];

type Facts = [severity: Alert['severity'], summary: string];

/** What each kind of problem is worth. Money that may be wrong, and a service that stands still, wake somebody. */
const problems: Record<ProblemKind, Facts> = {
  address_contested: ['warning', 'An address is disputed between customers'],
  bank_files_refused: ['warning', 'Files of the bank were refused'],
  bank_files_waiting: ['warning', 'Files of the bank cannot be imported'],
  bank_inbox_unusable: ['critical', 'No file of the bank is imported'],
  bank_outbox_unusable: ['critical', 'No payment file can be written'],
  breach_bank: ['critical', 'The bank holds something else than the book'],
  breach_index: ['critical', 'Tokens in circulation{on} differ from the book'],
  breach_nodes: ['critical', 'The nodes{on} contradict the index'],
  breach_states: ['critical', 'The book contradicts the states of orders'],
  chain_unreachable: ['critical', 'No endpoint{of} answers'],
  claims_open: ['warning', 'The bank took credits back after their tokens were issued'],
  comparison_missing: ['critical', 'A comparison of the reserve is not made'],
  credits_unmatched: ['warning', 'Credits wait for an operator'],
  debit_unexplained: ['warning', 'A debit of the bank is not explained'],
  endpoint_of_other_chain: ['warning', 'An endpoint{of} is of another chain'],
  endpoints_disagree: ['critical', 'The endpoints{of} contradict each other'],
  endpoints_missing: ['warning', 'Too few endpoints{of} answer'],
  fee_ceiling: ['warning', 'Gas{on} costs more than the ceiling'],
  gas_budget: ['info', 'Redemptions{on} wait for their gas budget'],
  gas_money: ['critical', 'A signer{on} cannot pay for gas'],
  head_stalled: ['critical', 'The head{of} stands still'],
  indexer_behind: ['critical', 'The indexer{of} is behind'],
  indexer_crashing: ['critical', 'The indexer{of} does not stay up'],
  lane_parked: ['critical', 'The token{on} refuses what a lane sends'],
  ledger_behind: ['critical', 'The chain{on} has carried out what the ledger does not know'],
  legs_overdue: ['critical', 'Legs{on} are overdue'],
  mail_not_sent: ['warning', 'Mails are not sent'],
  nonce_gap: ['warning', 'A nonce{on} is not used by any transaction'],
  nonce_used_elsewhere: ['critical', 'Somebody else uses the nonces of a signer{on}'],
  order_idle: ['critical', 'An order waits for nothing'],
  order_stuck: ['critical', 'Tokens cannot be given back'],
  outcome_disagrees: ['critical', 'The chain{on} does not have what the index shows'],
  partition_missing: ['warning', 'Partitions of the coming months are missing'],
  payments_overdue: ['critical', 'Payments are overdue'],
  queue_unreachable: ['warning', 'Redis takes no wake-ups'],
  receipts_missing: ['warning', 'Receipts of transactions{on} are missing'],
  recovery_open: ['critical', 'A recovery{on} waits for an operator'],
  repeated_reverts: ['warning', 'Transactions of a single order{on} revert'],
  retention_overdue: ['warning', 'Expired partitions are still there'],
  secrets_unreadable: ['critical', 'Sealed secrets cannot be opened'],
  sequence_used_elsewhere: ['critical', 'Somebody else uses the sequence numbers of a token{on}'],
  signatures_overdue: ['warning', 'Signatures of contract accounts{on} are overdue'],
  signer_has_code: ['critical', 'A signer{on} has code'],
  signer_silent: ['critical', 'A signer{on} does not sign'],
  statement_missing: ['warning', 'A statement of the bank is missing'],
  transaction_refused: ['warning', 'No node{of} takes a transaction'],
  transaction_unmined: ['critical', 'A transaction{on} is not mined'],
  upstream_unavailable: ['info', 'The live network of a fork{on} does not answer'],
  worker_missing: ['critical', 'A process{of} that is needed never ran'],
  worker_silent: ['critical', 'A process{of} is silent'],
};

const warnings: Record<WarningKind, string> = {
  allowance_low: 'A mint allowance{on} ends soon',
  certificate_expiring: 'The TLS certificate ends soon',
  endpoint_silent: 'An endpoint{of} does not answer',
  daily_limit_low: 'A daily mint limit{on} is nearly used up',
  disk_low: 'A disk is nearly full',
  gas_money_low: 'The gas money of a signer{on} ends soon',
  approvals_waiting: 'Requests wait for a second person',
  rates_old: 'The rates of swaps are old',
  secret_old: 'A secret is old',
  secret_readable: 'A file with secrets can be read by every user',
  statements_late: 'A statement of the bank is late',
};

/** One alert for each kind of problem and warning, so that each has its severity and its runbook. */
export const statusAlerts: readonly Alert[] = [
  ...[...new Set<ProblemKind>([...problemKinds, ...alarmKinds])].toSorted().map((kind) => {
    const [severity, summary] = problems[kind];
    // Comparisons last already before they are breaches; everything else may be a restart.
    return alertOf(kind, 'mintrail_problems', severity, kind.startsWith('breach_') ? '0s' : '30s', summary);
  }),
  ...[...warningKinds].toSorted().map((kind) => alertOf(kind, 'mintrail_warnings', 'info', '10m', warnings[kind])),
];

function alertOf(kind: string, metric: string, severity: Alert['severity'], lasting: string, summary: string): Alert {
  const command = isWarningKind(kind) ? '`mintrail status --warnings`' : '`mintrail status`';
  return {
    runbook: kind,
    severity,
    // Each copy of the common worker shows the same.
    expr: `max by (chain, kind) (${metric}{kind="${kind}"}) > 0`,
    for: lasting,
    summary: withNetwork(summary),
    description: `{{ $value }} of the kind ${kind}: ${command} names each, with its remedy.`,
  };
}

/** Puts the network where `{on}` or `{of}` stands; what belongs to no network has an empty label. */
function withNetwork(summary: string): string {
  return summary.replaceAll(/\{(on|of)\}/g, (_, word: string) => `{{ with $labels.chain }} ${word} {{ . }}{{ end }}`);
}
