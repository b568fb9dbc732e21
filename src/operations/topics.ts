/** What a browser may show, and reads again when it has changed. */
export const topics = ['orders', 'bank', 'customers', 'networks', 'webhooks', 'applications', 'operators', 'approvals', 'status'] as const;

/** One of {@link topics}. */
export type Topic = (typeof topics)[number];
