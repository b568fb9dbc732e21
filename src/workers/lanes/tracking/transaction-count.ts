import type { Endpoint } from '../../../chain/endpoints/endpoints.ts';
import type { Rpc } from '../../../chain/endpoints/rpc.ts';
import type { LowerAddress } from '../../../platform/addresses.ts';
import type { Log } from '../../../platform/log.ts';
import type { Alarms } from '../../alarms.ts';

/** What the count of a signer can be, after what the ledger has recorded; both ends are plausible. */
export interface PlausibleCount {
  from: bigint;
  upTo: bigint;
}

/** How many transactions of a signer the chain has. A count that the ledger does not expect is not believed from one answer. */
export interface TransactionCount {
  /**
   * Asks for the count. An implausible one is compared with the other endpoints', or asked for again in the next call where there is no other.
   * Undefined while it is in doubt. Throws what the node throws.
   */
  read(plausible: PlausibleCount): Promise<bigint | undefined>;
  /** Whether the last answer was in doubt: it is to be asked again. */
  isDoubtful(): boolean;
}

interface TransactionCountDeps {
  rpc: Rpc;
  /** Clients of the single endpoints; without them an implausible count is asked for again at the next call. */
  endpoints?: readonly Endpoint[] | undefined;
  signer: { address: LowerAddress };
  log: Log;
  alarms: Alarms;
}

/** Creates the count of one signer, before its first answer. */
export function createTransactionCount({ rpc, endpoints = [], signer: { address }, log, alarms }: TransactionCountDeps): TransactionCount {
  const subject = `transaction count of ${address}`;
  let doubted: bigint | undefined;

  const readAt = async (client: Rpc) => BigInt(await client.getTransactionCount({ address, blockTag: 'latest' }));

  const readAtEach = async (): Promise<bigint[]> => {
    if (endpoints.length < 2) return [];
    const counts = await Promise.all(endpoints.map((endpoint) => readAt(endpoint.rpc).catch(() => undefined)));
    return counts.flatMap((count) => count ?? []);
  };

  return {
    isDoubtful: () => doubted !== undefined,
    async read(plausible) {
      const count = await readAt(rpc);
      if (isWithin(count, plausible)) {
        doubted = undefined;
        alarms.clear('endpoints_disagree', subject);
        return count;
      }
      const isHigher = count > plausible.upTo;
      const others = await readAtEach();
      const before = doubted !== undefined && doubted > plausible.upTo === isHigher ? [doubted] : [];
      const believed = others.length > 1 ? confirmed(others, isHigher) : confirmed([...before, count], isHigher);
      doubted = believed === undefined ? count : undefined;
      if (believed !== undefined && !isWithin(believed, plausible)) {
        alarms.clear('endpoints_disagree', subject);
        return believed;
      }
      const facts = { signer: address, count: count.toString(), from: plausible.from.toString(), upTo: plausible.upTo.toString() };
      log.warn(facts, 'a node answered an implausible transaction count: it is not believed');
      if (others.length > 1)
        alarms.raise(
          'endpoints_disagree',
          subject,
          `An endpoint says that the chain has ${count} transactions of ${address}; the ledger expects ${plausible.from} to ${plausible.upTo}, and ` +
            `another endpoint agrees. Check the endpoints: one of them lags, is of another chain or is broken.`,
        );
      return believed;
    },
  };
}

function isWithin(count: bigint, { from, upTo }: PlausibleCount): boolean {
  return count >= from && count <= upTo;
}

/** What two answers confirm: of those that are too high the second highest, of those that are too low the second lowest. */
function confirmed(answers: readonly bigint[], isHigher: boolean): bigint | undefined {
  return answers.toSorted((a, b) => (a > b === isHigher ? -1 : 1))[1];
}
