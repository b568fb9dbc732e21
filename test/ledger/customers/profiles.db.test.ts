import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Caller, requireProfile } from '../../../src/ledger/access/permissions.ts';
import { type ApplicationKind, createApplication } from '../../../src/ledger/access/applications.ts';
import { createProfile, listProfiles } from '../../../src/ledger/customers/profiles.ts';
import { createUser } from '../../../src/ledger/access/users.ts';
import { testLedger } from '../../support/test-ledger.ts';

const { ledger } = testLedger();

/** An application with its owner's default profile, a second profile of the owner, and a customer it onboarded. */
async function applicationOf(kind: ApplicationKind) {
  const owner = await createUser(ledger, { email: `${randomUUID()}@example.com`, name: 'Jane' });
  const { id: application } = await createApplication(ledger, { kind, name: 'Shop', owner });
  const own = await createProfile(ledger, { kind: 'personal', name: 'Own', state: 'approved', owner });
  const second = await createProfile(ledger, { kind: 'corporate', name: 'Second', state: 'approved', owner });
  const customer = await createProfile(ledger, { kind: 'personal', name: 'Customer', state: 'incomplete', application });
  const caller: Caller = { application, kind, user: owner, defaultProfile: own, permissions: ['read'], grant: '', token: Buffer.alloc(0) };
  return { caller, own, second, customer };
}

const ids = async (caller: Caller) => (await listProfiles(ledger, caller)).rows.map(({ id }) => id);

describe('the profiles of a caller', () => {
  it('are the default profile alone for a private application', async () => {
    const { caller, own } = await applicationOf('private');
    expect(await ids(caller)).toEqual([own]);
  });

  it('are the default profile and the customers it onboarded for a whitelabel application', async () => {
    const { caller, own, customer } = await applicationOf('whitelabel');
    await applicationOf('whitelabel');
    expect(await ids(caller)).toEqual([own, customer]);
  });

  it('are none without a default profile and customers', async () => {
    const { caller } = await applicationOf('private');
    expect(await ids({ ...caller, defaultProfile: null })).toEqual([]);
  });
});

describe('the profile of a request', () => {
  it('is the default profile when the request names none', async () => {
    const { caller, own } = await applicationOf('whitelabel');
    expect(await requireProfile(ledger, caller)).toBe(own);
  });

  it('must be named when there is no default profile', async () => {
    const { caller, customer } = await applicationOf('whitelabel');
    const withoutDefault = { ...caller, defaultProfile: null };
    await expect(requireProfile(ledger, withoutDefault)).rejects.toMatchObject({
      code: 'not_allowed',
      message: /name the profile/,
    });
    expect(await requireProfile(ledger, withoutDefault, customer)).toBe(customer);
  });

  it.each(['private', 'whitelabel'] as const)("is never another application's, nor one that does not exist (%s)", async (kind) => {
    const { caller } = await applicationOf(kind);
    const other = await applicationOf('whitelabel');
    for (const named of [other.own, other.customer, randomUUID()])
      await expect(requireProfile(ledger, caller, named)).rejects.toMatchObject({ code: 'not_allowed' });
  });

  it('is not a second profile of the same owner', async () => {
    const { caller, second } = await applicationOf('private');
    await expect(requireProfile(ledger, caller, second)).rejects.toMatchObject({ code: 'not_allowed' });
  });
});
