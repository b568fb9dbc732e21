import { StopError } from '../../platform/errors.ts';
import { answerOrRefusal } from '../node-answer.ts';
import type { Rpc } from '../endpoints/rpc.ts';

/** At ten requests a second this takes a minute; a command should not take longer. */
const mostRequests = 600;

/**
 * Reads all logs from a block on, in as few requests as the node allows: the whole range at first, and half of it after each refusal. Throws
 * `not_possible` when that takes too many requests or the node serves no logs, and when the node does not answer.
 */
export async function scanLogs<T>(
  rpc: Rpc,
  fromBlock: bigint,
  request: (range: { fromBlock: bigint; toBlock: bigint }) => Promise<T[]>,
): Promise<T[]> {
  const head = await rpc.getBlockNumber({ cacheTime: 0 });
  const logs: T[] = [];
  let step = head - fromBlock + 1n;
  for (let from = fromBlock, requests = 0; from <= head; requests += 1) {
    const toBlock = from + step - 1n < head ? from + step - 1n : head;
    const result = await answerOrRefusal(
      () => request({ fromBlock: from, toBlock }),
      () => rpc.getBlockNumber({ cacheTime: 0 }),
    );
    if ('answer' in result) {
      logs.push(...result.answer);
      from = toBlock + 1n;
    } else if (step > 1n) step = (step + 1n) / 2n;
    else throw new StopError({ code: 'not_possible', message: `The node serves no logs: ${result.refusal}. Use another node` });
    if (from <= head && BigInt(requests) + (head - from + 1n) / step > BigInt(mostRequests) && step < 10_000n)
      throw new StopError({
        code: 'not_possible',
        message: `The node serves logs of ${step} blocks at a time, and ${head - from + 1n} blocks are to be read: set START_BLOCK to the block of the deployment, or use another node`,
      });
  }
  return logs;
}
