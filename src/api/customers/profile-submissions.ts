import { createRoute, z } from '@hono/zod-openapi';
import { unknownFiles } from '../../ledger/customers/files.ts';
import type { Caller } from '../../ledger/access/permissions.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { verifiedPersons, withPersonIds } from '../../ledger/customers/profile-persons.ts';
import { type Submission, submitSection } from '../../ledger/customers/profile-submissions.ts';
import type { ApiEnv, Guards, AddRoutes } from '../api.ts';
import { corporateDetails, personalDetails } from './profile-details-schema.ts';
import { corporateForm, personalForm } from './profile-form-schema.ts';
import {
  corporateVerifications,
  filePlaces,
  type GivenVerification,
  personalVerifications,
  toUpdate,
} from './profile-verifications-schema.ts';
import { profileParam, readProfile, requireNamed } from './profiles.ts';
import { invalid } from '../http/errors.ts';
import { bearerAccess, json, errorResponses } from '../http/responses.ts';

/** Half of the body of a section: the profile's kind says which is read (docs/api.md, Profiles). */
const details = z.object({ personal: personalDetails.optional(), corporate: corporateDetails.optional() }).openapi('ProfileDetails');
const form = z.object({ personal: personalForm.optional(), corporate: corporateForm.optional() }).openapi('ProfileForm');
const verifications = z
  .object({ personal: personalVerifications.optional(), corporate: corporateVerifications.optional() })
  .openapi('ProfileVerifications');

/** `PATCH /profiles/{profile}/details`, `/form` and `/verifications` (docs/api.md, Profiles). */
export const addProfileSubmissions: AddRoutes = (api, { ledger }, guards) => {
  const submit = async ({ caller, correlationId }: ApiEnv['Variables'], named: string, read: Read): Promise<void> => {
    const profile = await readProfile(ledger, await requireNamed(ledger, caller, named));
    await submitSection(ledger, profile.id, await read(profile), correlationId);
  };

  const patchDetails = createRoute({
    ...section(guards, details),
    path: '/profiles/{profile}/details',
    summary: 'Who the customer is (KYC reliance; whitelabel)',
  });
  api.openapi(patchDetails, async (context) => {
    const { personal, corporate } = context.req.valid('json');
    await submit(context.var, context.req.valid('param').profile, ({ id, kind }) => {
      if (kind === 'personal') return detailsOfPerson(forKind(personal, kind));
      const data = withPersonIds(id, forKind(corporate, kind));
      return { section: 'details', data, name: data.name, persons: verifiedPersons(data) };
    });
    return context.json({}, 202);
  });

  const patchForm = createRoute({
    ...section(guards, form),
    path: '/profiles/{profile}/form',
    summary: 'What the customer does and wants (whitelabel)',
  });
  api.openapi(patchForm, async (context) => {
    const given = context.req.valid('json');
    const read: Read = ({ kind }) => ({ section: 'form', data: forKind(given[kind], kind) });
    await submit(context.var, context.req.valid('param').profile, read);
    return context.json({}, 202);
  });

  const patchVerifications = createRoute({
    ...section(guards, verifications),
    path: '/profiles/{profile}/verifications',
    summary: 'Documents that prove it; only the verifications that are given change (whitelabel)',
  });
  api.openapi(patchVerifications, async (context) => {
    const body = context.req.valid('json');
    await submit(context.var, context.req.valid('param').profile, async ({ kind }) => {
      const given = forKind<GivenVerification[]>(body[kind], kind);
      await requireOwnFiles(ledger, context.var.caller, filePlaces(kind, given));
      return { section: 'verifications', updates: given.map(toUpdate) };
    });
    return context.json({}, 202);
  });
};

/** Makes of a body what the ledger takes, now that the profile is known. */
type Read = (profile: Awaited<ReturnType<typeof readProfile>>) => Submission | Promise<Submission>;

function section<Schema extends z.ZodType>(guards: Guards, schema: Schema) {
  return {
    method: 'patch' as const,
    ...bearerAccess('Profiles'),
    middleware: guards.partner,
    request: { params: profileParam, body: { ...json(schema, 'Under the kind of the profile'), required: true } },
    responses: { 202: json(z.object({}), 'Taken'), ...errorResponses(400, 401, 403, 406, 409, 413) },
  };
}

function detailsOfPerson(data: z.output<typeof personalDetails>): Submission {
  return { section: 'details', data, name: `${data.firstName} ${data.lastName}` };
}

function forKind<Given>(given: Given | undefined, kind: string): Given {
  if (given === undefined) throw invalid({ [kind]: `is required: the profile is ${kind}` });
  return given;
}

async function requireOwnFiles(ledger: Ledger, caller: Caller, places: ReturnType<typeof filePlaces>): Promise<void> {
  const ids = places.map(({ fileId }) => fileId);
  const unknown = await unknownFiles(ledger, caller, ids);
  const wrong = places
    .filter(({ fileId }) => unknown.has(fileId))
    .map(({ field }) => [field, 'is not a file that this application uploaded']);
  if (wrong.length > 0) throw invalid(Object.fromEntries(wrong));
}
