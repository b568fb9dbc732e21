/** For so long, all browsers are shown the same reading of a network's nodes. */
const keptMs = 5_000;

/** Readings that are kept at most: one per network and question. */
const mostKept = 200;

/** Keeps what was read for some seconds; who asks meanwhile waits for the same reading. */
export function createNodeCache() {
  const kept = new Map<string, { until: number; value: Promise<unknown> }>();
  return async function cached<T>(key: string, read: () => Promise<T>): Promise<T> {
    const present = kept.get(key);
    if (present && present.until > Date.now()) return present.value as Promise<T>;
    if (kept.size >= mostKept) kept.clear();
    const value = read();
    kept.set(key, { until: Date.now() + keptMs, value });
    // An outage is asked about again at once.
    value.catch(() => kept.delete(key));
    return value;
  };
}
