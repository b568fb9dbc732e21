import { InvalidArgumentError } from 'commander';
import { ownKinds, paymentsOf } from '../../ledger/bank/debits/unexplained-debits.ts';
import type { Settlement } from '../../ledger/bank/unmatched/settle-credit.ts';

/** Reads what a debit was: the fields of the verb `bank.explain`. */
export function parseExplanation(text: string): { as: string; of: readonly string[] } {
  if (ownKinds.some((kind) => kind === text)) return { as: text, of: [] };
  const colon = text.indexOf(':');
  const [as, named] = [text.slice(0, colon), text.slice(colon + 1)];
  if (as === 'payment' && paymentsOf(named.split(',')) !== undefined) return { as, of: named.split(',') };
  if (as === 'return-of' && named !== '') return { as, of: [named] };
  if ((as === 'reversal-of' || as === 'repeat-of') && named !== '') return { as, of: referencesIn(named) };
  throw new InvalidArgumentError(
    'fee, interest, own, payment:ID[,ID...][,fee], return-of:CREDIT, reversal-of:CREDIT[,CREDIT...] or repeat-of:DEBIT[,DEBIT...]',
  );
}

/** References with commas between them. The bank's number in a reference may have a comma as well: what follows that begins with no account. */
function referencesIn(text: string): string[] {
  const hasAccount = /:|#[0-9a-f]{40}/.test(text);
  return text.split(hasAccount ? /,(?=[^,]*(?::|#[0-9a-f]{40}))/ : ',');
}

/** Reads what an unmatched credit is settled as: the fields of the verb `bank.settle`. */
export function parseSettlement(text: string): { as: Settlement['as']; debit?: string } {
  if (text === 'own' || text === 'debit') return { as: text };
  const [, debit] = /^difference:(.+)$/.exec(text) ?? [];
  if (debit !== undefined) return { as: 'difference', debit };
  throw new InvalidArgumentError('own, difference:DEBIT or debit');
}
