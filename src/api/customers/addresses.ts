import { createRoute, z } from '@hono/zod-openapi';
import { getAddress } from 'viem';
import { requireProfile } from '../../ledger/access/permissions.ts';
import { linkMessage } from '../../client/messages.ts';
import { type AddressLink, type LinkedAddress, findAddress, listAddresses } from '../../ledger/customers/addresses.ts';
import type { AddRoutes } from '../api.ts';
import { pageRequest, profileListQuery } from '../http/paging.ts';
import { proveAndLink } from './prove-and-link.ts';
import { notAllowed } from '../http/errors.ts';
import { acceptedBody, acceptedSchema, bearerAccess, errorResponses, json, jsonBody, listSchema } from '../http/responses.ts';
import * as input from '../../wire/input-fields.ts';
import * as output from '../../wire/output-fields.ts';

const addressSchema = z.object({ profile: output.uuid, address: output.address, chains: z.array(output.chain) }).openapi('Address');

const linkSchema = addressSchema
  .extend({ state: z.literal('linked'), meta: z.object({ linkedBy: output.uuid, linkedAt: output.time }) })
  .openapi('AddressLink');

const access = bearerAccess('Addresses');

/** `/addresses` (docs/api.md, Addresses). */
export const addAddresses: AddRoutes = (...args) => {
  addLinking(...args);
  addList(...args);
  addReading(...args);
};

const addLinking: AddRoutes = (api, deps, guards) => {
  const { settings, ledger } = deps;
  const request = z
    .object({
      profile: input.uuid.optional(),
      address: input.address,
      chain: input.chain(settings),
      message: z.literal(linkMessage, `must be exactly: ${linkMessage}`).default(linkMessage),
      signature: input.signature,
    })
    .openapi('LinkAddress');

  const post = createRoute({
    method: 'post',
    path: '/addresses',
    ...access,
    summary: 'Link an address to a profile on one chain',
    middleware: guards.caller,
    request: { body: jsonBody(request, 'The address and the proof of its ownership') },
    responses: {
      201: json(linkSchema, 'Linked'),
      202: json(acceptedSchema, 'Accepted; the address is linked when the chain confirms the signature'),
      ...errorResponses(400, 401, 403, 406, 413),
    },
  });
  api.openapi(post, async (context) => {
    const { caller, correlationId } = context.var;
    const { profile: named, address, chain, signature } = context.req.valid('json');
    const profile = await requireProfile(ledger, caller, named);
    const linked = await proveAndLink(deps, { profile, address, chain, user: caller.user }, signature, correlationId);
    return linked === undefined ? context.json(acceptedBody, 202) : context.json(linkBody(linked), 201);
  });
};

const addList: AddRoutes = (api, { settings, ledger }, guards) => {
  const list = createRoute({
    method: 'get',
    path: '/addresses',
    ...access,
    summary: 'List the addresses of a profile',
    middleware: guards.caller,
    request: {
      query: profileListQuery(settings, input.address.optional().openapi({ description: 'the last address of the page before' }), 'linked'),
    },
    responses: {
      200: json(listSchema('addresses', addressSchema), 'The addresses'),
      ...errorResponses(400, 401, 403, 406),
    },
  });
  api.openapi(list, async (context) => {
    const query = context.req.valid('query');
    const profile = await requireProfile(ledger, context.var.caller, query.profile);
    const { rows, total } = await listAddresses(ledger, profile, query.chain, pageRequest(query, 'linked'));
    return context.json({ addresses: rows.map(addressBody), total }, 200);
  });
};

const addReading: AddRoutes = (api, { ledger }, guards) => {
  const get = createRoute({
    method: 'get',
    path: '/addresses/{address}',
    ...access,
    summary: 'Read an address',
    middleware: guards.caller,
    request: { params: z.object({ address: input.address }) },
    responses: { 200: json(addressSchema, 'The address'), ...errorResponses(400, 401, 403, 406) },
  });
  api.openapi(get, async (context) => {
    const linked = await findAddress(ledger, context.var.caller, context.req.valid('param').address);
    if (!linked) throw notAllowed('The address is not linked to a profile of the caller');
    return context.json(addressBody(linked), 200);
  });
};

function addressBody({ profile, address, chains }: LinkedAddress): z.infer<typeof addressSchema> {
  return { profile, address: getAddress(address), chains };
}

function linkBody(linked: AddressLink): z.infer<typeof linkSchema> {
  const meta = { linkedBy: linked.linkedBy, linkedAt: linked.linkedAt.toISOString() };
  return { ...addressBody(linked), state: 'linked', meta };
}
