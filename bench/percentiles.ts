/** The value below which a share of the values lies, by nearest rank: a value that was measured. NaN of no values. `share` is 0 to 1. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** Something that was counted up to a time in seconds. */
export interface CountAt {
  seconds: number;
  count: number;
}

/**
 * The rates of the first and the last tenth of a count that grows in steps, one for each block, per second. The first step is where counting begins: whatever
 * happened before the first block is the time of that block. Between two steps the count is taken to grow evenly, so that a tenth need not end
 * with a block. NaN where there are fewer than two steps.
 */
export function tenths(counts: readonly CountAt[]): { first: number; last: number } {
  // Blocks that are settled together are one step.
  const steps = counts.filter(({ seconds }, index) => counts[index + 1]?.seconds !== seconds);
  const [begin, end] = [steps[0], steps.at(-1)];
  if (!begin || !end || steps.length < 2) return { first: Number.NaN, last: Number.NaN };
  const tenth = (end.count - begin.count) / 10;
  return {
    first: tenth / (timeOf(steps, begin.count + tenth) - begin.seconds),
    last: tenth / (end.seconds - timeOf(steps, end.count - tenth)),
  };
}

/** When the count was reached. */
function timeOf(steps: readonly CountAt[], count: number): number {
  const after = steps.findIndex((step) => step.count >= count);
  const [from, to] = [steps[after - 1], steps[after]];
  if (!from || !to) return Number.NaN;
  return from.seconds + ((to.seconds - from.seconds) * (count - from.count)) / (to.count - from.count);
}
