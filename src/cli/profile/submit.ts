import { randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { z } from 'zod';
import { companySubmission, personSubmission } from '../../api/customers/details-submission.ts';
import { corporateDetails, personalDetails } from '../../api/customers/profile-details-schema.ts';
import { corporateForm, personalForm } from '../../api/customers/profile-form-schema.ts';
import { receiveFile } from '../../api/customers/receive-file.ts';
import { storeFile } from '../../api/customers/store-file.ts';
import { ownerOf } from '../../ledger/customers/own-profile.ts';
import { findProfile, type ProfileView } from '../../ledger/customers/profile-sections.ts';
import { type Submission, submitSection, type VerificationUpdate } from '../../ledger/customers/profile-submissions.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { MintrailError, StopError } from '../../platform/errors.ts';
import { utf8Problem } from '../../platform/http/utf8.ts';
import { type FileStorage, openFileStorage } from '../../platform/storage.ts';
import { cliSettings } from '../cli-settings.ts';
import { renderJson } from '../output.ts';
import { print } from '../print.ts';
import { changeLedger } from '../verbs/carry-out-verb.ts';
import { requireProfileId, reviewers, unknownProfile } from './profile-id.ts';

/** A document for a verification, of a person of a company where `person` is set. */
export interface DocumentOption {
  kind: string;
  person: string | undefined;
  file: string;
}

/** Options of `mintrail profile submit`; `details` and `form` are paths of JSON files. */
export interface SubmitOptions {
  details?: string;
  form?: string;
  document: DocumentOption[];
  yes?: boolean;
  json?: boolean;
}

/**
 * `mintrail profile submit`: submits sections of a user's profile by the rules of the partner endpoints. Throws `not_found`,
 * `invalid_request`, `file_unreadable`, and what `submitSection` throws.
 */
export async function submitProfile(named: string, options: SubmitOptions): Promise<void> {
  const id = requireProfileId(named);
  const correlationId = randomUUID();
  const parts = [
    ...(['details', 'form'] as const).filter((part) => options[part] !== undefined),
    ...options.document.map(({ kind }) => kind),
  ];
  const change = { roles: reviewers, sentence: `Submit ${parts.join(', ') || 'nothing'} of the profile ${id}` };
  const view = await changeLedger(change, options, async (ledger) => {
    let profile = await findProfile(ledger, id);
    const owner = await ownerOf(ledger, id);
    if (!profile || owner === undefined) throw unknownProfile(id);
    const submissions: Submission[] = await readSections(profile, options);
    for (const submission of submissions) profile = await submitSection(ledger, id, submission, correlationId);
    if (options.document.length === 0) return profile;
    const files = await openFileStorage(cliSettings());
    return submitSection(ledger, id, await storeDocuments({ ledger, files }, owner, options.document), correlationId);
  });
  print(options.json ? renderJson(view) : `The profile ${id} is ${view.state}. Missing: ${missingOf(view)}`);
}

async function readSections({ id, kind }: ProfileView, { details, form }: SubmitOptions): Promise<Submission[]> {
  const submissions: Submission[] = [];
  if (details !== undefined && kind === 'personal') submissions.push(personSubmission(await readJson(details, personalDetails)));
  if (details !== undefined && kind === 'corporate') submissions.push(companySubmission(id, await readJson(details, corporateDetails)));
  if (form !== undefined)
    submissions.push({ section: 'form', data: await readJson(form, kind === 'personal' ? personalForm : corporateForm) });
  return submissions;
}

async function readJson<Schema extends z.ZodType>(file: string, schema: Schema): Promise<z.output<Schema>> {
  const bytes = await readContent(file);
  const problem = utf8Problem(bytes);
  if (problem !== undefined) throw new StopError({ code: 'file_unreadable', message: `${file} ${problem}` });
  let content: unknown;
  try {
    content = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new StopError({ code: 'file_unreadable', message: `${file} is no JSON`, cause: error });
  }
  const parsed = schema.safeParse(content);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map(({ path: at, message }) => `  ${at.join('.')} ${message}`);
  throw new StopError({ code: 'invalid_request', message: `${file} is not valid:\n${lines.join('\n')}` });
}

/** Stores documents with the limits and checks of `POST /files`, as the owner's own. Those of a verification are submitted together. */
async function storeDocuments(
  deps: { ledger: Ledger; files: FileStorage },
  owner: string,
  documents: readonly DocumentOption[],
): Promise<Submission> {
  const updates = new Map<string, VerificationUpdate>();
  for (const { kind, person, file } of documents) {
    const key = `${kind} ${person ?? ''}`;
    const update = updates.get(key) ?? { kind, personId: person, documents: [] };
    update.documents.push({ fileId: await storeDocument(deps, owner, file) });
    updates.set(key, update);
  }
  return { section: 'verifications', updates: [...updates.values()] };
}

async function storeDocument(deps: { ledger: Ledger; files: FileStorage }, owner: string, file: string): Promise<string> {
  const uploader = { application: null, user: owner };
  const body = new FormData();
  body.append('file', new Blob([new Uint8Array(await readContent(file))]), path.basename(file));
  const arrival = randomUUID();
  try {
    const upload = new Request('http://localhost', { method: 'POST', body });
    const received = await receiveFile(upload, deps.files.arriving(arrival), { uploader, settings: cliSettings() });
    return (await storeFile(deps, uploader, arrival, received, undefined)).id;
  } catch (error) {
    if (!(error instanceof MintrailError) || error.fields?.['file'] === undefined) throw error;
    throw new StopError({ code: 'invalid_request', message: `${file} ${error.fields['file']}`, cause: error });
  } finally {
    await rm(deps.files.arriving(arrival), { force: true });
  }
}

async function readContent(file: string): Promise<Buffer<ArrayBuffer>> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new StopError({ code: 'file_unreadable', message: `${file} cannot be read`, cause: error });
  }
}

function missingOf({ details, form, verifications }: ProfileView): string {
  const sections = [
    ...(details.state === 'incomplete' ? ['details'] : []),
    ...(form.state === 'incomplete' ? ['form'] : []),
    ...verifications
      .filter(({ state }) => state === 'incomplete')
      .map(({ kind, personId }) => (personId === undefined ? kind : `${kind} of ${personId}`)),
  ];
  return sections.length === 0 ? 'nothing' : sections.join(', ');
}
