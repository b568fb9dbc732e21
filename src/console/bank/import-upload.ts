import { z } from 'zod';
import { endedRequests } from '../../ledger/operators/approvals.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { StopError } from '../../platform/errors.ts';
import type { FileStorage } from '../../platform/storage.ts';
import { creditOptions } from '../../statements/credit-options.ts';
import { type BankFileReport, previewBankFile } from '../../statements/import-file.ts';
import { importLogged } from '../../statements/import-logged.ts';
import type { StatementFile } from '../../statements/import-statement.ts';
import { type ActionContext, defineAction } from '../actions/action.ts';

/** Ended requests whose files are deleted at once, at most: each upload deletes what the ones before have left. */
const mostRemoved = 100;

const input = z.object({ file: z.uuid(), name: z.string().min(1).max(255) });

/**
 * Imports a file that an operator has uploaded, as `mintrail bank import` does. Whoever uploads a file could have written it: it says whose money has
 * arrived, and tokens are issued for that. So a second person compares it with what the bank sent.
 */
export const importUpload = defineAction({
  name: 'bank.import',
  input,
  roles: ['treasurer', 'administrator'],
  needsSecondPerson: true,
  describe: async (context, { file, name }) =>
    describeImport(name, await previewBankFile(context.ledger, uploadedFile(context, { file, name }))),
  async carryOut(context, { file, name }) {
    const { hash, state } = await importLogged(context.ledger, context.log, uploadedFile(context, { file, name }));
    return { hash, state };
  },
  topics: ['bank', 'orders', 'status'],
});

/** What importing a file would do, for the second person, by whom its SHA-256 can be compared with that of the bank's file. */
export function describeImport(name: string, report: BankFileReport): string {
  const file = `Import the ${report.message} file ${name} (SHA-256 ${report.hash})`;
  if (report.state === 'already_imported') return `${file}, which was imported before: nothing changes.`;
  if (!('sums' in report)) {
    const { accepted, refused, open, known, alerts } = report.counts;
    return `${file}: ${accepted} of our payments are carried out; ${refused} are refused, and their tokens given back or their credits wait again; ${open} stay open, ${known} are known, ${alerts} need a look.`;
  }
  const { counts, sums, settled, unexplained } = report;
  return `${file}: ${counts.issued} credits become orders (${sumsText(sums.issued)}); ${counts.unmatched} wait for an operator (${sumsText(sums.unmatched)}); ${counts.known} are known; ${settled} of our payments are carried out; ${unexplained} debits wait for an explanation; ${report.alerts.length + report.omitted} entries need a look.`;
}

function sumsText(sums: Readonly<Record<string, string>>): string {
  const amounts = Object.entries(sums).map(([currency, amount]) => `${amount} ${currency.toUpperCase()}`);
  return amounts.join(', ') || 'nothing';
}

/** Deletes the files of uploads that nobody can import any more. */
export async function removeEndedUploads(ledger: Ledger, files: FileStorage): Promise<void> {
  for (const ended of await endedRequests(ledger, importUpload.name, mostRemoved)) {
    const parsed = input.safeParse(JSON.parse(ended));
    if (parsed.success) await files.remove(parsed.data.file).catch(() => {});
  }
}

function uploadedFile({ files, settings }: ActionContext, { file, name }: z.output<typeof input>): StatementFile {
  return { name, chunks: storedChunks(files, file), options: creditOptions(settings), settings };
}

/** Throws `file_unreadable`. */
async function* storedChunks(files: FileStorage, id: string): AsyncGenerator<Uint8Array> {
  try {
    yield* (await files.read(id)) as AsyncIterable<Uint8Array>;
  } catch (cause) {
    throw new StopError({ code: 'file_unreadable', message: 'The uploaded file cannot be read: upload it again', cause });
  }
}
