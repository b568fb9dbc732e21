import { constants } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { documentContent, recordDocumentsRead } from '../../ledger/customers/document-content.ts';
import { listProfileDocuments, type ProfileDocument } from '../../ledger/customers/profile-documents.ts';
import { findProfile } from '../../ledger/customers/profile-sections.ts';
import { MintrailError, StopError } from '../../platform/errors.ts';
import { type FileStorage, openFileStorage } from '../../platform/storage.ts';
import { cliSettings } from '../cli-settings.ts';
import { callingOperator } from '../operator.ts';
import { renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { changeLedger } from '../verbs/carry-out-verb.ts';
import { requireProfileId, reviewers, unknownProfile } from './profile-id.ts';

/** Names of files end by their content's type, never by what the uploader called them. */
const endings: Readonly<Record<string, string>> = { 'application/pdf': 'pdf', 'image/jpeg': 'jpg', 'image/png': 'png' };

/** Personal data: nobody but the operator reads what is written. */
const fileMode = 0o600;
const folderMode = 0o700;

/**
 * `mintrail profile documents`: writes the uploaded documents of a profile's verifications into a folder. The audit log says who took them before
 * the first one is written. Throws `not_found`, `not_possible`, `file_unreadable`.
 */
export async function writeDocuments(named: string, { output, json = false }: { output: string; json?: boolean }): Promise<void> {
  const id = requireProfileId(named);
  const writtenFiles = await changeLedger({ roles: reviewers }, {}, async (ledger) => {
    if (!(await findProfile(ledger, id))) throw unknownProfile(id);
    const documents = await listProfileDocuments(ledger, id);
    if (documents.length === 0) return [];
    await mkdir(output, { recursive: true, mode: folderMode });
    const storage = await openFileStorage(cliSettings());
    await recordDocumentsRead(ledger, callingOperator(), id, documents);
    const written: { document: ProfileDocument; target: string }[] = [];
    for (const [index, document] of documents.entries()) {
      const target = path.join(output, nameOf(document, index + 1));
      await writeDocument(storage, document.file, target);
      written.push({ document, target });
    }
    return written;
  });
  if (json)
    return print(
      renderJson(
        writtenFiles.map(({ document: { verification, person, file }, target }) => ({
          verification,
          person: person || null,
          fileId: file.id,
          file: target,
        })),
      ),
    );
  if (writtenFiles.length === 0) return print(`The profile ${id} has no documents.`);
  print(
    renderTable(
      ['document', 'file'],
      writtenFiles.map(({ document, target }) => [`${document.verification} ${document.person}`.trim(), target]),
    ),
  );
  print('\nDelete them when the review is done: they are personal data.');
}

/** Of letters, digits and dashes that this program has chosen: whoever uploaded a file has no word in where it goes. */
function nameOf({ verification, person, side, file }: ProfileDocument, position: number): string {
  const words = [String(position).padStart(2, '0'), verification, person, side ?? '', file.id];
  const name = words.map((word) => word.replaceAll(/[^A-Za-z0-9-]/g, '')).filter((word) => word !== '');
  return `${name.join('_')}.${endings[file.type] ?? 'bin'}`;
}

async function writeDocument(storage: FileStorage, file: ProfileDocument['file'], target: string): Promise<void> {
  const handle = await openNew(target);
  try {
    await pipeline(documentContent(storage, file), handle.createWriteStream());
  } catch (error) {
    await rm(target, { force: true });
    throw error instanceof MintrailError ? error : unwritable(target, error);
  }
}

/** Opens a file that must not exist yet, not even as a link. Throws `not_possible`. */
async function openNew(target: string) {
  try {
    return await open(target, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, fileMode);
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
    if (!isThere) throw unwritable(target, error);
    throw new StopError({ code: 'not_possible', message: `${target} exists already: name a new folder with --output`, cause: error });
  }
}

function unwritable(target: string, cause: unknown): StopError {
  return new StopError({
    code: 'not_possible',
    message: `${target} cannot be written: name a folder of your own with --output`,
    cause,
  });
}
