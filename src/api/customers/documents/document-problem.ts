import { findVirus } from '../../../platform/antivirus.ts';
import type { Settings } from '../../../platform/settings.ts';
import { createGrowingPauses } from '../../../platform/limits/growing-pauses.ts';
import { openImage } from './open-image.ts';
import { openPdf } from './open-pdf.ts';
import { createOpenings, type OpeningRequest } from './openings.ts';

/** Where the virus scanner is. */
export type ScannerSettings = Pick<Settings, 'clamdAddress'>;

/** The media types of the documents that are accepted (docs/api.md, Files). */
export const documentTypes: ReadonlySet<string> = new Set(['application/pdf', 'image/jpeg', 'image/png']);

const pauses = createGrowingPauses();

/** Each takes a processor and its memory while it opens. */
const pdfProblem = createOpenings(openPdf, { atOnce: 2, pauses });

/** Decoding takes native memory: four bytes a pixel where a format needs the whole picture. */
const imageProblem = createOpenings(openImage, { atOnce: 1, pauses });

/**
 * Why a received file is not accepted, for the client; `undefined` when it is: it opens as what it says it is, and the virus scanner, where the
 * operator has set one, finds nothing. Throws `antivirus_unavailable`, because a scanner that does not answer has not said that the file is clean,
 * `rate_limited` when too many of the uploader wait or their last ones were costly, and the reason of the signal.
 */
export async function documentProblem(
  request: OpeningRequest,
  type: string,
  { clamdAddress }: ScannerSettings,
): Promise<string | undefined> {
  const problem = await (type === 'application/pdf' ? pdfProblem : imageProblem)(request);
  if (problem !== undefined || clamdAddress === undefined) return problem;
  const virus = await findVirus(request.file, clamdAddress);
  return virus === undefined ? undefined : `must be free of malware: the scanner found ${virus}`;
}
