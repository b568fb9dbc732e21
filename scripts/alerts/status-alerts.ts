import type { WarningKind } from '../../src/status/warning.ts';
import { type ProblemKind, problemKinds, problemSeverities } from '../../src/status/problem.ts';
import { isWarningKind, warningKinds } from '../../src/status/warning.ts';
import { alarmKinds } from '../../src/workers/alarms.ts';
import type { Alert } from './alert.ts';

const problems: Record<ProblemKind, string> = {
  address_contested: 'An address is disputed between customers',
  bank_files_refused: 'Files of the bank were refused',
  bank_files_waiting: 'Files of the bank cannot be imported',
  bank_inbox_unusable: 'No file of the bank is imported',
  bank_outbox_unusable: 'No payment file can be written',
  breach_bank: 'The bank holds something else than the book',
  breach_index: 'Tokens in circulation{on} differ from the book',
  breach_nodes: 'The nodes{on} contradict the index',
  breach_states: 'The book contradicts the states of orders',
  chain_unreachable: 'No endpoint{of} answers',
  claims_open: 'The bank took credits back after their tokens were issued',
  comparison_missing: 'A comparison of the reserve is not made',
  credits_awaited: 'Notified credits are in no statement',
  credits_unmatched: 'Credits wait for an operator',
  debit_unexplained: 'A debit of the bank is not explained',
  endpoint_of_other_chain: 'An endpoint{of} is of another chain',
  endpoints_disagree: 'The endpoints{of} contradict each other',
  endpoints_missing: 'Too few endpoints{of} answer',
  fee_ceiling: 'Gas{on} costs more than the ceiling',
  gas_budget: 'Orders{on} wait for their gas budget',
  gas_money: 'A signer{on} cannot pay for gas',
  head_stalled: 'The head{of} stands still',
  indexer_behind: 'The indexer{of} is behind',
  index_damaged: 'The index{of} is damaged and rebuilt',
  indexer_crashing: 'The indexer{of} does not stay up',
  lane_parked: 'The token{on} refuses what a lane sends',
  ledger_behind: 'The chain{on} has carried out what the ledger does not know',
  legs_overdue: 'Legs{on} are overdue',
  mail_not_sent: 'Mails are not sent',
  nonce_gap: 'A nonce{on} is not used by any transaction',
  nonce_used_elsewhere: 'Somebody else uses the nonces of a signer{on}',
  order_idle: 'An order waits for nothing',
  order_stuck: 'Tokens cannot be given back',
  outcome_disagrees: 'The chain{on} does not have what the index shows',
  partition_missing: 'Partitions of the coming months are missing',
  payments_overdue: 'Payments are overdue',
  queue_unreachable: 'Redis takes no wake-ups',
  recalls_open: 'Banks ask for the money of payments back',
  receipts_missing: 'Receipts of transactions{on} are missing',
  recovery_open: 'A recovery{on} waits for an operator',
  rejection_unclear: 'A rejection of the bank is not certain',
  repeated_reverts: 'Transactions of a single order{on} revert',
  retention_overdue: 'Expired partitions are still there',
  secrets_unreadable: 'Sealed secrets cannot be opened',
  sequence_used_elsewhere: 'Somebody else uses the sequence numbers of a token{on}',
  signatures_overdue: 'Signatures of contract accounts{on} are overdue',
  signer_has_code: 'A signer{on} has code',
  signer_silent: 'A signer{on} does not sign',
  statement_missing: 'A statement of the bank is missing',
  transaction_refused: 'No node{of} takes a transaction',
  transaction_unmined: 'A transaction{on} is not mined',
  upstream_unavailable: 'The live network of a fork{on} does not answer',
  worker_missing: 'A process{of} that is needed never ran',
  worker_silent: 'A process{of} is silent',
};

const warnings: Record<WarningKind, string> = {
  allowance_low: 'A mint allowance{on} ends soon',
  certificate_expiring: 'The TLS certificate ends soon',
  endpoint_silent: 'An endpoint{of} does not answer',
  endpoint_behind: 'An endpoint{of} is behind the others',
  daily_limit_low: 'A daily mint limit{on} is nearly used up',
  disk_low: 'A disk is nearly full',
  gas_money_low: 'The gas money of a signer{on} ends soon',
  approvals_waiting: 'Requests wait for a second person',
  mail_not_configured: 'Nobody can sign up, because no mail server is set',
  proxies_wrong: 'TRUST_PROXY is not the number of proxies',
  acted_alone: 'Somebody acted without the second person',
  rates_old: 'The rates of swaps are old',
  secret_old: 'A secret is old',
  secret_readable: 'A file with secrets can be read by every user',
  statements_late: 'A statement of the bank is late',
};

/** One alert for each kind of problem and warning, so that each has its severity and its runbook. */
export const statusAlerts: readonly Alert[] = [
  ...[...new Set<ProblemKind>([...problemKinds, ...alarmKinds])].toSorted().map((kind) => {
    // Comparisons last already before they are breaches; everything else may be a restart.
    return alertOf(kind, 'mintrail_problems', problemSeverities[kind], kind.startsWith('breach_') ? '0s' : '30s', problems[kind]);
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
