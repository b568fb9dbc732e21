import type { Hex } from 'viem';
import type { Endpoint } from '../../chain/endpoints/endpoints.ts';
import { type Refusal, refusalOf } from '../../chain/refusals.ts';
import type { Rpc } from '../../chain/endpoints/rpc.ts';
import type { OrderTraces } from '../../ledger/orders/traces/order-traces.ts';
import type { Log } from '../../platform/log.ts';

interface BroadcastDeps {
  rpc: Rpc;
  /** Each endpoint of the network; without them, `rpc` alone. */
  endpoints?: readonly Endpoint[] | undefined;
  log: Log;
}

/** A signed transaction that is recorded in the ledger, and the orders that the log names by it, if it carries any. */
interface RecordedTransaction {
  raw: Hex;
  hash: string;
  traces?: OrderTraces | undefined;
}

/** What the nodes made of a transaction: undefined when one has it now, or the refusal that decides what to do about it. */
export type BroadcastResult = Refusal | undefined;

/**
 * Which refusal counts when endpoints differ: what can be mended before what cannot, and a transaction is `invalid` only when all say so that
 * answer. An endpoint that does not answer has no voice, unless none does.
 */
const precedence: readonly Refusal['kind'][] = [
  'nonce_used',
  'replacement_underpriced',
  'underpriced',
  'unfunded',
  'capped',
  'nonce_gap',
  'invalid',
  'unclear',
];

/**
 * Broadcasts a signed transaction that is recorded in the ledger to every endpoint, for the first time or again: one that keeps it to itself does
 * not hold it up, and neither does one that hangs while another has it. Never throws: what no node took is rebroadcast by the tracker.
 */
export async function broadcast(deps: BroadcastDeps, transaction: RecordedTransaction): Promise<BroadcastResult> {
  const clients = deps.endpoints?.map(({ rpc }) => rpc) ?? [deps.rpc];
  const sends = clients.map((rpc) => send(rpc, transaction.raw));
  const firstTaken = new Promise<undefined>((resolve) => {
    for (const sending of sends) void sending.then((refused) => refused ?? resolve(undefined));
  });
  return Promise.race([firstTaken, decisiveRefusal(deps, transaction, sends)]);
}

async function decisiveRefusal(
  { log }: BroadcastDeps,
  { hash, traces }: RecordedTransaction,
  sends: readonly Promise<BroadcastResult>[],
): Promise<BroadcastResult> {
  const results = await Promise.all(sends);
  if (results.includes(undefined)) return undefined;
  const refusals = results.flatMap((refusal) => refusal ?? []);
  const kind = precedence.find((candidate) => refusals.some((refusal) => refusal.kind === candidate));
  const refusal = refusals.find((candidate) => candidate.kind === kind);
  log.warn({ txHash: hash, refusal: refusal?.kind, err: refusal?.text, ...traces }, 'no node takes the transaction now');
  return refusal;
}

async function send(rpc: Rpc, raw: Hex): Promise<BroadcastResult> {
  try {
    await rpc.sendRawTransaction({ serializedTransaction: raw });
    return undefined;
  } catch (error) {
    const refusal = refusalOf(error);
    return refusal.kind === 'known' ? undefined : refusal;
  }
}
