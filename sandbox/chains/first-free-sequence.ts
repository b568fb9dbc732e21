/** Sequence numbers behind the first free one that must be free, too: somebody with an operator's key may have used one out of turn. */
const lookAhead = [1n, 2n, 4n, 8n, 16n, 32n, 64n, 128n, 256n];

/**
 * Finds the sequence number behind all that a token contract has used. Its numbers are used without gaps, so a search that doubles its steps and
 * then halves them finds it with few reads. Throws what `isUsed` throws.
 */
export async function firstFreeSequence(isUsed: (sequence: bigint) => Promise<boolean>): Promise<bigint> {
  let start = 0n;
  for (;;) {
    const free = await firstFreeFrom(start, isUsed);
    const ahead = await Promise.all(lookAhead.map((step) => isUsed(free + step)));
    const last = ahead.lastIndexOf(true);
    if (last < 0) return free;
    start = free + (lookAhead[last] ?? 0n);
  }
}

/** The first free number behind `start` where all numbers from there to it are used. */
async function firstFreeFrom(start: bigint, isUsed: (sequence: bigint) => Promise<boolean>): Promise<bigint> {
  if (!(await isUsed(start))) return start;
  let used = start;
  let step = 1n;
  while (await isUsed(used + step)) {
    used += step;
    step *= 2n;
  }
  let free = used + step;
  while (free - used > 1n) {
    const middle = (used + free) / 2n;
    if (await isUsed(middle)) used = middle;
    else free = middle;
  }
  return free;
}
