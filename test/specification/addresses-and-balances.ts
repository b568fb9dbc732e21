import { createWallet, linkBody, linkMessage } from '../api/support/test-api.ts';
import { own, query } from './requests.ts';
import { type Endpoint, is } from './documented-rows.ts';
import * as shapes from './shapes.ts';

/** The endpoints of addresses and balances (docs/api.md, Addresses; docs/api.md, Balances). */
export const addressesAndBalances: Endpoint[] = [
  {
    row: 'POST /addresses',
    headers: 'A, B',
    lists: [201, 202, 400, 401, 403],
    answers: [
      is(201, 'signature validated, wallet linked', shapes.empty, async () => ({
        as: 'private',
        json: { ...(await linkBody(createWallet())), message: linkMessage },
      })),
      is(202, 'onchain signature to be confirmed later', shapes.accepted, () => ({
        as: 'private',
        json: { address: createWallet().address, chain: 'chiado', message: linkMessage, signature: '0x' },
      })),
      is(400, 'the address is missing', shapes.refusal(400, 'address'), async () => ({
        as: 'private',
        json: { ...(await linkBody(createWallet())), address: undefined },
      })),
      is(400, 'message is another text', shapes.refusal(400, 'message'), async () => ({
        as: 'private',
        json: { ...(await linkBody(createWallet())), message: 'I am somebody.' },
      })),
      is(403, 'profile is not the caller’s', shapes.refusal(403), async ({ whitelabel }) => ({
        as: 'private',
        json: { ...(await linkBody(createWallet())), profile: whitelabel.own.profile },
      })),
    ],
  },
  {
    row: 'GET /addresses',
    headers: 'A, B',
    lists: [200, 401, 403],
    answers: [
      is(200, '{addresses: [Address object]}, of a profile and chain', shapes.listOf('addresses', shapes.linkedAddress), (world) => ({
        as: 'private',
        path: `/addresses${query({ profile: own(world).profile, chain: 'chiado' })}`,
      })),
      is(403, 'profile is not the caller’s', shapes.refusal(403), ({ whitelabel }) => ({
        as: 'private',
        path: `/addresses?profile=${whitelabel.own.profile}`,
      })),
    ],
  },
  {
    row: 'GET /addresses/{address}',
    headers: 'A, B',
    lists: [200, 401, 403],
    answers: [
      is(200, 'Address object', shapes.linkedAddress, (world) => ({
        as: 'private',
        path: `/addresses/${own(world).wallet.address.toLowerCase()}`,
      })),
      is(403, 'it is not the caller’s', shapes.refusal(403), ({ whitelabel }) => ({
        as: 'private',
        path: `/addresses/${whitelabel.own.wallet.address}`,
      })),
    ],
  },
  {
    row: 'GET /balances/{chain}/{address}',
    headers: 'B',
    lists: [200, 401, 403],
    answers: [
      is(
        200,
        'Balance; eur when currency is omitted',
        shapes.balance.refine(({ balances }) => balances.map(({ currency }) => currency).join() === 'eur'),
        (world) => ({ as: 'private', path: `/balances/chiado/${own(world).wallet.address}` }),
      ),
      is(
        200,
        'currency is repeated',
        shapes.balance.refine(({ balances }) => balances.map(({ currency }) => currency).join() === 'eur,gbp'),
        (world) => ({ as: 'private', path: `/balances/chiado/${own(world).wallet.address}?currency=eur&currency=gbp` }),
      ),
      is(403, 'the address is not the caller’s', shapes.refusal(403), ({ whitelabel }) => ({
        as: 'private',
        path: `/balances/chiado/${whitelabel.own.wallet.address}`,
      })),
    ],
  },
];
