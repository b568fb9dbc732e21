import { numberToHex } from 'viem';
import type { Rpc } from '../endpoints/rpc.ts';
import { answerOrRefusal } from '../node-answer.ts';

/** A range wider than this does not make an indexer faster. */
const widestRange = 10_000n;

/**
 * The most blocks that a node allows in one `eth_getLogs` up to `head`, at most 10,000; 0 when it allows none. A binary search of at most 30
 * requests. `refusal` is the node's text for a wider range. Throws when the node does not answer.
 */
export async function probeLogRange(rpc: Rpc, address: `0x${string}`, head: bigint): Promise<{ blocks: bigint; refusal?: string }> {
  const all = head + 1n < widestRange ? head + 1n : widestRange;
  const request = (blocks: bigint) =>
    answerOrRefusal(
      () =>
        rpc.request({
          method: 'eth_getLogs',
          params: [{ address, fromBlock: numberToHex(head - blocks + 1n), toBlock: numberToHex(head) }],
        }),
      () => rpc.getBlockNumber({ cacheTime: 0 }),
    );
  const first = await request(all);
  if ('answer' in first) return { blocks: all };
  let [allowed, refused] = [0n, all];
  while (refused - allowed > 1n) {
    const middle = (allowed + refused) / 2n;
    if ('answer' in (await request(middle))) allowed = middle;
    else refused = middle;
  }
  return { blocks: allowed, refusal: first.refusal };
}
