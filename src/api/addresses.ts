import { createRoute, z } from '@hono/zod-openapi';
import { getAddress } from 'viem';
import { recoverMessageSigner } from '../chain/signature.ts';
import { type LinkedAddress, findAddress, linkAddress, listAddresses } from '../ledger/addresses.ts';
import { requireProfile } from '../ledger/profiles.ts';
import type { Part } from './api.ts';
import { invalid, notAllowed } from './refusals.ts';
import { address, addressOut, chainOut, configuredChain, json, refusals, timeOut, uuid, uuidOut, bearerAccess } from './schemas.ts';

/** What the owner of an address signs (wire facts, Amounts and messages). */
const linkMessage = 'I hereby declare that I am the address owner.';

const linkedAddress = z.object({ profile: uuidOut, address: addressOut, chains: z.array(chainOut) }).openapi('Address');

const link = linkedAddress
  .extend({ state: z.literal('linked'), meta: z.object({ linkedBy: uuidOut, linkedAt: timeOut }) })
  .openapi('AddressLink');

const access = bearerAccess('Addresses');

/** `/addresses` (specification, Addresses). */
export const addAddresses: Part = (api, { settings, ledger }, guards) => {
  const chain = configuredChain(settings);
  const request = z
    .object({
      profile: uuid.optional(),
      address,
      chain,
      message: z.literal(linkMessage, `must be exactly: ${linkMessage}`).default(linkMessage),
      signature: z.string(),
    })
    .openapi('LinkAddress');

  const post = createRoute({
    method: 'post',
    path: '/addresses',
    ...access,
    summary: 'Link an address to a profile, on one chain',
    middleware: guards.caller,
    request: { body: { ...json(request, 'The address and the proof that it is owned'), required: true } },
    responses: { 201: json(link, 'Linked'), ...refusals(400, 401, 403, 406, 413) },
  });
  api.openapi(post, async (context) => {
    const { caller } = context.var;
    const given = context.req.valid('json');
    const profile = await requireProfile(ledger, caller, given.profile);
    requireOwnSignature(given);
    const linked = await linkAddress(ledger, { profile, address: given.address, chain: given.chain, user: caller.user });
    const meta = { linkedBy: linked.linkedBy, linkedAt: linked.linkedAt.toISOString() };
    return context.json({ ...addressBody(linked), state: 'linked' as const, meta }, 201);
  });

  const list = createRoute({
    method: 'get',
    path: '/addresses',
    ...access,
    summary: 'The addresses of a profile',
    middleware: guards.caller,
    request: { query: z.object({ profile: uuid.optional(), chain: chain.optional() }) },
    responses: {
      200: json(z.object({ addresses: z.array(linkedAddress), total: z.int() }), 'The addresses'),
      ...refusals(400, 401, 403, 406),
    },
  });
  api.openapi(list, async (context) => {
    const query = context.req.valid('query');
    const profile = await requireProfile(ledger, context.var.caller, query.profile);
    const addresses = await listAddresses(ledger, profile, query.chain);
    return context.json({ addresses: addresses.map(addressBody), total: addresses.length }, 200);
  });

  const get = createRoute({
    method: 'get',
    path: '/addresses/{address}',
    ...access,
    summary: 'One address',
    middleware: guards.caller,
    request: { params: z.object({ address }) },
    responses: { 200: json(linkedAddress, 'The address'), ...refusals(400, 401, 403, 406) },
  });
  api.openapi(get, async (context) => {
    const found = await findAddress(ledger, context.var.caller, context.req.valid('param').address);
    if (!found) throw notAllowed('The address is not linked to a profile of the caller');
    return context.json(addressBody(found), 200);
  });
};

function addressBody({ profile, address, chains }: LinkedAddress): z.infer<typeof linkedAddress> {
  return { profile, address: getAddress(address), chains };
}

/** A key's signature has 65 bytes; a contract wallet's is longer, or empty when it is given on chain. */
const ecdsaSignature = /^0x[0-9a-fA-F]{130}$/;
const contractSignature = /^0x([0-9a-fA-F]{132,})?$/;

function requireOwnSignature({ address, message, signature }: { address: string; message: string; signature: string }): void {
  if (contractSignature.test(signature))
    throw invalid({ signature: 'contract wallets are not supported yet: must be the 65 bytes of a key' });
  if (!ecdsaSignature.test(signature)) throw invalid({ signature: 'must be 65 bytes in hexadecimal, with the prefix 0x' });
  if (recoverMessageSigner(message, signature) !== address) throw invalid({ signature: 'invalid signature' });
}
