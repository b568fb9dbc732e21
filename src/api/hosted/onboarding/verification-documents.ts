import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { requireRoomForFile } from '../../../ledger/customers/files.ts';
import type { VerificationDocument } from '../../../schema/column-types.ts';
import { invalid } from '../../http/errors.ts';
import { type ReceivedPart, receiveForm, type UploadForm } from '../../customers/receive-file.ts';
import { storeFile } from '../../customers/store-file.ts';
import { type PageRequest, requireOwnForm } from '../page-request.ts';
import { identityDocuments } from '../../customers/profile-details-schema.ts';

/** The file parts of the form for an identity document, and of the form for any other verification. */
const identityParts = { front: 1, back: 1 };
const otherParts = { file: 4 };

/**
 * Receives the files of a verification, with the limits and checks of `POST /files`, and stores them as the user's own. They are read only
 * if the form is from a page of ours in this browser. Throws `invalid_request` with one text per field, `quota_exceeded`,
 * `not_allowed`.
 */
export async function receiveDocuments(pageRequest: PageRequest, verification: string): Promise<VerificationDocument[]> {
  const { context, deps, browser } = pageRequest;
  const { user } = browser;
  if (user === undefined) throw new Error('documents are received from signed-in users only');
  const uploader = { application: null, user: user.id };
  await requireRoomForFile(deps.ledger, uploader);
  const arrivals: string[] = [];
  try {
    const form: UploadForm = {
      parts: verification === 'idDocument' ? identityParts : otherParts,
      nextPath: () => deps.files.arriving(arrivals[arrivals.push(randomUUID()) - 1] as string),
      isOptional: true,
      admit: (fields) => requireOwnForm(pageRequest, fields),
    };
    const { fields, files } = await receiveForm(context.req.raw, form, { uploader, settings: deps.settings });
    requireDocuments(verification, fields, files);
    const documents: VerificationDocument[] = [];
    for (const [index, file] of files.entries()) {
      const { name, type, size, hash } = file;
      const { id } = await storeFile(deps, uploader, arrivals[index] as string, { name, type, size, hash }, undefined);
      documents.push({ fileId: id, ...documentOf(verification, fields, file) });
    }
    return documents;
  } finally {
    for (const arrival of arrivals) await rm(deps.files.arriving(arrival), { force: true });
  }
}

function requireDocuments(verification: string, fields: URLSearchParams, files: readonly ReceivedPart[]): void {
  const problems: Record<string, string> = {};
  const isIdentity = verification === 'idDocument';
  if (isIdentity && !Object.hasOwn(identityDocuments, fields.get('kind') ?? '')) problems['kind'] = 'is required';
  const needed = isIdentity ? 'front' : 'file';
  if (!files.some(({ part }) => part === needed)) problems[needed] = 'is required';
  if (Object.keys(problems).length > 0) throw invalid(problems);
}

function documentOf(verification: string, fields: URLSearchParams, { part, type }: ReceivedPart): Omit<VerificationDocument, 'fileId'> {
  if (verification === 'idDocument') return { kind: fields.get('kind') ?? undefined, side: part };
  if (verification === 'facialSimilarity') return { kind: 'other' };
  if (verification === 'proofOfResidency' || verification === 'sourceOfFunds') return { kind: verification };
  return { kind: type === 'application/pdf' ? 'companyFilePDF' : 'other' };
}
