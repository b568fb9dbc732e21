import { asChain, type Chain } from '../../../src/platform/chains.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { acceptSigningTimes, listDueSignatures } from '../../../src/ledger/orders/due-signatures.ts';
import { decideSignature } from '../../../src/ledger/orders/signature-requests.ts';

type Answer = 'valid' | 'invalid' | 'unavailable';

/** Contract accounts, and the network's worker that asks them: an address without an answer has no contract. */
export function createContractAccounts(ledger: Ledger) {
  const answers = new Map<string, (signature: string) => Answer>();
  const turns = new Set<Promise<unknown>>();

  const look = async (chain: Chain, signed: 'in request' | 'on chain'): Promise<void> => {
    for (const { id, address, signature } of await listDueSignatures(ledger, chain, signed)) {
      const answer = answers.get(address)?.(signature) ?? 'invalid';
      if (answer === 'valid') await decideSignature(ledger, id, { state: 'valid' });
      else if (answer === 'invalid' && signed === 'in request')
        await decideSignature(ledger, id, { state: 'invalid', reason: 'invalid signature: the account does not recognise the signature' });
    }
  };

  /** Accounts that have not signed on chain yet can only do so in time; those that have are taken to have done so long before. */
  const date = async (chain: Chain): Promise<void> => {
    for (const { id, address } of await listDueSignatures(ledger, chain, 'undated')) {
      const answer = answers.get(address)?.('0x') ?? 'invalid';
      if (answer === 'valid') await decideSignature(ledger, id, { state: 'invalid', reason: 'signed before' });
      else if (answer === 'invalid') await acceptSigningTimes(ledger, [id]);
    }
  };

  return {
    /** Deploys an account that answers so. */
    deploy: (address: string, answer: (signature: string) => Answer) => void answers.set(address.toLowerCase(), answer),
    /** A wake-up of the worker: signatures in hand are decided shortly after. */
    wake(queue: string): void {
      const chain = /^signatures-(.+)$/.exec(queue)?.[1];
      if (chain === undefined) return;
      const turn = Promise.all([look(asChain(chain), 'in request'), date(asChain(chain))]).finally(() => turns.delete(turn));
      turns.add(turn);
    },
    /** A new block, in which accounts may have signed. */
    block: (chain: Chain) => look(chain, 'on chain'),
    /** Waits for all that wake-ups have begun. */
    async settled(): Promise<void> {
      await Promise.allSettled(turns);
    },
  };
}
