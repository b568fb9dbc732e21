import { open } from 'node:fs/promises';
import { readJournal } from '../../ledger/book/journal.ts';
import { StopError } from '../../platform/errors.ts';
import { print } from '../print.ts';
import { withLedger } from '../with-ledger.ts';
import { hledgerTransaction } from './hledger.ts';

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
