import { z } from 'zod';
import { endedUploads, endUpload, isUpload } from '../../ledger/operators/bank-uploads.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { StopError } from '../../platform/errors.ts';
import type { FileStorage } from '../../platform/storage.ts';
import { creditOptions } from '../../statements/credit-options.ts';
import { type BankFileReport, importBankFile } from '../../statements/import-file.ts';
import { importLogged } from '../../statements/import-logged.ts';
import type { StatementFile } from '../../statements/file-report.ts';
import type { StatementReport } from '../../statements/statement-report.ts';
import type { RecallReport } from '../../statements/recalls/import-recalls.ts';
import type { StatusReport } from '../../statements/import-status-report.ts';
import { type VerbContext, defineVerb } from '../verb.ts';

/** Ended uploads whose files are deleted at once, at most: each upload deletes what the ones before have left. */
const mostRemoved = 100;

const input = z.strictObject({ file: z.uuid(), name: z.string().min(1).max(255) });

/**
 * Imports a file that an operator has uploaded, as `mintrail bank import` does. Whoever uploads a file could have written it: it says whose money has
 * arrived, and tokens are issued for that. So a second person compares it with what the bank sent.
 *
 * It has no command. `mintrail bank import` reads files of the machine, as the worker reads `BANK_INBOX`: whoever can call it can put a file there, too, so
 * that a question or a second person would keep nobody out, and would stop the scripts that fetch files from the bank.
 */
export const importUpload = defineVerb({
  name: 'bank.import',
  summary: 'import a bank file that was uploaded',
  input,
  roles: ['treasurer', 'administrator'],
  needsSecondPerson: true,
  describe: async (context, { file, name }) =>
    describeImport(name, await importBankFile(context.ledger, uploadedFile(context, { file, name }), { isPreview: true })),
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
  const facts = factsOf(report).filter((fact) => fact !== '');
  return `${file}: ${facts.join('; ') || 'nothing changes'}.`;
}

function factsOf(report: BankFileReport): string[] {
  if ('sums' in report) return statementFacts(report);
  return report.message === 'camt.056' ? recallFacts(report) : statusFacts(report);
}

function recallFacts({ counts: { recalls, known, alerts } }: RecallReport): string[] {
  return [
    counted(recalls, 'recall waits for an answer', 'recalls wait for an answer'),
    counted(known, 'is known', 'are known'),
    counted(alerts, 'needs a look', 'need a look'),
  ];
}

function statementFacts({ counts, sums, settled, unexplained, alerts, omitted }: StatementReport): string[] {
  return [
    counted(counts.issued, 'credit becomes an order', 'credits become orders', sums.issued),
    counted(counts.unmatched, 'credit waits for an operator', 'credits wait for an operator', sums.unmatched),
    counted(counts.known, 'credit is known', 'credits are known', sums.known),
    counted(counts.skipped, 'entry is skipped', 'entries are skipped'),
    counted(settled, 'of our payments is carried out', 'of our payments are carried out'),
    counted(unexplained, 'debit waits for an explanation', 'debits wait for an explanation'),
    counted(alerts.length + omitted, 'entry needs a look', 'entries need a look'),
  ];
}

function statusFacts({ counts: { accepted, refused, open, known, alerts } }: StatusReport): string[] {
  return [
    counted(accepted, 'of our payments is carried out', 'of our payments are carried out'),
    counted(
      refused,
      'is refused, and its tokens are given back or its credit waits again',
      'are refused, and their tokens are given back or their credits wait again',
    ),
    counted(open, 'stays open', 'stay open'),
    counted(known, 'is known', 'are known'),
    counted(alerts, 'needs a look', 'need a look'),
  ];
}

/** How many, and how much money they are; nothing of what there is none of. */
function counted(count: number, singular: string, plural: string, sums: Readonly<Record<string, string>> = {}): string {
  if (count === 0) return '';
  const money = sumsText(sums);
  return `${count} ${count === 1 ? singular : plural}${money === '' ? '' : ` (${money})`}`;
}

function sumsText(sums: Readonly<Record<string, string>>): string {
  const amounts = Object.entries(sums).map(([currency, amount]) => `${amount} ${currency.toUpperCase()}`);
  return amounts.join(', ');
}

/** Deletes the files of uploads that nobody can import any more. */
export async function removeEndedUploads(ledger: Ledger, files: FileStorage): Promise<void> {
  for (const file of await endedUploads(ledger, mostRemoved)) {
    await files.remove(file);
    await endUpload(ledger, file);
  }
}

function uploadedFile({ ledger, files, settings }: VerbContext, { file, name }: z.output<typeof input>): StatementFile {
  return { name, chunks: storedChunks(ledger, files, file), options: creditOptions(settings), settings };
}

/** Throws `file_unreadable`. */
async function* storedChunks(ledger: Ledger, files: FileStorage | undefined, id: string): AsyncGenerator<Uint8Array> {
  // The storage has the documents of customers, too.
  if (!(await isUpload(ledger, id)))
    throw new StopError({ code: 'file_unreadable', message: 'No such file was uploaded: upload it again' });
  try {
    if (files === undefined) throw new Error('there is no storage of files');
    yield* (await files.read(id)) as AsyncIterable<Uint8Array>;
  } catch (cause) {
    throw new StopError({ code: 'file_unreadable', message: 'The uploaded file cannot be read: upload it again', cause });
  }
}
