import { numberToHex } from 'viem';
import type { Rpc } from '../rpc.ts';
import { answerOrRefusal } from './finding.ts';

/** More blocks in one question than this bring an indexer nothing. */
const widest = 10_000n;

/**
 * How many blocks back from `head` a node lets one `eth_getLogs` reach, up to 10,000 or the length of the chain; 0 when it answers none.
 * Found by halving, in at most 30 questions. Throws when the node cannot be asked.
 */
export async function probeLogRange(rpc: Rpc, address: `0x${string}`, head: bigint): Promise<{ blocks: bigint; refusal?: string }> {
  const all = head + 1n < widest ? head + 1n : widest;
  const ask = (blocks: bigint) =>
    answerOrRefusal(
      () =>
        rpc.request({
          method: 'eth_getLogs',
          params: [{ address, fromBlock: numberToHex(head - blocks + 1n), toBlock: numberToHex(head) }],
        }),
      () => rpc.getBlockNumber({ cacheTime: 0 }),
    );
  const first = await ask(all);
  if ('answer' in first) return { blocks: all };
  let [answered, refused] = [0n, all];
  while (refused - answered > 1n) {
    const middle = (answered + refused) / 2n;
    if ('answer' in (await ask(middle))) answered = middle;
    else refused = middle;
  }
  return { blocks: answered, refusal: first.refusal };
}
