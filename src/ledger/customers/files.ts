import { type Selectable, sql } from 'kysely';
import type { ApplicationKind } from '../access/applications/application-kinds.ts';
import type { Caller } from '../access/permissions.ts';
import { StopError } from '../../platform/errors.ts';
import { inTransaction, type Ledger } from '../ledger.ts';
import { type Quota, requireRoom, requireWithinQuota } from '../quotas.ts';
import type { LedgerTables } from '../../schema/tables.ts';

/** Who uploads a file: a user through an application, or by themselves on the hosted pages. */
export interface Uploader {
  /** `null` on the hosted pages. */
  application: string | null;
  /** The kind of the application. */
  kind?: ApplicationKind;
  user: string;
}

/** Who takes turns with other uploaders: a user who uploads for themselves, or a server's application. */
export function uploaderKey({ kind, application, user }: Uploader): string {
  return application === null || kind === 'authorization_code' ? user : application;
}

/** The record of an uploaded file (docs/api.md, Files); its content lies in the file storage under its id. */
export type StoredFile = Selectable<LedgerTables['files']>;

/** A file to be recorded. */
export interface NewFile {
  id: string;
  name: string;
  /** Media type, by its content. */
  type: string;
  /** Bytes. */
  size: number;
  /** SHA-256, hexadecimal. */
  hash: string;
}

/**
 * Records a file before its content goes into the storage; {@link completeFile} says that it is there. It belongs to the application through which
 * it was uploaded, or else to the user alone. Recording an id again changes nothing, except that the hour after which an upload counts as broken off
 * begins anew. Throws `quota_exceeded`.
 */
export async function beginFile(ledger: Ledger, uploader: Uploader, file: NewFile): Promise<void> {
  await inTransaction(ledger, async (tx) => {
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto('files')
      .values({ ...file, application: uploader.application, uploadedBy: uploader.user, createdAt: sql`now()`, updatedAt: sql`now()` })
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet({ createdAt: sql`now()` })
          .where('files.storedAt', 'is', null),
      )
      .executeTakeFirst();
    if (numInsertedOrUpdatedRows === 0n) return;
    for (const [quota, owner] of quotasOf(uploader)) await requireWithinQuota(tx, quota, owner);
  });
}

/** Says that the content of a file is in the storage: from now on it can be used. Returns its record. */
export async function completeFile(ledger: Ledger, id: string): Promise<StoredFile> {
  return ledger
    .updateTable('files')
    .set({ storedAt: sql`coalesce(stored_at, now())` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Throws `quota_exceeded` when the uploader has no room for another file. */
export async function requireRoomForFile(ledger: Ledger, uploader: Uploader): Promise<void> {
  for (const [quota, owner] of quotasOf(uploader)) await requireRoom(ledger, quota, owner);
}

/** A user has a quota of their own, so that none uses up that of all. The owner of a server is its application. */
function quotasOf({ kind, application, user }: Uploader): [Quota, string][] {
  const ofUser: [Quota, string][] = [
    ['userFiles', user],
    ['userFileMegabytes', user],
  ];
  if (application === null) return ofUser;
  const ofApplication: [Quota, string][] = [
    ['files', application],
    ['fileMegabytes', application],
  ];
  return kind === 'authorization_code' ? [...ofUser, ...ofApplication] : ofApplication;
}

/** The error `unknown_file`: the caller did not upload the file. Whether somebody else did is not revealed. */
export function unknownFile(): StopError {
  return new StopError({
    code: 'unknown_file',
    message: 'Validation errors',
    fields: { supportingDocumentId: 'is not a file that you uploaded' },
  });
}

/** Which of these files the caller did not upload ({@link isOwn}). Whether somebody else did is not revealed. */
export async function unknownFiles(ledger: Ledger, caller: Caller, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const own = await ledger
    .selectFrom('files')
    .where('id', 'in', [...new Set(ids)])
    .where(isOwn(caller))
    .where('storedAt', 'is not', null)
    .select('id')
    .execute();
  const known = new Set(own.map(({ id }) => id));
  return new Set(ids.filter((id) => !known.has(id)));
}

/** A file is its application's. Where users authorize the application, it is that of the user who uploaded it, because they trust it and not each other. */
function isOwn({ application, user, authorization }: Caller) {
  const ofUser = authorization === undefined ? sql<boolean>`true` : sql<boolean>`uploaded_by = ${user}`;
  return sql<boolean>`application = ${application} and ${ofUser}`;
}

/** Whose a stored file is. */
export interface FileOwnership {
  application: string | null;
  uploadedBy: string;
}

/** What {@link isOwn} decides, of a file that is at hand. */
export function mayUseFile({ application, user, authorization }: Caller, file: FileOwnership): boolean {
  return file.application === application && (authorization === undefined || file.uploadedBy === user);
}
