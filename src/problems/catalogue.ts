import type { PaymentStage } from '../ledger/bank/waiting-money.ts';
import type { OperatorRole } from '../schema/states.ts';

/**
 * What a problem is worth: money stands still or is in somebody else's hands; somebody has to decide or to mend; or nothing stops yet, and something ends,
 * runs out or is weaker than it should be.
 */
export const severities = ['stops money', 'needs a person', 'soon'] as const;

/** One of {@link severities}. */
export type Severity = (typeof severities)[number];

/** What is true of every problem of a kind. */
export interface ProblemEntry {
  severity: Severity;
  /** What is wrong, for alerts and pages; `{on}` and `{of}` stand for a network. */
  title: string;
  /** Who acts: a role of the console, or whoever runs the machines, for whom the runbook is. */
  for: Exclude<OperatorRole, 'viewer'> | 'machine';
  /** What finds it: the loop of a process that raises an alarm, or the reader of the status. */
  foundBy: readonly ('network worker' | 'common worker' | 'API' | 'status')[];
  /** The console's page on which it is acted on. */
  page: '/' | '/bank' | '/networks' | '/orders' | '/customers' | '/webhooks' | '/approvals' | '/settings' | '/audit';
  /** Name of the verb that ends it, where one does (src/operations/registry.ts). */
  remedy?: string;
  /** Working days after which whoever waits for a person has waited too long, or the part of `WARN_AT` that says how many. At once where it is not set. */
  workingDays?: number | 'reviewDays';
  /** It follows from each of these on the same network, and is not named beside them. */
  follows?: readonly string[];
  /** Subjects that follow from none of these. */
  own?: readonly string[];
}

type Entry = Omit<ProblemEntry, 'severity'>;

/** Why nothing of a network is sent or settled; of what belongs to no network, why the common worker does nothing. */
const standstill = [
  'worker_missing',
  'worker_silent',
  'chain_unreachable',
  'head_stalled',
  'endpoints_disagree',
  'endpoints_missing',
  'index_damaged',
  'indexer_crashing',
  'indexer_behind',
];
const unreachable = ['chain_unreachable'];

const ofNetwork = { for: 'machine', foundBy: ['network worker'], page: '/networks' } as const;
const ofProcess = { for: 'machine', foundBy: ['status'], page: '/networks' } as const;
const ofMachine = { for: 'machine', foundBy: ['common worker'], page: '/settings' } as const;
const ofBankFiles = { for: 'machine', foundBy: ['common worker'], page: '/bank' } as const;
const ofMoney = { for: 'treasurer', foundBy: ['status'], page: '/bank' } as const;
const ofOrders = { for: 'treasurer', foundBy: ['status'], page: '/orders' } as const;
const ofCustomers = { for: 'reviewer', foundBy: ['status'], page: '/customers' } as const;

