import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLedger, type Ledger } from '../../src/ledger/ledger.ts';
import type { ApplicationKind } from '../../src/ledger/access/applications/application-kinds.ts';
import { createApplication } from '../../src/ledger/access/applications/create-application.ts';
import type { Caller } from '../../src/ledger/access/permissions.ts';
import { createUser } from '../../src/ledger/access/users.ts';
import { beginFile, completeFile, requireRoomForFile, type StoredFile } from '../../src/ledger/customers/files.ts';
import { createProfile } from '../../src/ledger/customers/profiles.ts';
import { findLink, linkAddress } from '../../src/ledger/customers/addresses.ts';
import type { LinkProof } from '../../src/ledger/customers/link-proof.ts';
import { decideSignature, requestSignature } from '../../src/ledger/orders/signature-requests.ts';
import { wakesNobody } from '../../src/ledger/wake-ups.ts';
import { lowerAddress } from '../../src/platform/addresses.ts';
import { createPool } from '../../src/platform/database.ts';
import { defaultQuotas, type QuotaSettings } from '../../src/platform/settings.ts';
import { createCustomer, type TestCustomer } from '../support/customer.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

/** More than there is room for, so many that they meet. */
const atOnce = 8;

let database: TestDatabase;
let ledger: Ledger;
let customer: TestCustomer;
beforeAll(async () => {
  database = await createTestDatabase();
  ledger = withQuotas({
    addresses: 4,
    pendingSignatures: 3,
    profiles: 3,
    files: 5,
    fileMegabytes: 10,
    userFiles: 2,
  });
  customer = await createCustomer(ledger, 'chiado');
  await openConnections();
});
afterAll(async () => {
  for (const each of opened) await each.destroy();
  await database.drop();
});

const opened: Ledger[] = [];

function withQuotas(quotas: Partial<QuotaSettings>): Ledger {
  const made = createLedger(createPool({ connectionString: database.url }), wakesNobody, { ...defaultQuotas, ...quotas });
  opened.push(made);
  return made;
}

/** Opens as many connections as the tests use, so that none of their statements is late. */
async function openConnections(): Promise<void> {
  await Promise.all(Array.from({ length: atOnce }, () => sql`select pg_sleep(0.1)`.execute(ledger)));
}

const newAddress = () => lowerAddress(`0x${randomBytes(20).toString('hex')}`);

function link(address = newAddress(), { profile, user } = customer, on = ledger) {
  return linkAddress(on, { profile, user, address, chain: 'chiado' });
}

function requestLink(address = newAddress(), { profile, user } = customer, on = ledger, proof?: LinkProof) {
  const draft = { profile, user, address, chain: 'chiado' as const, ...(proof ? { proof } : {}) };
  const signed = { digest: `0x${randomBytes(32).toString('hex')}`, signature: '0x', correlationId: null };
  return requestSignature(on, { kind: 'linkAddress', draft, ...signed });
}

/** The results of as many calls at once as there are connections: what was done, and the errors of the others. */
async function together<T>(call: () => Promise<T>): Promise<{ done: T[]; errors: Set<string>; fields: unknown[] }> {
  const results = await Promise.allSettled(Array.from({ length: atOnce }, call));
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as { code: string; fields: unknown }] : []));
  return {
    done: results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])),
    errors: new Set(failures.map(({ code }) => code)),
    fields: failures.map(({ fields }) => fields),
  };
}

describe('the quota of addresses of a profile', () => {
  it('holds when many are linked at once, the error says how many there are, and another profile still has room', async () => {
    // The customer has one already.
    const { done, errors, fields } = await together(() => link());
    expect(done).toHaveLength(3);
    expect(errors).toEqual(new Set(['quota_exceeded']));
    expect(fields[0]).toEqual({ address: 'the profile has 4 addresses already, which is the most: ask the operator for more' });
    const other = await createCustomer(ledger, 'chiado');
    expect((await link(newAddress(), other)).profile).toBe(other.profile);
  });

  it('does not keep a linked address from being linked again, on another network too, also where the operator lowered it', async () => {
    const lower = withQuotas({ addresses: 1 });
    const { profile, user, address } = customer;
    expect((await linkAddress(lower, { profile, user, address, chain: 'gnosis' })).chains).toEqual(['chiado', 'gnosis']);
    await expect(link(newAddress(), customer, lower)).rejects.toMatchObject({ code: 'quota_exceeded' });
  });

  it('ends a request for a link that became one too many, with the reason', async () => {
    const id = (await requestLink()) as string;
    expect(await decideSignature(ledger, id, { state: 'valid' })).toMatchObject({
      state: 'invalid',
      reason: expect.stringContaining('4 addresses'),
    });
  });

  it('leaves an address with its profile, when the one that takes it over by a message has no room for it', async () => {
    const other = await createCustomer(ledger, 'chiado');
    const { address } = await link(newAddress(), other);
    const proof = {
      kind: 'message',
      signer: 'contract',
      nonce: '12345678',
      acceptedUntil: new Date(Date.now() + 60_000).toISOString(),
    } as const;
    const id = (await requestLink(address, customer, ledger, proof)) as string;
    expect(await decideSignature(ledger, id, { state: 'valid' })).toMatchObject({ state: 'invalid' });
    expect((await findLink(ledger, { profile: other.profile, address, chain: 'chiado' }))?.proof).toBe('sentence');
  });
});

