import { createRoute, z } from '@hono/zod-openapi';
import { requireProfile } from '../../ledger/access/permissions.ts';
import { withValidToken } from '../../ledger/access/valid-token.ts';
import { findAddress } from '../../ledger/customers/addresses.ts';
import { type Iban, findIban, listIbans, moveIban, requestIban } from '../../ledger/customers/ibans.ts';
import { requireApproved } from '../../ledger/customers/profiles.ts';
import { ibanBody, ibanSchema } from '../../wire/iban.ts';
import type { AddRoutes } from '../api.ts';
import { pageRequest, profileListQuery } from '../http/paging.ts';
import { notAllowed } from '../http/errors.ts';
import { acceptedBody, acceptedSchema, bearerAccess, errorResponses, json, jsonBody, listResponse } from '../http/responses.ts';
import * as input from '../../wire/input-fields.ts';

const access = bearerAccess('IBANs');

const params = z.object({ iban: input.iban });

/** `/ibans` (docs/api.md, IBANs). */
export const addIbans: AddRoutes = (...args) => {
  addWriting(...args);
  addList(...args);
  addReading(...args);
};

const addWriting: AddRoutes = (api, { settings, ledger }, guards) => {
  const target = z
    .object({
      address: input.address.openapi({ description: 'A linked address, which receives the tokens of incoming payments.' }),
      chain: input.chain(settings).openapi({ description: 'The chain on which it receives them.' }),
      emailNotifications: z.boolean().optional().openapi({
        description:
          'Whether the owner wants emails about incoming payments; at first true. It is kept and answered; this service sends none.',
      }),
    })
    .openapi('IbanTarget', { description: 'Where the tokens of incoming payments go.' });
  const body = jsonBody(target, 'Where incoming payments go.');

  const post = createRoute({
    method: 'post',
    path: '/ibans',
    ...access,
    operationId: 'requestIban',
    summary: 'Request an IBAN',
    description:
      'The profile of the linked address gets an IBAN; it must be approved. The IBAN is assigned within seconds, with the event `iban.updated`. A profile has one IBAN.',
    middleware: guards.caller,
    request: { body },
    responses: {
      202: json(acceptedSchema, 'The IBAN is assigned shortly.'),
      304: { description: 'The profile has an IBAN already. The answer has no body.' },
      ...errorResponses(401, 403, 406, 413, 415, 'address_not_linked', 'profile_not_approved'),
    },
  });
  api.openapi(post, async (context) => {
    const { caller, claim, correlationId } = context.var;
    const target = context.req.valid('json');
    const linked = await findAddress(ledger, caller, target.address, target.chain);
    if (linked) await requireApproved(ledger, linked.profile, 'gets an IBAN');
    const isNew = await withValidToken(ledger, caller, (tx) => requestIban(tx, caller, target, { id: claim?.makes, correlationId }));
    if (!isNew) return context.body(null, 304);
    return context.json(acceptedBody, 202);
  });

  const patch = createRoute({
    method: 'patch',
    path: '/ibans/{iban}',
    ...access,
    operationId: 'changeIbanTarget',
    summary: 'Change where the payments to an IBAN go',
    description:
      'Future payments to the IBAN become tokens at another address that is linked to its profile. The number of the IBAN stays. The event is `iban.updated`.',
    middleware: guards.caller,
    request: { params, body },
    responses: {
      200: json(ibanSchema, 'The IBAN after the change.'),
      ...errorResponses(401, 403, 406, 413, 415, 'address_not_linked', 'iban_closed'),
    },
  });
  api.openapi(patch, async (context) => {
    const { caller, correlationId } = context.var;
    const { iban } = context.req.valid('param');
    const moved = await withValidToken(ledger, caller, (tx) => moveIban(tx, caller, iban, context.req.valid('json'), correlationId));
    return context.json(ibanBody(requireIban(moved)), 200);
  });
};

const addList: AddRoutes = (api, { settings, ledger, answerList }, guards) => {
  const list = createRoute({
    method: 'get',
    path: '/ibans',
    ...access,
    operationId: 'listIbans',
    summary: 'List the IBANs of a profile',
    description: 'The IBANs of a profile, oldest first. One that has no number yet is not listed.',
    middleware: guards.caller,
    request: {
      query: profileListQuery(settings, input.iban.optional().openapi({ description: 'The last `iban` of the page before.' }), 'created'),
    },
    responses: {
      200: listResponse('ibans', ibanSchema, 'The IBANs of this page.', 'A page of IBANs.'),
      ...errorResponses(401, 403, 406, 'unknown_cursor'),
    },
  });
  api.openapi(list, async (context) => {
    const query = context.req.valid('query');
    const profile = await requireProfile(ledger, context.var.caller, query.profile);
    return answerList(context, 'ibans', await listIbans(ledger, profile, query.chain, pageRequest(query, 'created')), ibanBody);
  });
};

const addReading: AddRoutes = (api, { ledger }, guards) => {
  const get = createRoute({
    method: 'get',
    path: '/ibans/{iban}',
    ...access,
    operationId: 'readIban',
    summary: 'Read an IBAN',
    description: 'An IBAN of the caller: its state, and where its payments go.',
    middleware: guards.caller,
    request: { params },
    responses: { 200: json(ibanSchema, 'The IBAN.'), ...errorResponses(401, 403, 406) },
  });
  api.openapi(get, async (context) =>
    context.json(ibanBody(requireIban(await findIban(ledger, context.var.caller, context.req.valid('param').iban))), 200),
  );
};

function requireIban(iban: Iban | undefined): Iban {
  if (!iban) throw notAllowed('The IBAN does not belong to a profile of the caller');
  return iban;
}
