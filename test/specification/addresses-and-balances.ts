import { createWallet, linkBody, linkMessage } from '../api/support/test-api.ts';
import { own, query } from './requests.ts';
import { type Endpoint, is } from './documented-rows.ts';
import * as shapes from './shapes.ts';

/** The endpoints of addresses and balances (docs/api.md, Addresses; docs/api.md, Balances). */
export const addressesAndBalances: Endpoint[] = [
  {
    row: 'POST /addresses',
    lists: [201, 202, 400],
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
    ],
  },
  {
    row: 'GET /addresses',
    lists: [200],
    answers: [
      is(200, '{addresses: [Address object]}, of a profile and chain', shapes.listOf('addresses', shapes.linkedAddress), (world) => ({
        as: 'private',
        path: `/addresses${query({ profile: own(world).profile, chain: 'chiado' })}`,
      })),
    ],
  },
  {
    row: 'GET /addresses/{address}',
    lists: [200],
    answers: [
      is(200, 'Address object', shapes.linkedAddress, (world) => ({
        as: 'private',
        path: `/addresses/${own(world).wallet.address.toLowerCase()}`,
      })),
    ],
  },
  {
    row: 'GET /balances/{chain}/{address}',
    lists: [200],
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
    ],
  },
];
