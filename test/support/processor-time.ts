/** Runs of which the least counts: the first one compiles, and neighbours of a busy processor slow others down. */
const runs = { least: 3, most: 20 };

/** What {@link reference} takes at least on the machine that the bounds of tests are for, in milliseconds. */
const referenceMs = 4;

/**
 * Processor milliseconds that work takes, of all threads of this process: the least of three runs or, while that is not below `bound`, of twenty. Then it is also
 * compared with a piece of reference work, and a machine that takes three times as long for both counts as quick as the one that `bound` is for.
 */
export async function processorMs(bound: number, work: () => unknown): Promise<number> {
  let [least, leastReference] = [Infinity, Infinity];
  for (let run = 0; run < runs.least || (least >= bound && run < runs.most); run += 1) {
    least = Math.min(least, await milliseconds(work));
    if (least >= bound) leastReference = Math.min(leastReference, await milliseconds(reference));
  }
  return least < bound ? least : (least * referenceMs) / Math.max(referenceMs, leastReference);
}

async function milliseconds(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Strings, an array and memory, as the work of a request is. */
function reference(): number {
  return Array.from({ length: 20_000 }, (_, index) => String(Math.imul(index, 2_654_435_761) >>> 0))
    .toSorted()
    .join('').length;
}