/** Somebody else's hands on a key or on the money, then what stands still, causes before what follows from them. */
const stopsMoney = {
  sequence_used_elsewhere: { ...ofNetwork, title: 'Somebody else uses the sequence numbers of a token{on}' },
  nonce_used_elsewhere: { ...ofNetwork, title: 'Somebody else uses the nonces of a signer{on}' },
  signer_has_code: { ...ofNetwork, title: 'A signer{on} has code' },
  ledger_behind: { ...ofNetwork, title: 'The chain{on} has carried out what the ledger does not know' },
  breach_index: { ...ofMoney, title: 'Tokens in circulation{on} differ from the book', page: '/', remedy: 'reserve.acknowledge' },
  breach_nodes: { ...ofMoney, title: 'The nodes{on} contradict the index', page: '/', remedy: 'reserve.acknowledge' },
  breach_states: { ...ofMoney, title: 'The book contradicts the states of orders', page: '/', remedy: 'reserve.acknowledge' },
  breach_bank: { ...ofMoney, title: 'The bank holds something else than the book', remedy: 'reserve.acknowledge' },
  outcome_disagrees: { ...ofNetwork, title: 'The chain{on} does not have what the index shows' },
  recovery_open: { ...ofMoney, for: 'machine', title: 'A recovery{on} waits for an operator' },
  secrets_unreadable: { ...ofMachine, title: 'Sealed secrets cannot be opened' },
  worker_missing: { ...ofProcess, title: 'A process{of} that is needed never ran' },
  worker_silent: { ...ofProcess, title: 'A process{of} is silent' },
  chain_unreachable: { ...ofNetwork, title: 'No endpoint{of} answers' },
  head_stalled: { ...ofNetwork, title: 'The head{of} stands still' },
  endpoints_disagree: { ...ofNetwork, title: 'The endpoints{of} contradict each other' },
  endpoints_missing: { ...ofNetwork, title: 'Too few endpoints{of} answer', follows: unreachable },
  index_damaged: { ...ofProcess, title: 'The index{of} is damaged and rebuilt' },
  indexer_crashing: { ...ofProcess, title: 'The indexer{of} does not stay up' },
  indexer_behind: { ...ofProcess, title: 'The indexer{of} is behind', follows: unreachable },
  signer_silent: { ...ofNetwork, title: 'A signer{on} does not sign' },
  gas_money: { ...ofNetwork, title: 'A signer{on} cannot pay for gas' },
  fee_ceiling: { ...ofNetwork, title: 'Gas{on} costs more than the ceiling' },
  lane_parked: { ...ofNetwork, title: 'The token{on} refuses what a lane sends' },
  bank_outbox_unusable: { ...ofBankFiles, title: 'No payment file can be written' },
  bank_inbox_unusable: { ...ofBankFiles, title: 'No file of the bank is imported' },
  transaction_unmined: {
    ...ofNetwork,
    foundBy: ['network worker', 'status'],
    title: 'A transaction{on} is not mined',
    follows: standstill,
  },
  legs_overdue: { ...ofOrders, title: 'Legs{on} are overdue', follows: standstill },
  payments_overdue: { ...ofMoney, title: 'Payments are overdue', follows: standstill, own: ['bank'] satisfies PaymentStage[] },
  rejection_unclear: { ...ofMoney, title: 'A rejection of the bank is not certain', remedy: 'bank.reject-payment' },
  comparison_missing: { ...ofMoney, for: 'machine', page: '/', title: 'A comparison of the reserve is not made', follows: standstill },
  order_stuck: { ...ofOrders, title: 'Tokens cannot be given back', remedy: 'orders.give-back' },
  order_idle: { ...ofOrders, for: 'machine', title: 'An order waits for nothing' },
} as const satisfies Record<string, Entry>;

const needsPerson = {
  endpoint_of_other_chain: { ...ofNetwork, title: 'An endpoint{of} is of another chain' },
  upstream_unavailable: { ...ofProcess, title: 'The live network of a fork{on} does not answer' },
  queue_unreachable: { ...ofMachine, title: 'Redis takes no wake-ups' },
  mail_not_sent: { ...ofMachine, title: 'Mails are not sent' },
  nonce_gap: { ...ofNetwork, title: 'A nonce{on} is not used by any transaction' },
  receipts_missing: { ...ofNetwork, title: 'Receipts of transactions{on} are missing' },
  transaction_refused: { ...ofNetwork, title: 'No node{of} takes a transaction' },
  repeated_reverts: { ...ofNetwork, title: 'Transactions of a single order{on} revert' },
  signatures_overdue: { ...ofCustomers, for: 'machine', title: 'Signatures of contract accounts{on} are overdue', follows: standstill },
  bank_files_waiting: { ...ofBankFiles, title: 'Files of the bank cannot be imported' },
  bank_files_refused: { ...ofBankFiles, title: 'Files of the bank were refused' },
  partition_missing: { ...ofMachine, foundBy: ['status'], title: 'Partitions of the coming months are missing', follows: standstill },
  retention_overdue: { ...ofMachine, foundBy: ['status'], title: 'Expired partitions are still there', follows: standstill },
  acted_alone: {
    for: 'administrator',
    foundBy: ['status'],
    page: '/audit',
    title: 'Somebody acted without the second person',
    workingDays: 1,
  },
  profiles_in_review: { ...ofCustomers, title: 'Profiles wait for a review', remedy: 'customers.approve', workingDays: 'reviewDays' },
  approvals_waiting: {
    for: 'administrator',
    foundBy: ['status'],
    page: '/approvals',
    title: 'Requests wait for a second person',
    workingDays: 1,
  },
  debit_unexplained: { ...ofMoney, title: 'A debit of the bank is not explained', remedy: 'bank.explain', workingDays: 1 },
  credits_unmatched: { ...ofMoney, title: 'Credits wait for an operator', remedy: 'bank.match', workingDays: 1 },
  recalls_open: { ...ofMoney, title: 'Banks ask for the money of payments back', remedy: 'bank.refuse-recall', workingDays: 1 },
  address_contested: {
    ...ofCustomers,
    title: 'An address is disputed between customers',
    remedy: 'customers.decide-address',
    workingDays: 1,
  },
  statement_missing: { ...ofMoney, title: 'A statement of the bank is missing', remedy: 'bank.accept-gap', workingDays: 1 },
  credits_awaited: { ...ofMoney, title: 'Notified money is in no statement', remedy: 'bank.not-booked', workingDays: 1 },
  claims_open: {
    ...ofMoney,
    title: 'The bank took credits back after their tokens were issued',
    remedy: 'bank.recover-claim',
    workingDays: 1,
  },
  subscriber_failing: {
    ...ofOrders,
    page: '/webhooks',
    title: 'A subscriber does not take its events',
    remedy: 'webhooks.replay',
    workingDays: 1,
  },
  gas_budget: { ...ofOrders, page: '/networks', title: 'Orders{on} wait for their gas budget', remedy: 'orders.release', workingDays: 1 },
} as const satisfies Record<string, Entry>;

