import { createRoute, z } from '@hono/zod-openapi';
import { unknownFiles } from '../../ledger/customers/files.ts';
import type { Caller } from '../../ledger/access/permissions.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type Submission, submitSection } from '../../ledger/customers/profile-submissions.ts';
import type { ApiEnv, Guards, AddRoutes } from '../api.ts';
import type { ErrorCode } from '../../platform/error-catalogue.ts';
import { companySubmission, personSubmission } from './details-submission.ts';
import { corporateDetails, personalDetails } from './profile-details-schema.ts';
import { corporateForm, personalForm } from './profile-form-schema.ts';
import {
  corporateVerifications,
  fileFields,
  type SubmittedVerification,
  personalVerifications,
  toUpdate,
} from './profile-verifications-schema.ts';
import { profileParam, readProfile, requireProfileOfPath } from './profiles.ts';
import { invalid } from '../http/errors.ts';
import { describedAs } from '../http/described-as.ts';
import { bearerAccess, emptySchema, errorResponses, json, jsonBody } from '../http/responses.ts';

const submissionErrors = ['partners_only', 'profile_approved', 'profile_in_review', 'profile_rejected'] as const;

/** The body of a section has the data under the kind of the profile (docs/api.md, Profiles). */
const detailsSchema = ofEitherKind('ProfileDetails', { personal: personalDetails, corporate: corporateDetails }, 'Who the customer is');
const formSchema = ofEitherKind('ProfileForm', { personal: personalForm, corporate: corporateForm }, 'What the customer does and intends');
const verificationsSchema = ofEitherKind(
  'ProfileVerifications',
  { personal: personalVerifications, corporate: corporateVerifications },
  'Documents',
);

/** `PATCH /profiles/{profile}/details`, `/form` and `/verifications` (docs/api.md, Profiles). */
export const addProfileSubmissions: AddRoutes = (api, { ledger }, guards) => {
  const submit = async ({ caller, correlationId }: ApiEnv['Variables'], named: string, read: ReadSubmission): Promise<void> => {
    const profile = await readProfile(ledger, await requireProfileOfPath(ledger, caller, named));
    await submitSection(ledger, profile.id, await read(profile), correlationId);
  };

  const patchDetails = createRoute({
    ...section(guards, detailsSchema),
    path: '/profiles/{profile}/details',
    operationId: 'submitProfileDetails',
    summary: 'Submit the details of a profile',
    description:
      'For partners. Who the customer is; it replaces the details that were submitted before. When the last section is complete, the profile goes into review and takes no more data.',
  });
  api.openapi(patchDetails, async (context) => {
    const { personal, corporate } = context.req.valid('json');
    await submit(context.var, context.req.valid('param').profile, ({ id, kind }) => {
      return kind === 'personal' ? personSubmission(forKind(personal, kind)) : companySubmission(id, forKind(corporate, kind));
    });
    return context.json({}, 202);
  });

  const patchForm = createRoute({
    ...section(guards, formSchema),
    path: '/profiles/{profile}/form',
    operationId: 'submitProfileForm',
    summary: 'Submit the form of a profile',
    description:
      'For partners. What the customer does and intends; it replaces the form that was submitted before. When the last section is complete, the profile goes into review and takes no more data.',
  });
  api.openapi(patchForm, async (context) => {
    const body = context.req.valid('json');
    const read: ReadSubmission = ({ kind }) => ({ section: 'form', data: forKind(body[kind], kind) });
    await submit(context.var, context.req.valid('param').profile, read);
    return context.json({}, 202);
  });

  const patchVerifications = createRoute({
    ...section(guards, verificationsSchema, 'unknown_person'),
    path: '/profiles/{profile}/verifications',
    operationId: 'submitProfileVerifications',
    summary: 'Submit the verifications of a profile',
    description:
      'For partners. Documents, uploaded before with `POST /files`; only the verifications in the body change. When the last section is complete, the profile goes into review and takes no more data.',
  });
  api.openapi(patchVerifications, async (context) => {
    const body = context.req.valid('json');
    await submit(context.var, context.req.valid('param').profile, async ({ kind }) => {
      const verifications = forKind<SubmittedVerification[]>(body[kind], kind);
      await requireOwnFiles(ledger, context.var.caller, fileFields(kind, verifications));
      return { section: 'verifications', updates: verifications.map(toUpdate) };
    });
    return context.json({}, 202);
  });
};

/** Data under either kind. Beside valid data of one kind, data of the other that is not valid is ignored: a profile has one kind. */
function ofEitherKind<Personal extends z.ZodType, Corporate extends z.ZodType>(
  name: string,
  { personal, corporate }: { personal: Personal; corporate: Corporate },
  about: string,
) {
  const withoutInvalid = (value: unknown): unknown => {
    const halves = value as { personal?: unknown; corporate?: unknown } | null | undefined;
    if (halves?.personal === undefined || halves.corporate === undefined) return value;
    const [isPerson, isCompany] = [personal.safeParse(halves.personal).success, corporate.safeParse(halves.corporate).success];
    if (isPerson === isCompany) return value;
    return isPerson ? { personal: halves.personal } : { corporate: halves.corporate };
  };
  const body = z
    .object({ personal: personal.optional(), corporate: corporate.optional() })
    .refine(
      (data) => data.personal !== undefined || data.corporate !== undefined,
      'must have personal or corporate, the kind of the profile',
    );
  const ignored = z.unknown().optional().openapi({ description: 'Ignored, unless it is valid and the profile is of this kind.' });
  const described = z.union([
    z.object({ personal, corporate: ignored }).openapi(`${name}OfPerson`, { description: `${about}, of a person.` }),
    z.object({ corporate, personal: ignored }).openapi(`${name}OfCompany`, { description: `${about}, of a company.` }),
  ]);
  return describedAs(z.preprocess(withoutInvalid, body), described).openapi(name, {
    description: `${about}, under the kind of the profile.`,
  });
}

/** Converts a body to a submission, once the profile is known. */
type ReadSubmission = (profile: Awaited<ReturnType<typeof readProfile>>) => Submission | Promise<Submission>;

function section<Schema extends z.ZodType>(guards: Guards, schema: Schema, ...own: ErrorCode[]) {
  return {
    method: 'patch' as const,
    ...bearerAccess('Profiles'),
    middleware: guards.partner,
    request: { params: profileParam, body: jsonBody(schema, 'The data, under the kind of the profile.') },
    responses: {
      202: json(emptySchema, 'The data is recorded.'),
      ...errorResponses(401, 403, 406, 409, 413, 415, ...submissionErrors, ...own),
    },
  };
}

function forKind<Data>(data: Data | undefined, kind: string): Data {
  if (data === undefined) throw invalid({ [kind]: `is required: the profile is ${kind}` });
  return data;
}

async function requireOwnFiles(ledger: Ledger, caller: Caller, files: ReturnType<typeof fileFields>): Promise<void> {
  const ids = files.map(({ fileId }) => fileId);
  const unknown = await unknownFiles(ledger, caller, ids);
  const invalidFields = files.filter(({ fileId }) => unknown.has(fileId)).map(({ field }) => [field, 'is not a file that you uploaded']);
  if (invalidFields.length > 0) throw invalid(Object.fromEntries(invalidFields));
}
