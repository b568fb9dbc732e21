import type { Topic } from '../../operations/topics.ts';

/** The tables whose changes change what is shown of a topic. What changes by itself all the time, such as heartbeats, is left out. */
export const topicTables: Readonly<Record<Topic, readonly string[]>> = {
  orders: ['orders', 'open_legs', 'leg_history', 'transactions', 'transaction_attempts', 'signature_requests', 'leg_failures'],
  bank: [
    'credits',
    'payments',
    'payment_files',
    'bank_files',
    'bank_debits',
    'bank_statements',
    'claims',
    'reversals',
    'recalls',
    'unknown_payment_statuses',
  ],
  customers: ['profiles', 'profile_sections', 'profile_verifications', 'profile_reviews', 'files', 'addresses', 'address_links', 'ibans'],
  networks: [
    'networks',
    'transactions',
    'transaction_attempts',
    'token_openings',
    'signer_amounts',
    'safe_transactions',
    'safe_signatures',
  ],
  webhooks: ['webhook_subscriptions', 'webhook_deliveries'],
  applications: ['applications'],
  // What operators sign in with shares its tables with customers' users, who change it all the time.
  operators: ['operators', 'operator_invitations'],
  approvals: ['approvals'],
  status: ['reserve_breaches', 'comparisons', 'claims', 'approvals', 'credits', 'payments', 'bank_files', 'profiles'],
};
