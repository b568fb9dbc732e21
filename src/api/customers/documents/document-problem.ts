import { findVirus } from '../../../platform/antivirus.ts';
import type { Settings } from '../../../platform/settings.ts';
import { imageProblem } from './open-image.ts';
import { pdfProblem } from './open-pdf.ts';

/** Where the virus scanner is. */
export type ScannerSettings = Pick<Settings, 'clamdAddress'>;

/** The media types of the documents that are accepted (docs/api.md, Files). */
export const documentTypes: ReadonlySet<string> = new Set(['application/pdf', 'image/jpeg', 'image/png']);

/**
 * Why a received file is not accepted, for the client; `undefined` when it is: it opens as what it says it is, and the virus scanner, where the
 * operator has set one, finds nothing. Throws `antivirus_unavailable`, because a scanner that does not answer has not said that the file is clean.
 */
export async function documentProblem(file: string, type: string, { clamdAddress }: ScannerSettings): Promise<string | undefined> {
  const problem = type === 'application/pdf' ? await pdfProblem(file) : await imageProblem(file);
  if (problem !== undefined || clamdAddress === undefined) return problem;
  const virus = await findVirus(file, clamdAddress);
  return virus === undefined ? undefined : `must be free of malware: the scanner found ${virus}`;
}
