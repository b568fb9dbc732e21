import type { Chain } from '../platform/chains.ts';

/** What can be wrong besides the alarms of the workers; docs/operations.md has a section for each. */
export const problemKinds = [
  'worker_missing',
  'worker_silent',
  'indexer_behind',
  'indexer_crashing',
  'legs_overdue',
  'transaction_unmined',
  'signatures_overdue',
  'payments_overdue',
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
  'claims_open',
  'upstream_unavailable',
] as const;

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