describe('the quota of pending signatures of a profile', () => {
  it('holds when many are requested at once, and has room for another profile, and again once one is decided', async () => {
    const { done, errors } = await together(() => requestLink());
    expect(done).toHaveLength(3);
    expect(errors).toEqual(new Set(['rate_limited']));
    expect(await requestLink(newAddress(), await createCustomer(ledger, 'chiado'))).toBeDefined();
    await decideSignature(ledger, done[0] as string, { state: 'invalid', reason: 'invalid signature' });
    expect(await requestLink()).toBeDefined();
    const refusal = { code: 'rate_limited', message: expect.stringContaining('3 signatures'), retryAfterSeconds: 10 };
    await expect(requestLink()).rejects.toMatchObject(refusal);
  });

  it('does not exist where it is 0', async () => {
    expect((await together(() => requestLink(newAddress(), customer, withQuotas({ pendingSignatures: 0 })))).done).toHaveLength(atOnce);
  });
});

describe('a profile that nobody has approved', () => {
  it('waits for three links at most, and for as many as others once it is approved', async () => {
    const stranger = await createCustomer(ledger, 'chiado');
    const setState = (state: 'created' | 'approved') =>
      ledger.updateTable('profiles').set({ state }).where('id', '=', stranger.profile).execute();
    const request = () => requestLink(newAddress(), stranger, withQuotas({ pendingSignatures: 500 }));
    await setState('created');
    const { done, errors } = await together(request);
    expect(done).toHaveLength(3);
    expect(errors).toEqual(new Set(['rate_limited']));
    await expect(request()).rejects.toThrow('before it is approved');
    await setState('approved');
    expect(await request()).toBeDefined();
  });
});

describe('the quota of profiles of an application', () => {
  it('holds when many are created at once, and the application of another owner still has room', async () => {
    const application = await newApplication('whitelabel');
    const create = () => createProfile(ledger, { kind: 'personal', name: '', state: 'created', application });
    const { done, errors, fields } = await together(create);
    expect(done).toHaveLength(3);
    expect(errors).toEqual(new Set(['quota_exceeded']));
    expect(fields[0]).toEqual({ profiles: 'are 3 already, which is the most of an application: ask the operator for more' });
    const other = await newApplication('whitelabel');
    expect(await createProfile(ledger, { kind: 'personal', name: '', state: 'created', application: other })).toBeDefined();
  });

  it('is read from a counter, which follows what is inserted and deleted by whatever statement', async () => {
    const application = await newApplication('whitelabel');
    const used = () => usage('profiles', application);
    await sql`insert into profiles (id, kind, name, state, application)
      select gen_random_uuid(), 'personal', '', 'created', ${application} from generate_series(1, 1000)`.execute(ledger);
    expect(await used()).toEqual({ count: 1_000n, bytes: 0n });
    await sql`delete from profiles where application = ${application}`.execute(ledger);
    expect(await used()).toEqual({ count: 0n, bytes: 0n });
  });
});

describe('the quotas of files', () => {
  it('hold for an application when many are uploaded at once, and a repetition is none', async () => {
    const caller = await newCaller('whitelabel');
    const { done, errors, fields } = await together(() => upload(caller));
    expect(done).toHaveLength(5);
    expect(errors).toEqual(new Set(['quota_exceeded']));
    expect(fields[0]).toEqual({ file: 'the application has uploaded 5 files already, which is the most: ask the operator for more' });
    const [first] = done;
    if (first) expect((await upload(caller, 1, first.id)).size).toBe(1_000);
    await expect(requireRoomForFile(ledger, caller)).rejects.toMatchObject({ code: 'quota_exceeded' });
  });

  it('count bytes', async () => {
    const caller = await newCaller('whitelabel');
    await upload(caller, 5 * 1024 * 1024);
    await upload(caller, 5 * 1024 * 1024);
    await expect(upload(caller, 1)).rejects.toMatchObject({ fields: { file: expect.stringContaining('10 MB') } });
    expect(await usage('files', caller.application)).toEqual({ count: 2n, bytes: 10n * 1024n * 1024n });
  });

  it('let no user of an application take the room of the others', async () => {
    const first = await newCaller('authorization_code');
    const second = { ...first, user: await newUser() };
    expect((await together(() => upload(first))).done).toHaveLength(2);
    expect((await together(() => upload(second))).done).toHaveLength(2);
  });
});

async function upload(caller: Caller, size = 1_000, id: string = randomUUID()): Promise<StoredFile> {
  await beginFile(ledger, caller, { id, name: 'passport.pdf', type: 'application/pdf', size, hash: 'ab' });
  return completeFile(ledger, id);
}

const newUser = () => createUser(ledger, { email: `${randomUUID()}@example.com`, name: 'Jane' });

async function newApplication(kind: ApplicationKind, owner?: string): Promise<string> {
  const redirectUris = kind === 'authorization_code' ? ['https://shop.example/'] : undefined;
  const { id } = await createApplication(ledger, {
    kind,
    name: 'Shop',
    owner: owner ?? (await newUser()),
    ...(redirectUris && { redirectUris }),
  });
  return id;
}

async function newCaller(kind: ApplicationKind): Promise<Caller> {
  const user = await newUser();
  return { kind, application: await newApplication(kind, user), user } as Caller;
}

async function usage(quota: 'profiles' | 'files', owner: string) {
  const query = ledger.selectFrom('quotaUsage').where('quota', '=', quota).where('owner', '=', owner).select(['count', 'bytes']);
  return query.executeTakeFirst();
}
