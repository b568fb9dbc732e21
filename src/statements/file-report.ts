import type { RecordOptions } from '../ledger/bank/match-credits.ts';
import type { AccountSettings } from './statement-account.ts';

/** A file from the bank to be imported, read piece by piece. */
export interface StatementFile {
  /** Name of the file, kept as the source of its credits. */
  name: string;
  chunks: AsyncIterable<Uint8Array | string>;
  options: Omit<RecordOptions, 'source'>;
  /** Whose statements are read; without them those of every account, and no intraday reports. */
  settings?: AccountSettings;
  /** Is told how much of the file is imported so far. */
  onProgress?: (progress: { entries: number; bytes: number }) => void;
}

/** The same to the reader of its kind of message. */
export interface ImportedPart extends StatementFile {
  onEntries: (entries: number) => void;
}

/** What the import of a file did. Plain JSON, which is kept with the file. */
export interface FileReport<Line> {
  file: string;
  state: 'applied' | 'already_imported';
  /** SHA-256 of the content. */
  hash: string;
  /** What somebody should look at today. */
  alerts: Line[];
  /** Alerts and lines there was no room for. */
  omitted: number;
}

/** Ends the import of a file that is not known, by its hash: what the reader of its message reports of it. */
export type FinishImport<Report extends FileReport<unknown>> = (hash: Buffer) => Promise<Omit<Report, 'file' | 'state' | 'hash'>>;

/** A report stays readable and small, however large its file is: some hundred kilobytes. */
const maxAlerts = 1_000;

/** Collects lines of a report, as many as there is room for, and else their number. */
export function createLines<Line>(limit = maxAlerts) {
  const lines: Line[] = [];
  let omitted = 0;
  return {
    lines,
    add(line: Line): void {
      if (lines.length < limit) lines.push(line);
      else omitted += 1;
    },
    omitted: () => omitted,
  };
}
