import type { Topic } from '../../src/operations/topics.ts';

/** What the live stream tells of: a query's key begins with one of them. */
export const liveTopics = [
  'orders',
  'bank',
  'customers',
  'networks',
  'webhooks',
  'applications',
  'operators',
  'approvals',
  'status',
] as const satisfies readonly Topic[];

export type { Topic } from '../../src/operations/topics.ts';
