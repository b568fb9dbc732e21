/**
 * Up to how many rows are counted, of each group that status or a metric shows: a count of all would cost more with each row. What is overdue is
 * looked up in its table; what is open is counted in an index alone, far enough for the load of a busy day to show.
 */
export const mostCounted = { overdue: 1_000, open: 10_000 } as const;

/** What waits: how many, at most {@link mostCounted} and one more, which says that there are further ones; and the oldest, and since when that waits. */
export interface Waiting {
  count: number;
  since: Date;
  /** Its id or reference. */
  oldest: string;
}

/** A count for people, of rows that were counted up to `most` and one more. */
export function countText(count: number, most: number): string {
  return count > most ? `more than ${most}` : String(count);
}
