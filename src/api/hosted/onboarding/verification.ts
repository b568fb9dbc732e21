import { html } from 'hono/html';
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { requireRoomForFile } from '../../../ledger/customers/files.ts';
import { readSection } from '../../../ledger/customers/profile-drafts.ts';
import type { ProfileView } from '../../../ledger/customers/profile-sections.ts';
import { MintrailError } from '../../../platform/errors.ts';
import type { VerificationDocument } from '../../../schema/column-types.ts';
import { type ReceivedPart, receiveForm, type UploadForm } from '../../customers/receive-file.ts';
import { storeFile } from '../../customers/store-file.ts';
import { invalid } from '../../http/errors.ts';
import { type Field, type FormState, renderFields, renderProblem } from '../fields.ts';
import { type PageRequest, goTo, pageParameter, renderForm, show, requireOwnForm } from '../page-request.ts';
import { companyDraft, personName } from './company-draft.ts';
import { identityDocuments } from '../../customers/profile-details-schema.ts';
import { errorsOf, openReviewErrors } from './review-errors.ts';
import { renderPostpone, renderReview, submitAndContinue } from './section-page.ts';
import { verificationText } from './verification-texts.ts';

type Verification = ProfileView['verifications'][number];

/** `GET .../verification`: takes documents for a verification of the profile, the first missing one unless the query names it. */
export async function showVerification(pageRequest: PageRequest, profile: ProfileView): Promise<Response> {
  const verification = chosenVerification(pageRequest, profile);
  if (verification === undefined) return goTo('progress', pageRequest);
  return verificationPage(pageRequest, profile, { verification, formState: { values: {}, problems: {} } });
}

/** `POST .../verification`: stores the files as `POST /files` does, and submits them for the verification. */
export async function receiveVerification(pageRequest: PageRequest, profile: ProfileView): Promise<Response> {
  const verification = chosenVerification(pageRequest, profile);
  if (verification === undefined) return goTo('progress', pageRequest);
  const { kind, personId } = verification;
  let documents;
  try {
    documents = await receiveDocuments(pageRequest, kind);
  } catch (error) {
    if (!(error instanceof MintrailError) || error.fields === undefined) throw error;
    return verificationPage(pageRequest, profile, { verification, formState: { values: {}, problems: error.fields }, status: 400 });
  }
  return submitAndContinue(pageRequest, profile.id, { section: 'verifications', updates: [{ kind, personId, documents }] });
}

/** The verification that the query names, or else the first that is missing. */
function chosenVerification(pageRequest: PageRequest, { verifications }: ProfileView): Verification | undefined {
  const [named, person] = [pageParameter(pageRequest, 'of'), pageParameter(pageRequest, 'person')];
  if (named === '') return verifications.find(({ state }) => state === 'incomplete');
  return verifications.find(({ kind, personId = '' }) => kind === named && personId === person);
}

interface VerificationPage {
  verification: Verification;
  formState: FormState;
  status?: 400;
}

async function verificationPage(pageRequest: PageRequest, profile: ProfileView, { verification, formState, status }: VerificationPage) {
  const { kind, personId } = verification;
  const { title, hint } = verificationText(profile.kind, kind);
  const { ledger } = pageRequest.deps;
  const errors = errorsOf(await openReviewErrors(ledger, profile), kind, personId);
  const person = personId === undefined ? undefined : (await personNames(pageRequest, profile)).get(personId);
  const fields = kind === 'idDocument' ? identityFields : documentFields;
  const ofNoField = Object.entries(formState.problems).filter(([name]) => !fields.some((field) => field.name === name));
  const form = html`${renderProblem(ofNoField.map(([name, text]) => `${name}: ${text}`).join('; ') || undefined)}
    ${renderFields(fields, formState)}<button>Send</button>`;
  const parameters = { of: kind, ...(personId === undefined ? {} : { person: personId }) };
  const missing = profile.verifications.filter(({ state }) => state === 'incomplete').length;
  const body = html`${person === undefined ? '' : html`<p><strong>${person}</strong></p>`}
    <p>${hint}</p>
    ${renderReview(errors.map(({ reason }) => ({ field: kind, reason })))}
    ${renderForm('verification', pageRequest, form, { parameters, hasFiles: true })}
    ${missing > 1 ? html`<p class="hint">${missing} documents are missing, with this one.</p>` : ''} ${renderPostpone(pageRequest)}`;
  return show(pageRequest, { title, body, status: status ?? 200 });
}

/** The names of the persons of a company's submitted details, by their ids. */
export async function personNames({ deps }: PageRequest, { id, kind }: ProfileView): Promise<Map<string, string>> {
  if (kind === 'personal') return new Map();
  const { representatives, finalBeneficiaries } = companyDraft(await readSection(deps.ledger, id, 'details'));
  return new Map([...representatives, ...finalBeneficiaries].map((person) => [person.id, personName(person)]));
}

const accepted = { type: 'file', autocomplete: 'off', accept: 'application/pdf,image/jpeg,image/png' } as const;
const limit = 'PDF, JPEG or PNG, at most 5 MB each.';

const identityFields: readonly Field[] = [
  { name: 'kind', label: 'Document', autocomplete: 'off', options: Object.entries(identityDocuments) },
  { ...accepted, name: 'front', label: 'Front, or the page with the photo', hint: limit },
  { ...accepted, name: 'back', label: 'Back', required: false, hint: 'Of everything but a passport.' },
];

const documentFields: readonly Field[] = [{ ...accepted, name: 'file', label: 'Files', multiple: true, hint: `Up to four. ${limit}` }];

/** The file parts of the form for an identity document, and of the form for any other verification. */
const identityParts = { front: 1, back: 1 };
const otherParts = { file: 4 };

/**
 * Receives the files of a verification, with the limits and checks of `POST /files`, and stores them as the user's own. They are read only
 * if the form is from a page of ours in this browser. Throws `invalid_request` with one text per field, `quota_exceeded`,
 * `not_allowed`.
 */
async function receiveDocuments(pageRequest: PageRequest, verification: string): Promise<VerificationDocument[]> {
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
