import { createWallet, linkBody } from '../api/support/test-api.ts';
import { own, target, query, newProfile } from './requests.ts';
import { type Endpoint, is } from './documented-rows.ts';
import * as shapes from './shapes.ts';
import { send } from './world.ts';

/** The endpoints of IBANs (docs/api.md, IBANs). */
export const ibans: Endpoint[] = [
  {
    row: 'POST /ibans',
    headers: 'A, B',
    lists: [202, 304, 400, 401, 403],
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
      is(403, 'the profile is not approved', shapes.refusal(403), async (world) => {
        const [profile, wallet] = [await newProfile(world), createWallet()];
        await send(world, 'POST', '/addresses', { as: 'whitelabel', json: { ...(await linkBody(wallet)), profile } });
        return { as: 'whitelabel', json: { address: wallet.address, chain: 'chiado' } };
      }),
    ],
  },
  {
    row: 'GET /ibans',
    headers: 'A, B',
    lists: [200, 401, 403],
    answers: [
      is(200, '{ibans: [IBAN object]}, of a profile and chain', shapes.listOf('ibans', shapes.ibanObject), (world) => ({
        as: 'private',
        path: `/ibans${query({ profile: own(world).profile, chain: 'chiado' })}`,
      })),
      is(403, 'profile is not the caller’s', shapes.refusal(403), ({ whitelabel }) => ({
        as: 'private',
        path: `/ibans?profile=${whitelabel.own.profile}`,
      })),
    ],
  },
  {
    row: 'GET /ibans/{iban}',
    headers: 'A, B',
    lists: [200, 401, 403],
    answers: [
      is(200, 'IBAN object; spaces are accepted for readability', shapes.ibanObject, (world) => ({
        as: 'private',
        path: `/ibans/${encodeURIComponent(
          own(world)
            .iban.replaceAll(/(.{4})/g, '$1 ')
            .toLowerCase(),
        )}`,
      })),
      is(403, 'it is not the caller’s', shapes.refusal(403), ({ whitelabel }) => ({
        as: 'private',
        path: `/ibans/${whitelabel.own.iban}`,
      })),
    ],
  },
  {
    row: 'PATCH /ibans/{iban}',
    headers: 'A, B',
    lists: [200, 400, 401, 403],
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
      is(403, 'it is not the caller’s', shapes.refusal(403), (world) => ({
        as: 'private',
        path: `/ibans/${world.whitelabel.own.iban}`,
        json: target(world),
      })),
    ],
  },
];
