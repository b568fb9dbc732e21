import { InvalidArgumentError } from 'commander';
import { type Explanation, ownKinds, paymentsOf } from '../../ledger/bank/debits/debit-explanation.ts';
import type { Settlement } from '../../ledger/bank/settle-credit.ts';

/** Reads what a debit was. */
export function parseExplanation(text: string): Explanation {
  const own = ownKinds.find((kind) => kind === text);
  if (own !== undefined) return { as: own };
  const colon = text.indexOf(':');
  const [kind, id] = [text.slice(0, colon), text.slice(colon + 1)];
  const payments = kind === 'payment' ? paymentsOf(id.split(',')) : undefined;
  if (payments !== undefined) return payments;
  if (kind === 'return-of' && id !== '') return { as: kind, credit: id };
  if (kind === 'reversal-of' && id !== '') return { as: kind, credits: referencesIn(id) };
  if (kind === 'repeat-of' && id !== '') return { as: kind, debits: referencesIn(id) };
  throw new InvalidArgumentError(
    'fee, interest, own, payment:ID[,ID...][,fee], return-of:CREDIT, reversal-of:CREDIT[,CREDIT...] or repeat-of:DEBIT[,DEBIT...]',
  );
}

/** References with commas between them. The bank's number in a reference may have a comma as well: what follows that begins with no account. */
function referencesIn(text: string): string[] {
  const hasAccount = /:|#[0-9a-f]{40}/.test(text);
  return text.split(hasAccount ? /,(?=[^,]*(?::|#[0-9a-f]{40}))/ : ',');
}

/** Reads what an unmatched credit is settled as. */
export function parseSettlement(text: string): Settlement {
  if (text === 'own') return { as: 'own' };
  const [, debit] = /^difference:(.+)$/.exec(text) ?? [];
  if (debit !== undefined) return { as: 'difference', debit };
  throw new InvalidArgumentError('own or difference:DEBIT');
}
