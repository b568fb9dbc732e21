import type { JournalEntry } from '../../ledger/book/journal.ts';
import { formatAmount } from '../../platform/money.ts';

/**
 * An entry as a transaction of hledger's journal format (https://hledger.org/hledger.html#journal). Its id and its source are comments: a
 * bank's reference may hold characters that mean something in a description.
 */
export function hledgerTransaction({ id, kind, source, bookedOn, postings }: JournalEntry): string {
  const lines = postings.map(
    ({ account, currency, amount }) => `    ${oneSpaced(account)}  ${formatAmount(amount)} ${currency.toUpperCase()}`,
  );
  return [`${bookedOn} * ${kind}`, `    ; entry ${id}`, `    ; source ${oneSpaced(source)}`, ...lines, ''].join('\n');
}

/** Two spaces end the name of an account, and a line ends everything. */
function oneSpaced(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').replaceAll(/^ | $/g, '');
}
