import { randomUUID } from 'node:crypto';
import { person, personalForm, uploadedFile } from '../api/customers/profiles-data.ts';
import { own, newProfile } from './requests.ts';
import { type Endpoint, is } from './documented-rows.ts';
import * as shapes from './shapes.ts';
import { type Asked, type World } from './world.ts';

const section = (name: string, valid: (world: World) => Promise<object> | object, wrong: object, field: string): Endpoint => {
  const at = async (world: World, profile: string, json?: object): Promise<Asked> => ({
    as: 'whitelabel',
    path: `/profiles/${profile}/${name}`,
    json: { personal: json ?? (await valid(world)) },
  });
  return {
    row: `PATCH /profiles/{profile}/${name}`,
    lists: [202, 400, 409],
    answers: [
      is(202, 'empty object', shapes.empty, async (world) => at(world, await newProfile(world))),
      is(202, 'fields of the guides beside valid ones are ignored', shapes.empty, async (world) => {
        const valid = await at(world, await newProfile(world));
        const guide = { companyName: 'Max GmbH', purposeOfAccount: 'Rent' };
        return { ...valid, json: { ...(valid.json as object), ...guide, corporate: guide } };
      }),
      is(400, `${field} is wrong`, shapes.refusal(400, `personal.${field}`), async (world) => at(world, await newProfile(world), wrong)),
      is(
        409,
        'it was approved already',
        shapes
          .refusal(409)
          .extend({})
          .refine(({ message }) => message.includes('approved')),
        (world) => at(world, world.whitelabel.own.profile),
      ),
    ],
  };
};

/** The endpoints of countries and profiles (docs/api.md, Countries; docs/api.md, Profiles). */
export const countriesAndProfiles: Endpoint[] = [
  {
    row: 'GET /countries',
    lists: [200],
    answers: [is(200, '{countries, total}', shapes.countries, () => ({}))],
  },
  {
    row: 'POST /profiles',
    lists: [201, 400, 409],
    answers: [
      is(
        201,
        'Profile, incomplete as each of its sections',
        shapes.profile.refine(({ state, details, form, verifications }) =>
          [{ state }, details, form, ...verifications].every((part) => part.state === 'incomplete'),
        ),
        () => ({ as: 'whitelabel', json: { kind: 'personal' } }),
      ),
      is(201, 'the partner gives an id', shapes.profile, () => ({
        as: 'whitelabel',
        json: { kind: 'corporate', id: randomUUID().toUpperCase() },
      })),
      is(400, 'kind is missing', shapes.refusal(400, 'kind'), () => ({ as: 'whitelabel', json: {} })),
      is(
        409,
        'profile with that id exists',
        shapes.refusal(409).refine(({ message }) => message === 'Profile already exists'),
        ({ whitelabel }) => ({ as: 'whitelabel', json: { kind: 'personal', id: whitelabel.own.profile } }),
      ),
    ],
  },
  {
    row: 'GET /profiles',
    lists: [200],
    answers: [
      is(200, '{profiles: [ProfileSummary]}, of a state and kind', shapes.listOf('profiles', shapes.profileSummary), () => ({
        as: 'private',
        path: '/profiles?state=approved&kind=personal',
      })),
    ],
  },
  {
    row: 'GET /profiles/{profile}',
    lists: [200],
    answers: [is(200, 'Profile', shapes.profile, (world) => ({ as: 'private', path: `/profiles/${own(world).profile}` }))],
  },
  {
    row: 'POST /profiles/{profile}/share',
    lists: [202, 400],
    answers: [
      is(202, 'import started', undefined, async (world) => ({
        as: 'whitelabel',
        path: `/profiles/${await newProfile(world)}/share`,
        json: { provider: 'sumsub', personal: { token: 'ok' }, externalId: '1' },
      })),
      is(400, 'personal.token is missing', shapes.refusal(400, 'personal.token'), async (world) => ({
        as: 'whitelabel',
        path: `/profiles/${await newProfile(world)}/share`,
        json: { provider: 'sumsub', personal: {} },
      })),
    ],
  },
  section('details', () => person, { ...person, country: 'Iceland' }, 'country'),
  section('form', () => personalForm, { ...personalForm, occupation: 'PIRATE' }, 'occupation'),
  section(
    'verifications',
    async ({ api, whitelabel }) => [
      { kind: 'sourceOfFunds', documents: [{ fileId: await uploadedFile(api, whitelabel), kind: 'sourceOfFunds', side: 'front' }] },
    ],
    [{ kind: 'horoscope', documents: [] }],
    '0.kind',
  ),
];
