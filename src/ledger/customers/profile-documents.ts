import type { Ledger } from '../ledger.ts';
import type { StoredFile } from './files.ts';

/** A document that proves a fact about a profile, with the file that was uploaded for it. */
export interface ProfileDocument {
  /** The verification, such as `idDocument`. */
  verification: string;
  /** The person of a company's details whom it is about; empty for the profile itself. */
  person: string;
  side: string | undefined;
  file: Pick<StoredFile, 'id' | 'type' | 'size' | 'hash'>;
}

/** The documents of a profile's verifications whose content is stored, by verification and person. Empty for a profile that does not exist. */
export async function listProfileDocuments(ledger: Ledger, profile: string): Promise<ProfileDocument[]> {
  const verifications = await ledger
    .selectFrom('profileVerifications')
    .where('profile', '=', profile)
    .orderBy('kind')
    .orderBy('person')
    .select(['kind', 'person', 'documents'])
    .execute();
  const ids = verifications.flatMap(({ documents }) => documents.map(({ fileId }) => fileId));
  if (ids.length === 0) return [];
  const stored = await ledger
    .selectFrom('files')
    .where('id', 'in', ids)
    .where('storedAt', 'is not', null)
    .select(['id', 'type', 'size', 'hash'])
    .execute();
  const files = new Map(stored.map((file) => [file.id, file]));
  return verifications.flatMap(({ kind, person, documents }) =>
    documents.flatMap(({ fileId, side }) => {
      const file = files.get(fileId);
      return file === undefined ? [] : [{ verification: kind, person: person ?? '', side, file }];
    }),
  );
}
