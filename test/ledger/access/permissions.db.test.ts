import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { createApplication } from '../../../src/ledger/access/applications/create-application.ts';
import type { ApplicationKind } from '../../../src/ledger/access/applications/application-kinds.ts';
import { type Caller, mayActOn, permissionConditions, profilesOf, requireProfile } from '../../../src/ledger/access/permissions.ts';
import { createUser, setDefaultProfile } from '../../../src/ledger/access/users.ts';
import { createProfile, listProfiles } from '../../../src/ledger/customers/profiles.ts';
import { testLedger } from '../../support/test-ledger.ts';

const { ledger } = testLedger();
const token = Buffer.alloc(0);
let callers: Caller[];
let names: Map<string, string>;

beforeAll(async () => {
  callers = [];
  names = new Map();
  const profile = async (name: string, of: { owner?: string; application?: string }) => {
    const id = await createProfile(ledger, { kind: 'personal', name, state: 'approved', ...of });
    names.set(id, name);
    return id;
  };
  for (const kind of ['private', 'whitelabel', 'authorization_code'] as const) {
    const user = await createUser(ledger, { email: `${randomUUID()}@example.com`, name: kind });
    const { id: application } = await createApplication(ledger, { kind, name: kind, owner: user });
    const defaultProfile = await profile(`default of ${kind}`, {});
    await setDefaultProfile(ledger, user, defaultProfile);
    await profile(`owned by the user of ${kind}`, { owner: user });
    await profile(`onboarded by ${kind}`, { application });
    callers.push({ application, kind, user, defaultProfile, permissions: ['read'], grant: '', token });
  }
  callers.push({
    application: randomUUID(),
    kind: 'whitelabel',
    user: randomUUID(),
    defaultProfile: null,
    permissions: ['read'],
    grant: '',
    token,
  });
});

const callerOf = (kind: ApplicationKind) => callers.find((caller) => caller.kind === kind) as Caller;
const namesOf = (ids: string[]) => ids.map((id) => names.get(id) ?? id).sort();
const permitted = async (caller: Caller) => (await profilesOf(ledger, caller).execute()).map(({ id }) => id);

describe('the access rule', () => {
  it.each([
    ['private', ['default of private']],
    ['whitelabel', ['default of whitelabel', 'onboarded by whitelabel']],
    ['authorization_code', ['default of authorization_code', 'owned by the user of authorization_code']],
  ] as const)('gives an application of kind %s its profiles and no other', async (kind, expected) => {
    expect(namesOf(await permitted(callerOf(kind)))).toEqual(expected);
  });

  it('gives nothing to an application without any profile', async () => {
    expect(await permitted(callers.at(-1) as Caller)).toEqual([]);
    expect(await permitted({ ...callerOf('private'), defaultProfile: null })).toEqual([]);
  });

  it('lists the profiles of a caller by it', async () => {
    for (const caller of callers) {
      const { rows } = await listProfiles(ledger, caller);
      expect(rows.map(({ id }) => id).sort()).toEqual((await permitted(caller)).sort());
    }
  });

  it('takes the default profile where a request names none, and one has to be named where there is no default', async () => {
    const caller = callerOf('whitelabel');
    expect(await requireProfile(ledger, caller)).toBe(caller.defaultProfile);
    const withoutDefault = { ...caller, defaultProfile: null };
    await expect(requireProfile(ledger, withoutDefault)).rejects.toMatchObject({ code: 'not_allowed', message: /name the profile/ });
    const [customer = ''] = await permitted(withoutDefault);
    expect(await requireProfile(ledger, withoutDefault, customer)).toBe(customer);
    await expect(requireProfile(ledger, caller, randomUUID())).rejects.toMatchObject({ code: 'not_allowed' });
  });

  it('decides the same in memory, in a subquery, in a statement over many callers, and of a named profile', async () => {
    const profiles = await ledger.selectFrom('profiles').select(['id', 'application', 'owner']).execute();
    for (const caller of callers) {
      const ids = (await permitted(caller)).sort();
      const inMemory = profiles.filter((profile) => mayActOn(caller, profile)).map(({ id }) => id);
      expect(inMemory.sort()).toEqual(ids);
      const { application, kind, user, defaultProfile } = caller;
      const conditions = sql.join(
        permissionConditions('c', 'p').map((condition) => sql`select p.id from c, profiles p where ${condition}`),
        sql` union `,
      );
      const { rows } = await sql<{ id: string }>`
        with c as (select ${application}::uuid as application, ${kind} as kind, ${user}::uuid as "user", ${defaultProfile}::uuid as default_profile)
        ${conditions}`.execute(ledger);
      expect(rows.map(({ id }) => id).sort()).toEqual(ids);
      for (const { id } of profiles) {
        const named = requireProfile(ledger, caller, id).catch((error: { code: string }) => error.code);
        expect(await named).toBe(ids.includes(id) ? id : 'not_allowed');
      }
    }
  });
});