const soon = {
  allowance_low: { ...ofNetwork, title: 'A mint allowance{on} ends soon' },
  daily_limit_low: { ...ofNetwork, title: 'A daily mint limit{on} is nearly used up' },
  gas_money_low: { ...ofNetwork, title: 'The gas money of a signer{on} ends soon' },
  endpoint_silent: { ...ofNetwork, title: 'An endpoint{of} does not answer', follows: unreachable },
  endpoint_behind: { ...ofNetwork, title: 'An endpoint{of} is behind the others' },
  endpoint_contradicted: { ...ofNetwork, foundBy: ['network worker', 'status'], title: 'An endpoint{of} does not answer as the others do' },
  endpoint_slow: { ...ofNetwork, foundBy: ['network worker', 'status'], title: 'An endpoint{of} answers slowly' },
  certificate_expiring: { ...ofMachine, title: 'The TLS certificate ends soon' },
  secret_old: { ...ofMachine, title: 'A secret is old' },
  secret_readable: {
    ...ofMachine,
    foundBy: ['network worker', 'common worker'],
    title: 'A file with secrets can be read by every user',
  },
  disk_low: { ...ofMachine, title: 'A disk is nearly full' },
  mail_not_configured: { ...ofMachine, title: 'Nobody can sign up, because no mail server is set' },
  proxies_wrong: { ...ofMachine, foundBy: ['API'], title: 'TRUST_PROXY is not the number of proxies' },
  rates_old: { ...ofMachine, title: 'The rates of swaps are old' },
  statements_late: { ...ofMoney, for: 'machine', title: 'A statement of the bank is late' },
} as const satisfies Record<string, Entry>;

/** One of {@link catalogue}. */
export type ProblemKind = keyof typeof stopsMoney | keyof typeof needsPerson | keyof typeof soon;

/**
 * Everything that can be wrong, once, in the order in which an operator acts. The runbook of each is its page in docs/operations/runbooks; status, console, metrics, alerts
 * and the index of the runbooks show what stands here.
 */
export const catalogue = {
  ...withSeverity('stops money', stopsMoney),
  ...withSeverity('needs a person', needsPerson),
  ...withSeverity('soon', soon),
} as Readonly<Record<ProblemKind, ProblemEntry>>;

/** All kinds, the most urgent first. */
export const problemKinds = Object.keys(catalogue) as readonly ProblemKind[];

/** What a worker of a network may raise an alarm about. */
export const networkAlarmKinds = problemKinds.filter((kind) => catalogue[kind].foundBy.includes('network worker'));

function withSeverity(severity: Severity, entries: Record<string, Entry>): Record<string, ProblemEntry> {
  return Object.fromEntries(Object.entries(entries).map(([kind, entry]) => [kind, { severity, ...entry }]));
}

/** The title of a kind; `network` writes the network behind `on` or `of`, by default nothing. */
export function titleOf({ title }: Pick<ProblemEntry, 'title'>, network: (word: string) => string = () => ''): string {
  return title.replaceAll(/\{(on|of)\}/g, (_, word: string) => network(word));
}
