import { BaseError, zeroHash } from 'viem';
import { z } from 'zod';
import type { Call } from '../../chain/endpoints/chain-of-answer.ts';

/** Nodes write letters in either case, and whatever is read is kept as it is written. */
const hex = z
  .string()
  .regex(/^0x[0-9a-f]*$/i)
  .toLowerCase();

const quantity = z
  .string()
  .regex(/^0x[0-9a-f]{1,16}$/i)
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

/** What Ponder needs of a block and its transactions. The index reads nothing else of them; what Ponder does not fill up itself is a constant. */
const transaction = z
  .object({ hash: hex, transactionIndex: quantity, blockNumber: quantity, blockHash: hex, from: hex, to: hex.nullish() })
  .transform((fields) => ({ ...fields, type: '0x0', gasPrice: '0x0' }));

const header = z.object({
  number: quantity,
  hash: hex,
  parentHash: hex,
  timestamp: quantity,
  logsBloom: hex,
  receiptsRoot: z.unknown().transform(() => zeroHash),
});

const block = header.extend({ transactions: z.array(transaction) });

const readLogs = (answer: unknown): Log[] => z.array(log).parse(answer).toSorted(byPlace);

/** The order in which Ponder must have them. */
const byPlace = (a: Log, b: Log): number => Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex);

/** A block or logs as an endpoint answers them, with what the index needs and nothing else, always written alike. */
export type Answer = Log[] | z.output<typeof header>;

/** How what answers a request is read; undefined for a method of which endpoints need not agree. */
export function formOf({ method, params }: Call): ((answer: unknown) => Answer) | undefined {
  if (method === 'eth_getLogs') return readLogs;
  if (method !== 'eth_getBlockByNumber' && method !== 'eth_getBlockByHash') return undefined;
  const hasTransactions = Array.isArray(params) && params[1] === true;
  return (answer) => {
    if (answer === null) throw new NoSuchBlock('An endpoint has no such block.');
    return (hasTransactions ? block : header).parse(answer);
  };
}

/** The block that is asked for is none of an endpoint. */
export class NoSuchBlock extends BaseError {}
