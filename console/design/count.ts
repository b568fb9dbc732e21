import { groupDigits } from './money.tsx';

/** A count for people; of rows that the server counts up to `most` and one more, such as `1,000+`. */
export function formatCount(count: number, most = Number.POSITIVE_INFINITY): string {
  return count > most ? `${groupDigits(String(most))}+` : groupDigits(String(count));
}

/** Up to how many rows of a kind the server counts (src/ledger/most-counted.ts). */
export const mostCounted = { overdue: 1_000, open: 10_000 } as const;
