/** What the live stream tells of, as the server names it: a query's key begins with one of them. */
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
] as const;

/** One of {@link liveTopics}. */
export type Topic = (typeof liveTopics)[number];
