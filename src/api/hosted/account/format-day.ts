/** A day in UTC, such as 2026-11-20, which is the same in every language. */
export function formatDay(time: Date): string {
  return time.toISOString().slice(0, 10);
}
