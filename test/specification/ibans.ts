import { createWallet } from '../api/support/test-api.ts';
import { own, target, query } from './requests.ts';
import { type Endpoint, is } from './documented-rows.ts';
import * as shapes from './shapes.ts';

/** The endpoints of IBANs (docs/api.md, IBANs). */
export const ibans: Endpoint[] = [
  {
    row: 'POST /ibans',
    lists: [202, 304, 400],
    answers: [
      is(304, 'no change: the profile has one', undefined, (world) => ({ as: 'private', json: target(world) })),
      is(202, 'accepted: assignment is asynchronous', shapes.accepted, async (world) => {
        const caller = await world.api.partner();
        const wallet = await caller.link();
        return { headers: caller.headers, json: { address: wallet.address, chain: 'chiado' } };
      }),
      is(400, 'chain is missing', shapes.refusal(400, 'chain'), (world) => ({
        as: 'private',
        json: { ...target(world), chain: undefined },
      })),
    ],
  },
  {
    row: 'GET /ibans',
    lists: [200],
    answers: [
      is(200, '{ibans: [IBAN object]}, of a profile and chain', shapes.listOf('ibans', shapes.ibanObject), (world) => ({
        as: 'private',
        path: `/ibans${query({ profile: own(world).profile, chain: 'chiado' })}`,
      })),
    ],
  },
  {
    row: 'GET /ibans/{iban}',
    lists: [200],
    answers: [
      is(200, 'IBAN object; spaces are accepted for readability', shapes.ibanObject, (world) => ({
        as: 'private',
        path: `/ibans/${encodeURIComponent(
          own(world)
            .iban.replaceAll(/(.{4})/g, '$1 ')
            .toLowerCase(),
        )}`,
      })),
    ],
  },
  {
    row: 'PATCH /ibans/{iban}',
    lists: [200, 400],
    answers: [
      is(200, 'moved to another address and chain', shapes.ibanObject, async (world) => ({
        as: 'private',
        path: `/ibans/${own(world).iban}`,
        json: target(world),
      })),
      is(400, 'the address is not linked to the profile', shapes.refusal(400, 'address'), (world) => ({
        as: 'private',
        path: `/ibans/${own(world).iban}`,
        json: { ...target(world), address: createWallet().address },
      })),
    ],
  },
];
