import { open } from 'node:fs/promises';
import { type JournalEntry, readJournal } from '../../ledger/book/journal.ts';
import { StopError } from '../../platform/errors.ts';
import { formatAmount } from '../../platform/money.ts';
import { print } from '../print.ts';
import { withLedger } from '../with-ledger.ts';

/** Options of `mintrail book export`. */
export interface ExportOptions {
  format: 'hledger';
  output?: string;
}

/** `mintrail book export`: the journal as it is at one moment, in memory that does not grow with it. Throws `not_possible`. */
export async function exportBook({ output }: ExportOptions): Promise<void> {
  if (output === undefined) return withLedger((ledger) => readJournal(ledger, (entries) => entries.map(hledgerTransaction).forEach(print)));
  const file = await createFile(output);
  let count = 0;
  try {
    await withLedger((ledger) =>
      readJournal(ledger, async (entries) => {
        count += entries.length;
        await file.write(entries.map((entry) => `${hledgerTransaction(entry)}\n`).join(''));
      }),
    );
  } finally {
    await file.close();
  }
  print(`${output}: ${count} entries.`);
}

/** A new file that its owner alone may read: the journal names bank accounts. */
async function createFile(name: string) {
  return open(name, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    throw new StopError({ code: 'not_possible', message: `${name} exists already: name a file that does not`, cause: error });
  });
}

/**
 * An entry as a transaction of hledger's journal format (https://hledger.org/hledger.html#journal). Its id and its source are comments: a
 * bank's reference may hold characters that mean something in a description.
 */
function hledgerTransaction({ id, kind, source, bookedOn, postings }: JournalEntry): string {
  const lines = postings.map(
    ({ account, currency, amount }) => `    ${oneSpaced(account)}  ${formatAmount(amount)} ${currency.toUpperCase()}`,
  );
  return [`${bookedOn} * ${kind}`, `    ; entry ${id}`, `    ; source ${oneSpaced(source)}`, ...lines, ''].join('\n');
}

/** Two spaces end the name of an account, and a line ends everything. */
function oneSpaced(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').replaceAll(/^ | $/g, '');
}
