import type { Chain } from '../platform/chains.ts';

/**
 * Every kind of problem, with what it is worth: `critical` wakes somebody, `warning` is for the same day, `info` for the daytime. In the order in which an
 * operator acts: somebody else's hands on a key or on the money, then what stands still, causes before what follows from them, then what waits for a person.
 */
export const problemSeverities = {
  sequence_used_elsewhere: 'critical',
  nonce_used_elsewhere: 'critical',
  signer_has_code: 'critical',
  ledger_behind: 'critical',
  breach_index: 'critical',
  breach_nodes: 'critical',
  breach_states: 'critical',
  breach_bank: 'critical',
  outcome_disagrees: 'critical',
  recovery_open: 'critical',
  secrets_unreadable: 'critical',
  worker_missing: 'critical',
  worker_silent: 'critical',
  chain_unreachable: 'critical',
  head_stalled: 'critical',
  endpoints_disagree: 'critical',
  index_damaged: 'critical',
  indexer_crashing: 'critical',
  indexer_behind: 'critical',
  signer_silent: 'critical',
  gas_money: 'critical',
  lane_parked: 'critical',
  bank_outbox_unusable: 'critical',
  bank_inbox_unusable: 'critical',
  transaction_unmined: 'critical',
  legs_overdue: 'critical',
  payments_overdue: 'critical',
  rejection_unclear: 'critical',
  comparison_missing: 'critical',
  order_stuck: 'critical',
  order_idle: 'critical',
  endpoints_missing: 'warning',
  endpoint_of_other_chain: 'warning',
  queue_unreachable: 'warning',
  bank_files_waiting: 'warning',
  bank_files_refused: 'warning',
  statement_missing: 'warning',
  credits_unmatched: 'warning',
  credits_awaited: 'warning',
  debit_unexplained: 'warning',
  claims_open: 'warning',
  recalls_open: 'warning',
  address_contested: 'warning',
  fee_ceiling: 'warning',
  nonce_gap: 'warning',
  receipts_missing: 'warning',
  transaction_refused: 'warning',
  repeated_reverts: 'warning',
  signatures_overdue: 'warning',
  mail_not_sent: 'warning',
  partition_missing: 'warning',
  retention_overdue: 'warning',
  gas_budget: 'info',
  upstream_unavailable: 'info',
} as const satisfies Record<string, 'critical' | 'warning' | 'info'>;

/** One of {@link problemSeverities}. */
export type ProblemKind = keyof typeof problemSeverities;

/** What can be wrong besides the alarms of the workers; docs/operations.md has a section for each. */
export const problemKinds = [
  'worker_missing',
  'worker_silent',
  'indexer_behind',
  'indexer_crashing',
  'index_damaged',
  'legs_overdue',
  'gas_budget',
  'transaction_unmined',
  'signatures_overdue',
  'payments_overdue',
  'rejection_unclear',
  'debit_unexplained',
  'statement_missing',
  'order_idle',
  'order_stuck',
  'address_contested',
  'breach_states',
  'breach_index',
  'breach_nodes',
  'breach_bank',
  'recovery_open',
  'comparison_missing',
  'partition_missing',
  'retention_overdue',
  'credits_unmatched',
  'credits_awaited',
  'claims_open',
  'recalls_open',
  'upstream_unavailable',
] as const satisfies readonly ProblemKind[];

/** Something that an operator should look at. It is known by its kind, chain and subject while it lasts. */
export interface Problem {
  /** One of {@link problemKinds}, or the kind of a worker's alarm. */
  kind: string;
  /** Empty for what belongs to no network. */
  chain: Chain | '';
  /** What it is about, such as a signer, an order or a component. */
  subject: string;
  since: Date;
  /** What is wrong, with its values, and the remedy. */
  text: string;
}

const inOrder = Object.keys(problemSeverities);

/** Compares two problems or warnings by the order of {@link problemSeverities}, and those of a kind by age. Kinds that are not in it, as of warnings, come last. */
export function byUrgency(a: Problem, b: Problem): number {
  return rankOf(a) - rankOf(b) || a.since.getTime() - b.since.getTime();
}

function rankOf({ kind }: Problem): number {
  const rank = inOrder.indexOf(kind);
  return rank === -1 ? inOrder.length : rank;
}
