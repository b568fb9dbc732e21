import { createRoute, z } from '@hono/zod-openapi';
import { randomUUID } from 'node:crypto';
import { type Caller, requireProfile } from '../../ledger/access/permissions.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { findProfile } from '../../ledger/customers/profile-sections.ts';
import { createProfile, listProfiles } from '../../ledger/customers/profiles.ts';
import type { AddRoutes } from '../api.ts';
import { query } from '../http/query.ts';
import { runOnce } from '../http/run-once.ts';
import { pageRequest, paging } from '../http/paging.ts';
import { profileKinds, profileSchema, profileStates, profileSummarySchema } from './profile-schema.ts';
import { notAllowed } from '../http/errors.ts';
import { bearerAccess, errorResponses, json, jsonBody, listResponse } from '../http/responses.ts';
import * as input from '../../wire/input-fields.ts';
import { isUuid } from '../../platform/uuid.ts';

const access = bearerAccess('Profiles');

const newProfileSchema = z
  .object({
    id: input.uuid.optional().openapi({ description: 'An id that the client chooses. Without it the service does.' }),
    kind: z.enum(profileKinds).openapi({ description: 'A person or a company. It never changes.' }),
  })
  .openapi('NewProfile', { description: 'The profile of a new customer.' });

/** A profile in a path. Text that is not a UUID gets the same answer as a profile of somebody else. */
export const profileParam = z.object({ profile: z.string().openapi({ format: 'uuid', description: 'Id of the profile.' }) });

/** `/profiles` (docs/api.md, Profiles). */
export const addProfiles: AddRoutes = (...args) => {
  addCreation(...args);
  addReading(...args);
};

const addCreation: AddRoutes = (api, { ledger }, guards) => {
  const post = createRoute({
    method: 'post',
    path: '/profiles',
    ...access,
    operationId: 'createProfile',
    summary: 'Create a profile for a customer',
    description:
      'For partners. The profile begins as `incomplete`: submit its details, its form and its verifications, and it goes into review.',
    middleware: guards.partner,
    request: { body: jsonBody(newProfileSchema, 'The kind of the profile, and optionally its id.') },
    responses: {
      201: json(profileSchema, 'The new profile.'),
      ...errorResponses(401, 403, 406, 409, 413, 415, 'partners_only', 'profile_exists', 'quota_exceeded'),
    },
  });
  api.openapi(post, async (context) => {
    const { kind, ...chosen } = context.req.valid('json');
    const { application } = context.var.caller;
    const id = chosen.id ?? context.var.claim?.makes ?? randomUUID();
    const created = await runOnce({ ledger }, context.var, {
      action: 'profile.create',
      subject: id,
      detail: { kind },
      // Its details bring the name.
      run: () => createProfile(ledger, { id, kind, name: '', state: 'incomplete', application }),
      readResult: async () => id,
    });
    return context.json(await readProfile(ledger, created), 201);
  });
};

const addReading: AddRoutes = (api, { ledger, answerList }, guards) => {
  const list = createRoute({
    method: 'get',
    path: '/profiles',
    ...access,
    operationId: 'listProfiles',
    summary: 'List the profiles of the caller',
    description: 'The profiles that the caller may act for, oldest first.',
    middleware: guards.caller,
    request: {
      query: query(
        z.object({
          state: input.repeatable(profileStates, 'Only profiles in this state.'),
          kind: input.repeatable(profileKinds, 'Only profiles of this kind.'),
          ...paging(input.uuid.optional().openapi({ description: 'The `id` of the last profile of the page before.' }), 'created'),
        }),
      ),
    },
    responses: {
      200: listResponse('profiles', profileSummarySchema, 'The profiles of this page.', 'A page of profiles.'),
      ...errorResponses(401, 403, 406, 'unknown_cursor'),
    },
  });
  api.openapi(list, async (context) => {
    const query = context.req.valid('query');
    const filter = { states: query.state, kinds: query.kind };
    const page = await listProfiles(ledger, context.var.caller, filter, pageRequest(query, 'created'));
    return answerList(context, 'profiles', page, (profile) => profile);
  });

  const get = createRoute({
    method: 'get',
    path: '/profiles/{profile}',
    ...access,
    operationId: 'readProfile',
    summary: 'Read a profile',
    description: 'A profile with the states of its sections. The data of the sections is never answered.',
    middleware: guards.caller,
    request: { params: profileParam },
    responses: { 200: json(profileSchema, 'The profile.'), ...errorResponses(401, 403, 406) },
  });
  api.openapi(get, async (context) => {
    const id = await requireProfileOfPath(ledger, context.var.caller, context.req.valid('param').profile);
    return context.json(await readProfile(ledger, id), 200);
  });
};

/** The id of the profile that a path names. Throws `not_allowed` unless the caller may act on it, whether it exists or not. */
export async function requireProfileOfPath(ledger: Ledger, caller: Caller, named: string): Promise<string> {
  if (!isUuid(named)) throw notAllowed(`The profile ${named} does not belong to the caller`);
  return requireProfile(ledger, caller, named.toLowerCase());
}

/** Reads a profile that is known to exist. */
export async function readProfile(ledger: Ledger, id: string) {
  const profile = await findProfile(ledger, id);
  if (!profile) throw new Error(`profile ${id} is gone`);
  return profile;
}
