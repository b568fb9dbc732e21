/** More blocks than anything in a lane waits for. */
const enoughBlocks = 1_000n;

/** Blocks at the head `block` since `since` was the head. A head that went back leaves numbers that may not come again: then enough have passed. */
export function blocksSince(since: bigint, block: bigint): bigint {
  return block < since ? enoughBlocks : block - since;
}
