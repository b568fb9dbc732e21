import { createRoute, z } from '@hono/zod-openapi';
import { getAddress } from 'viem';
import { requireProfile } from '../../ledger/access/permissions.ts';
import { withValidToken } from '../../ledger/access/valid-token.ts';
import { linkMessage } from '../../../client/messages.ts';
import { type AddressLink, type LinkedAddress, findAddress, listAddresses } from '../../ledger/customers/addresses.ts';
import type { AddRoutes } from '../api.ts';
import { pageRequest, profileListQuery } from '../http/paging.ts';
import { isLinkingText } from './linking-message.ts';
import { proveAndLink, type WithAccess } from './prove-and-link.ts';
import { notAllowed } from '../http/errors.ts';
import { contest, contestSchema } from './contest.ts';
import { acceptedBody, acceptedSchema, bearerAccess, errorResponses, json, jsonBody, listResponse } from '../http/responses.ts';
import * as input from '../../wire/input-fields.ts';
import * as output from '../../wire/output-fields.ts';

const addressSchema = z
  .object({
    profile: output.profile,
    address: output.address,
    chains: z.array(output.chain).openapi({ description: 'The chains on which the address is linked.' }),
  })
  .openapi('Address', { description: 'An address whose owner has proven that it is theirs.' });

const linkSchema = addressSchema
  .extend({
    state: z.literal('linked').openapi({ description: 'The state of the link, always `linked`.' }),
    meta: z
      .object({
        linkedBy: output.uuid.openapi({ description: 'Id of the user who linked it.' }),
        linkedAt: output.time.openapi({ description: 'When it was linked (UTC).' }),
      })
      .openapi({ description: 'Who linked it, and when.' }),
  })
  .openapi('AddressLink', { description: 'An address that is linked to a profile.' });

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
      profile: input.profile.optional(),
      address: input.address,
      chain: input.chain(settings).openapi({ description: 'The chain on which the address is linked. Each chain is linked by itself.' }),
      message: z
        .string()
        .max(1_000)
        .refine(
          isLinkingText,
          `must be exactly: ${linkMessage} Or a linking message, which begins with it and names the service and the profile`,
        )
        .default(linkMessage)
        .openapi({
          description:
            'What the owner of the address signs: the fixed sentence, which is assumed when it is left out, or a linking message, which names the service, the profile, the address, the chain, a nonce and the time. The sentence takes an address back from a profile that linked it by the sentence signed on chain, a linking message also from one that linked it by a signature of the sentence.',
        }),
      signature: input.signature,
    })
    .openapi('LinkAddress', { description: 'An address, and the proof that it is the profile’s.' });

  const post = createRoute({
    method: 'post',
    path: '/addresses',
    ...access,
    operationId: 'linkAddress',
    summary: 'Link an address to a profile',
    description:
      'The owner of the address signs a fixed text. The signature of a key is checked at once: 201. A contract account, such as a Safe, checks its own: up to three seconds ' +
      'are waited for it, then the answer is 202, and `GET /signatures` lists what is waited for; for a signature on chain (`0x`) it is always 202. An address belongs to ' +
      'one profile, and is linked chain by chain. Linking it again is 201 again.',
    middleware: guards.caller,
    request: { body: jsonBody(request, 'The address and the proof of its ownership.') },
    responses: {
      201: json(linkSchema, 'The address is linked.'),
      202: json(
        acceptedSchema.extend({ contest: contestSchema.optional() }).openapi('AcceptedLink'),
        'The address is linked when its account has confirmed the signature.',
      ),
      ...errorResponses(401, 403, 406, 413, 415, 'address_already_linked', 'message_already_used', 'quota_exceeded'),
    },
  });
  api.openapi(post, async (context) => {
    const { caller, correlationId } = context.var;
    const { profile: named, ...proof } = context.req.valid('json');
    const profile = await requireProfile(ledger, caller, named);
    const withAccess: WithAccess = (write) => withValidToken(ledger, caller, write);
    const link = { ...proof, profile, user: caller.user, sources: [{ grant: caller.grant }] };
    const linked = await proveAndLink({ ...deps, withAccess }, link, correlationId);
    if (!('isContested' in linked)) return context.json(linkBody(linked), 201);
    return context.json({ ...acceptedBody, ...(linked.isContested ? { contest } : {}) }, 202);
  });
};

const addList: AddRoutes = (api, { settings, ledger, answerList }, guards) => {
  const list = createRoute({
    method: 'get',
    path: '/addresses',
    ...access,
    operationId: 'listAddresses',
    summary: 'List the addresses of a profile',
    description: 'The linked addresses of a profile, oldest first.',
    middleware: guards.caller,
    request: {
      query: profileListQuery(
        settings,
        input.address.optional().openapi({ description: 'The last `address` of the page before.' }),
        'linked',
      ),
    },
    responses: {
      200: listResponse('addresses', addressSchema, 'The addresses of this page.', 'A page of addresses.'),
      ...errorResponses(401, 403, 406, 'unknown_cursor'),
    },
  });
  api.openapi(list, async (context) => {
    const query = context.req.valid('query');
    const profile = await requireProfile(ledger, context.var.caller, query.profile);
    return answerList(context, 'addresses', await listAddresses(ledger, profile, query.chain, pageRequest(query, 'linked')), addressBody);
  });
};

const addReading: AddRoutes = (api, { ledger }, guards) => {
  const get = createRoute({
    method: 'get',
    path: '/addresses/{address}',
    ...access,
    operationId: 'readAddress',
    summary: 'Read an address',
    description: 'The chains on which an address of the caller is linked, and its profile.',
    middleware: guards.caller,
    request: { params: z.object({ address: input.address }) },
    responses: { 200: json(addressSchema, 'The address.'), ...errorResponses(401, 403, 406) },
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
