import { StopError } from '../../platform/errors.ts';
import { answerOrRefusal } from '../probes/finding.ts';
import type { Rpc } from '../rpc.ts';

/** At ten a second this takes a minute; a command should not take longer. */
const mostQuestions = 600;

/**
 * All logs from a block on, in as few questions as the node lets: the whole at first, and half as much whenever it refuses.
 * Throws `log_range_too_large`, and when the node cannot be asked.
 */
export async function scanLogs<T>(
  rpc: Rpc,
  fromBlock: bigint,
  ask: (range: { fromBlock: bigint; toBlock: bigint }) => Promise<T[]>,
): Promise<T[]> {
  const head = await rpc.getBlockNumber({ cacheTime: 0 });
  const logs: T[] = [];
  let step = head - fromBlock + 1n;
  for (let from = fromBlock, questions = 0; from <= head; questions += 1) {
    const toBlock = from + step - 1n < head ? from + step - 1n : head;
    const found = await answerOrRefusal(
      () => ask({ fromBlock: from, toBlock }),
      () => rpc.getBlockNumber({ cacheTime: 0 }),
    );
    if ('answer' in found) {
      logs.push(...found.answer);
      from = toBlock + 1n;
    } else if (step > 1n) step = (step + 1n) / 2n;
    else throw new StopError({ code: 'logs_unavailable', message: `The node answers no question for logs: ${found.refusal}` });
    if (from <= head && BigInt(questions) + (head - from + 1n) / step > BigInt(mostQuestions) && step < 10_000n)
      throw new StopError({
        code: 'log_range_too_large',
        message: `The node answers for ${step} blocks at a time, and there are ${head - from + 1n}: set START_BLOCK to the block of the deployment, or use another node`,
      });
  }
  return logs;
}
