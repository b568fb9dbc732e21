import { type ProposalFate, readProposalFate } from '../../chain/admin/proposal-fate.ts';
import { createRpc } from '../../chain/endpoints/rpc.ts';
import {
  changeSafeTransaction,
  type SafeTransactionChange,
  type SafeTransactionRecord,
  undecidedSafeTransactions,
} from '../../ledger/safes/safe-transactions.ts';
import { actAsSystem } from '../../platform/acting.ts';
import type { ConsoleDependencies } from '../console-env.ts';
import { withDeadline } from './deadline.ts';
import { proposalOf } from '../../operations/networks/proposal-of.ts';

/** What the chain says of the transactions by their ids; undefined where no node answers. */
export type Fates = ReadonlyMap<string, ProposalFate['fate'] | undefined>;

/** Records what the chains have made of the Safes' transactions, and returns what they say now. An outage is no answer, and leaves all as it is. */
export async function followSafeTransactions({
  ledger,
  settings,
  log,
}: Pick<ConsoleDependencies, 'ledger' | 'settings' | 'log'>): Promise<Fates> {
  const undecided = await undecidedSafeTransactions(ledger);
  const fates = await Promise.all(
    undecided.map(async (record): Promise<[string, ProposalFate['fate'] | undefined]> => {
      const network = settings.networks[record.chain];
      if (!network) return [record.id, undefined];
      try {
        const fate = await withDeadline(readProposalFate(createRpc(network), proposalOf(record), network.confirmations));
        const change = changeOf(record, fate);
        // The chain has changed it, and not whoever looks.
        if (change) await actAsSystem(() => changeSafeTransaction(ledger, record.id, change));
        return [record.id, fate.fate];
      } catch (error) {
        log.debug({ err: error, chain: record.chain }, 'what became of a transaction of a Safe cannot be read');
        return [record.id, undefined];
      }
    }),
  );
  return new Map(fates);
}

function changeOf({ state, readyAt }: SafeTransactionRecord, fate: ProposalFate): SafeTransactionChange | undefined {
  switch (fate.fate) {
    case 'open':
    case 'unconfirmed':
      return undefined;
    case 'replaced':
      return state === 'open' ? { state: 'replaced' } : undefined;
    case 'executed':
    case 'cancelled':
      return { state: fate.fate, executionHash: fate.hash, executionBlock: fate.block };
    case 'scheduled': {
      const ready = new Date(Number(fate.readyAt) * 1_000);
      if (state === 'scheduled' && readyAt?.getTime() === ready.getTime()) return undefined;
      return { state: 'scheduled', readyAt: ready, executionHash: fate.hash, executionBlock: fate.block };
    }
  }
}
