import { numberToHex, zeroAddress, zeroHash } from 'viem';
import { z } from 'zod';
import type { Call } from '../../chain/endpoints/chain-of-answer.ts';

/** Nodes write letters in either case, and whatever is read is kept as it is written. */
const hex = z
  .string()
  .regex(/^0x[0-9a-f]*$/i)
  .toLowerCase();

const quantity = z
  .string()
  .regex(/^0x0*[0-9a-f]{1,16}$/i)
  .transform((value) => `0x${BigInt(value).toString(16)}`);

/** What Ponder needs of a log. */
const log = z.object({
  address: hex,
  topics: z.array(hex),
  data: hex,
  blockNumber: quantity,
  blockHash: hex,
  transactionHash: hex,
  transactionIndex: quantity,
  logIndex: quantity,
});

type Log = z.output<typeof log>;

/** What Ponder needs of a block; the rest it fills up. Of transactions the hashes are enough: with all that they carry a block may be longer than any answer. */
const block = z.object({
  number: quantity,
  hash: hex,
  parentHash: hex,
  timestamp: quantity,
  logsBloom: hex,
  transactions: z.array(hex),
});

const readLogs = (answer: unknown): Log[] => z.array(log).parse(answer).toSorted(byPlace);

/** The order in which Ponder must have them. */
const byPlace = (a: Log, b: Log): number => Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex);

/** A block with the hashes of its transactions. */
export type Block = z.output<typeof block>;

/** A block or logs as an endpoint answers them, with what the index needs and nothing else, always written alike; null where it has no such block. */
export type Answer = Log[] | Block | null;

/** Reads what an endpoint answers to a request of {@link isOfForm}. Throws `ZodError` when it is neither. */
export function readAnswer({ method }: Call, answer: unknown): Answer {
  if (method === 'eth_getLogs') return readLogs(answer);
  return answer === null ? null : block.parse(answer);
}

const blockMethods = new Set(['eth_getBlockByNumber', 'eth_getBlockByHash']);

/** Whether blocks or logs are asked for. */
export const isOfForm = ({ method }: Call): boolean => method === 'eth_getLogs' || blockMethods.has(method);

/** What Ponder is answered that asks for a block. It must have who sent a transaction, and its gas price; the index reads neither, so that they are constants. */
export function renderBlock(found: Block, { params }: Call): object {
  const { number: blockNumber, hash: blockHash } = found;
  const shared = { blockNumber, blockHash, from: zeroAddress, to: null, type: '0x0', gasPrice: '0x0' };
  const [, isFull] = params as [unknown, unknown];
  const transactions =
    isFull === true
      ? found.transactions.map((hash, index) => ({ ...shared, hash, transactionIndex: numberToHex(index) }))
      : found.transactions;
  return { ...found, receiptsRoot: zeroHash, transactions };
}
