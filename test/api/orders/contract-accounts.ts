import { asChain, type Chain } from '../../../src/platform/chains.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { listDueSignatures } from '../../../src/ledger/orders/due-signatures.ts';
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

  return {
    /** Deploys an account that answers so. */
    deploy: (address: string, answer: (signature: string) => Answer) => void answers.set(address.toLowerCase(), answer),
    /** A wake-up of the worker: signatures in hand are decided shortly after. */
    wake(queue: string): void {
      const chain = /^signatures-(.+)$/.exec(queue)?.[1];
      if (chain === undefined) return;
      const turn = look(asChain(chain), 'in request').finally(() => turns.delete(turn));
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
