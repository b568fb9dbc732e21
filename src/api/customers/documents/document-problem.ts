import { findVirus } from '../../../platform/antivirus.ts';
import type { Settings } from '../../../platform/settings.ts';
import { openDocument } from './open-document.ts';
import { createOpenings, type OpenFile, type OpeningRequest } from './openings.ts';

/** Where the virus scanner is. */
export type ScannerSettings = Pick<Settings, 'clamdAddress'>;

const openPdf = openDocument('PDF');
const openImage = openDocument('image');

/** How documents of each media type that is accepted are opened (docs/api.md, Files). */
const openers: ReadonlyMap<string, OpenFile> = new Map([
  ['application/pdf', openPdf],
  ['image/jpeg', openImage],
  ['image/png', openImage],
]);

/** The media types of the documents that are accepted. */
export const documentTypes: ReadonlySet<string> = new Set(openers.keys());

const openInTurn = createOpenings();

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
  const problem = await openInTurn(openers.get(type) ?? openImage, request);
  if (problem !== undefined || clamdAddress === undefined) return problem;
  const virus = await findVirus(request.file, clamdAddress, { signal: request.signal });
  return virus === undefined ? undefined : `must be free of malware: the scanner found ${virus}`;
}
