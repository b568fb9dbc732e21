import { z } from '@hono/zod-openapi';
import { documentKinds, documentSides, personVerifications, verificationKinds } from '../../ledger/customers/kyc-enumerations.ts';
import type { VerificationUpdate } from '../../ledger/customers/profile-submissions.ts';
import * as input from '../../wire/input-fields.ts';

/** Far more than the front and back of a few documents. */
const maxDocuments = 20;

/** Enough for every kind and every person of a large company. */
const maxUpdates = 200;

const documentSchema = z.object({
  kind: z.enum(documentKinds).optional().openapi({ description: 'The kind of the document.' }),
  fileId: input.uuid.openapi({ description: 'Id of a file that this application uploaded.' }),
  side: z.enum(documentSides).optional().openapi({ description: 'The side of the document that the file shows.' }),
});

const documents = z
  .array(documentSchema)
  .max(maxDocuments, `must be at most ${maxDocuments}`)
  .default([])
  .openapi({ description: `The documents, at most ${maxDocuments}. At least one, or \`fileId\`, is required.` });
const fileId = input.uuid.optional().openapi({ description: 'Id of a file: one document, when it needs neither `kind` nor `side`.' });

const personId = input.uuid
  .optional()
  .openapi({ description: 'Id of the person of the details. Required for `idDocument` and `proofOfResidency`.' });

function kindOf<const Kind extends string>(kinds: readonly [Kind, ...Kind[]]) {
  return z.enum(kinds).openapi({ description: 'What is verified.' });
}

/** A verification as a client submits it. */
export interface SubmittedVerification {
  kind: string;
  personId?: string | undefined;
  documents: VerificationUpdate['documents'];
  fileId?: string | undefined;
}

function updates<Update extends SubmittedVerification>(update: z.ZodType<Update>) {
  return z
    .array(update)
    .min(1, 'must hold at least one verification')
    .max(maxUpdates, `must hold at most ${maxUpdates}`)
    .superRefine((verifications, context) => {
      const seen = new Set<string>();
      for (const [index, { kind, personId }] of verifications.entries()) {
        const key = `${kind} ${isAboutPerson(kind) ? personId : ''}`;
        if (seen.has(key)) context.addIssue({ code: 'custom', path: [index, 'kind'], message: 'appears twice' });
        seen.add(key);
      }
    });
}

const needsDocument = { path: ['documents'], message: 'is required: at least one document, or fileId' };

/** Verifications of a person (docs/api.md, Verifications). */
export const personalVerifications = updates(
  z.object({ kind: kindOf(verificationKinds.personal), documents, fileId }).refine(hasDocument, needsDocument),
).openapi('PersonalVerifications', { description: `Verifications of a person, each kind at most once: 1 to ${maxUpdates}.` });

/** Verifications of a company; `idDocument` and `proofOfResidency` are about a person of its details. */
export const corporateVerifications = updates(
  z
    .object({ kind: kindOf(verificationKinds.corporate), documents, fileId, personId })
    .refine(hasDocument, needsDocument)
    .refine(({ kind, personId }) => personId !== undefined || !isAboutPerson(kind), {
      path: ['personId'],
      message: 'is required: the id of a person of the details',
    }),
).openapi('CorporateVerifications', { description: `Verifications of a company and its persons, each at most once: 1 to ${maxUpdates}.` });

function hasDocument({ documents, fileId }: SubmittedVerification): boolean {
  return documents.length > 0 || fileId !== undefined;
}

function isAboutPerson(kind: string): boolean {
  return personVerifications.some((about) => about === kind);
}

/** A verification as the ledger stores it: its own `fileId` is one more document. */
export function toUpdate({ kind, personId, documents, fileId }: SubmittedVerification): VerificationUpdate {
  return { kind, personId, documents: fileId === undefined ? documents : [...documents, { fileId }] };
}

/** Every file with its field in the body, such as `personal.0.documents.1.fileId`. */
export function fileFields(profileKind: string, verifications: SubmittedVerification[]): { field: string; fileId: string }[] {
  return verifications.flatMap(({ documents, fileId }, index) => [
    ...documents.map((document, at) => ({ field: `${profileKind}.${index}.documents.${at}.fileId`, fileId: document.fileId })),
    ...(fileId === undefined ? [] : [{ field: `${profileKind}.${index}.fileId`, fileId }]),
  ]);
}
