import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { findCaller, insertPair, issueTokens, refreshTokens, type TokenPair } from '../../../src/ledger/access/access-tokens.ts';
import { createGrant } from '../../../src/ledger/access/grants.ts';
import { type ApplicationRegistration, registerApplication } from '../../../src/ledger/access/applications/register-application.ts';
import { type Application, authenticateApplication } from '../../../src/ledger/access/applications/authenticate-application.ts';
import { approveApplication } from '../../../src/ledger/access/applications/approve-application.ts';
import { createApplication } from '../../../src/ledger/access/applications/create-application.ts';
import { disableApplication } from '../../../src/ledger/access/applications/disable-application.ts';
import { hashSecret } from '../../../src/ledger/access/applications/secrets.ts';
import { listApplications } from '../../../src/ledger/access/applications/list-applications.ts';
import { oldClientSecrets, rotateSecret } from '../../../src/ledger/access/applications/rotate-secret.ts';
import { inTransaction, type LedgerTransaction } from '../../../src/ledger/ledger.ts';
import { createProfile } from '../../../src/ledger/customers/profiles.ts';
import { createUser, setDefaultProfile } from '../../../src/ledger/access/users.ts';
import { testLedger } from '../../support/test-ledger.ts';
import { untilWaiting } from '../../support/waiting-for-locks.ts';

const { ledger } = testLedger();
let owner: string;
beforeAll(async () => {
  owner = await createUser(ledger, { email: 'owner@example.org', name: 'Owner' });
});
const registration: ApplicationRegistration = {
  kind: 'private',
  name: 'Shop',
  owner: 'owner@example.org',
  redirectUris: [],
  permission: 'read',
  origins: [],
};
const web: ApplicationRegistration = { ...registration, kind: 'authorization_code', redirectUris: ['https://shop.example/back'] };

const openGrants = (id: string) =>
  ledger.selectFrom('grants').where('application', '=', id).where('endedAt', 'is', null).select('id').execute();

describe('an application in production', () => {
  it('of a partner gets in when it is approved', async () => {
    const { id, secret, state } = await registerApplication(ledger, { ...registration, kind: 'whitelabel' }, 'production');
    expect(state).toBe('waits for approval');
    await expect(authenticateApplication(ledger, id, secret)).rejects.toMatchObject({ code: 'application_not_active' });
    expect(await authenticateApplication(ledger, id, 'wrong')).toBeUndefined();
    await approveApplication(ledger, id);
    const again = { code: 'not_possible', message: `The application ${id} is approved already` };
    await expect(approveApplication(ledger, id)).rejects.toMatchObject(again);
    expect(await authenticateApplication(ledger, id, secret)).toMatchObject({ id, kind: 'whitelabel' });
  });

  it("that is private gets in when its owner's profile is approved, and by nobody's word", async () => {
    const user = await createUser(ledger, { email: 'private@example.org', name: 'Private' });
    const { id, secret } = await registerApplication(ledger, { ...registration, owner: 'Private@Example.org' }, 'production');
    const profile = await createProfile(ledger, { kind: 'personal', name: 'Private', state: 'pending', owner: user });
    await setDefaultProfile(ledger, user, profile);
    await expect(authenticateApplication(ledger, id, secret)).rejects.toMatchObject({ code: 'application_not_active' });
    await expect(approveApplication(ledger, id)).rejects.toMatchObject({
      code: 'not_possible',
      message: expect.stringContaining('when the profile of its owner is approved') as string,
    });
    await ledger.updateTable('profiles').set({ state: 'approved' }).where('id', '=', profile).execute();
    expect(await authenticateApplication(ledger, id, secret)).toMatchObject({ id });
    expect((await listApplications(ledger)).find((found) => found.id === id)).toMatchObject({ state: 'active' });
  });

  it('whose users sign in waits for nothing', async () => {
    const { id, secret, state } = await registerApplication(ledger, web, 'production');
    expect([secret, state]).toEqual(['', 'active']);
    const { secretHash } = await ledger.selectFrom('applications').where('id', '=', id).select('secretHash').executeTakeFirstOrThrow();
    expect(secretHash).toBeNull();
    expect(await authenticateApplication(ledger, id, '')).toBeUndefined();
    await expect(
      ledger
        .updateTable('applications')
        .set({ secretHash: hashSecret('x') })
        .where('id', '=', id)
        .execute(),
    ).rejects.toMatchObject({ constraint: 'applications_public_has_no_secret' });
  });
});

describe('registering', () => {
  it.each<[Partial<ApplicationRegistration>, string, string]>([
    [{ name: ' ' }, 'name', 'must be 1 to 100 characters long'],
    [{ owner: 'nobody' }, 'owner', 'must be an email address'],
    [{ redirectUris: [] }, 'redirect-uri', 'is required: users come back to it after they have signed in'],
    [{ redirectUris: ['http://shop.example'] }, 'redirect-uri', 'must begin with https:// in production: http://shop.example'],
    [{ redirectUris: ['https://shop.example/#a'] }, 'redirect-uri', 'must not have a fragment: https://shop.example/#a'],
    [{ redirectUris: ['https://shop.example/#'] }, 'redirect-uri', 'must not have a fragment: https://shop.example/#'],
    [{ redirectUris: ['https://a:b@shop.example'] }, 'redirect-uri', 'must not have a user name or password: https://a:b@shop.example'],
    [{ redirectUris: ['https://*.shop.example/'] }, 'redirect-uri', 'must be exact, without *: https://*.shop.example/'],
    [{ redirectUris: ['/back'] }, 'redirect-uri', 'must be an absolute URL in ASCII without spaces: /back'],
    [{ redirectUris: ['javascript:alert(1)'] }, 'redirect-uri', 'must begin with https://: javascript:alert(1)'],
    [
      { redirectUris: ['http://127.0.0.1.shop.example/'] },
      'redirect-uri',
      'must begin with https:// in production: http://127.0.0.1.shop.example/',
    ],
    [{ redirectUris: ['http://10.0.0.1/'] }, 'redirect-uri', 'must begin with https:// in production: http://10.0.0.1/'],
    [{ redirectUris: ['shop:/back'] }, 'redirect-uri', 'must begin with https://: shop:/back'],
    [{ redirectUris: ['com.example.app:/back#a'] }, 'redirect-uri', 'must not have a fragment: com.example.app:/back#a'],
    [{ termsUrl: 'com.example.app:/terms' }, 'terms', 'must begin with https://: com.example.app:/terms'],
    [{ termsUrl: 'http://127.0.0.1/terms' }, 'terms', 'must begin with https:// in production: http://127.0.0.1/terms'],
    [{ termsUrl: 'ftp://shop.example' }, 'terms', 'must begin with https://: ftp://shop.example'],
    [{ privacyPolicyUrl: 'x' }, 'privacy-policy', 'must be an absolute URL in ASCII without spaces: x'],
    [
      { refreshNeedsSecret: true },
      'refresh-needs-secret',
      'is for applications with a secret: an authorization_code application needs --confidential as well',
    ],
    [
      { isReadOnly: true },
      'read-only',
      'is for private applications only: users let this kind read, unless it is registered with --permission write',
    ],
    [
      { kind: 'whitelabel', redirectUris: [], isReadOnly: true },
      'read-only',
      'is for private applications only: a whitelabel application has the customers that it onboards',
    ],
    [{ kind: 'private' }, 'redirect-uri', 'is for authorization_code applications only: no users sign in to this kind'],
    [
      { kind: 'whitelabel', redirectUris: [], permission: 'write' },
      'permission',
      'is for authorization_code applications only: no users sign in to this kind',
    ],
  ])('refuses %j', async (wrong, field, text) => {
    await expect(registerApplication(ledger, { ...web, ...wrong }, 'production')).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('cannot be registered') as string,
      fields: { [field]: text },
    });
  });

  it('keeps redirect URIs as they are, and writing only where it was asked for', async () => {
    const redirectUris = ['http://localhost:8080/Back?a=1', 'https://shop.example'];
    const { id } = await registerApplication(ledger, { ...web, redirectUris, permission: 'write' }, 'sandbox');
    expect((await listApplications(ledger)).find((found) => found.id === id)).toMatchObject({
      redirectUris,
      permissions: ['read', 'write'],
    });
  });

  it.each<[Partial<ApplicationRegistration>, string[]]>([
    [{}, ['read', 'write']],
    [{ isReadOnly: true }, ['read']],
    [{ kind: 'whitelabel' }, ['read', 'write']],
  ])('lets %j, which acts by its own credentials, do %j, in the sandbox at once', async (changed, permissions) => {
    const { id, secret } = await registerApplication(ledger, { ...registration, ...changed }, 'sandbox');
    const application = await authenticateApplication(ledger, id, secret);
    const tokens = await issueTokens(ledger, application!);
    expect(tokens).toMatchObject({ permissions });
    expect(await findCaller(ledger, hashSecret(tokens.accessToken))).toMatchObject({ permissions });
  });

  it('takes what reaches an app on a machine or a phone, in production too (RFC 8252)', async () => {
    const redirectUris = [
      'http://127.0.0.1/back',
      'http://[::1]:8400/back',
      'http://localhost',
      'com.example.app:/back',
      'com.example.app://back',
    ];
    expect(await registerApplication(ledger, { ...web, redirectUris }, 'production')).toMatchObject({ state: 'active' });
  });

  it('has refreshes need the secret only where it was asked for', async () => {
    const needs = [undefined, true].map(async (refreshNeedsSecret) => {
      const { id } = await registerApplication(ledger, { ...web, isConfidential: true, refreshNeedsSecret }, 'sandbox');
      return (await listApplications(ledger)).find((found) => found.id === id)?.refreshNeedsSecret;
    });
    expect(await Promise.all(needs)).toEqual([false, true]);
  });

  it('makes a user of an owner it does not know, and asks for one where several could be meant', async () => {
    const created = await registerApplication(ledger, { ...registration, owner: 'new@example.org' }, 'sandbox');
    expect(created).toMatchObject({ owner: 'new@example.org', isNewOwner: true });
    expect(await registerApplication(ledger, { ...registration, owner: 'NEW@example.org' }, 'sandbox')).toMatchObject({
      isNewOwner: false,
    });
    await expect(registerApplication(ledger, { ...registration, owner: undefined }, 'sandbox')).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('say whose application it is with --owner') as string,
    });
  });
});

describe('a secret', () => {
  it('stays valid for a day when another takes its place, and so do the tokens it gave', async () => {
    const { id, secret } = await createApplication(ledger, { kind: 'private', name: 'Shop', owner });
    const tokens = await issueTokens(ledger, { id, kind: 'private', owner });
    const second = await rotateSecret(ledger, id);
    for (const valid of [secret, second.secret]) expect(await authenticateApplication(ledger, id, valid)).toMatchObject({ id });
    expect(await findCaller(ledger, hashSecret(tokens.accessToken))).toMatchObject({ application: id });
    expect(second.endedEarlySecretUntil).toBeNull();
    const { previousSecretUntil } = await ledger
      .selectFrom('applications')
      .where('id', '=', id)
      .select('previousSecretUntil')
      .executeTakeFirstOrThrow();
    const third = await rotateSecret(ledger, id);
    expect(third.endedEarlySecretUntil).toBe(previousSecretUntil?.toISOString());
    expect(await authenticateApplication(ledger, id, secret)).toBeUndefined();
    for (const valid of [second.secret, third.secret]) expect(await authenticateApplication(ledger, id, valid)).toMatchObject({ id });
    await sql`update applications set previous_secret_until = previous_secret_until - interval '24 hours' where id = ${id}`.execute(ledger);
    expect(await authenticateApplication(ledger, id, second.secret)).toBeUndefined();
    expect(await authenticateApplication(ledger, id, third.secret)).toMatchObject({ id });
    expect((await rotateSecret(ledger, id)).endedEarlySecretUntil).toBeNull();
  });

  it('is not rotated for a public application, which proves itself by none, and is not called old', async () => {
    const { id } = await createApplication(ledger, { kind: 'authorization_code', name: 'Wallet', owner });
    await expect(rotateSecret(ledger, id)).rejects.toMatchObject({
      code: 'bad_input',
      message: `The application ${id} is public: it proves itself by PKCE and never by a secret, so there is none to rotate. \`mintrail app disable\` ends its tokens`,
    });
    await sql`update applications set secret_set_at = '2001-01-01' where id = ${id}`.execute(ledger);
    expect(await oldClientSecrets(ledger, new Date('2002-01-01'))).toBeUndefined();
  });

  it('that is to end ends at once when another takes its place, and with it the tokens it gave', async () => {
    const { id, secret } = await createApplication(ledger, { kind: 'private', name: 'Shop', owner });
    const tokens = await issueTokens(ledger, { id, kind: 'private', owner });
    await rotateSecret(ledger, id);
    const rotated = await rotateSecret(ledger, id, { atOnce: true });
    expect(await authenticateApplication(ledger, id, secret)).toBeUndefined();
    expect(await authenticateApplication(ledger, id, rotated.secret)).toMatchObject({ id });
    expect(await findCaller(ledger, hashSecret(tokens.accessToken))).toBeUndefined();
    expect(await openGrants(id)).toEqual([]);
  });

  it('that was stolen ends the tokens that users granted too, and no other secret does', async () => {
    const { id } = await createApplication(ledger, {
      kind: 'authorization_code',
      name: 'Shop',
      owner,
      redirectUris: ['https://shop.example/back'],
      isConfidential: true,
    });
    await ledger
      .insertInto('consents')
      .values({ userId: owner, application: id, permissions: ['read'] })
      .execute();
    const proof = { method: 'password', subject: 'owner@example.org' } as const;
    const grant = { application: id, user: owner, proof };
    const { accessToken } = await inTransaction(ledger, async (tx) => insertPair(tx, await createGrant(tx, grant)));
    await rotateSecret(ledger, id);
    expect(await findCaller(ledger, hashSecret(accessToken))).toMatchObject({ application: id });
    await expect(rotateSecret(ledger, id, { stolenSince: new Date(Date.now() + 60_000) })).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('which is to come') as string,
    });
    const stolenSince = new Date(Date.now() - 60_000);
    await rotateSecret(ledger, id, { stolenSince });
    expect(await findCaller(ledger, hashSecret(accessToken))).toBeUndefined();
    expect(await openGrants(id)).toEqual([]);
    const audited = ledger.selectFrom('auditLog').where('action', '=', 'app.rotate-secret').where('subject', '=', id).select('detail');
    const thefts = (await audited.execute()).map(({ detail }) => (detail as { secret_stolen_since?: string }).secret_stolen_since);
    expect(thefts.map((since) => since && Date.parse(since))).toEqual(expect.arrayContaining([undefined, stolenSince.getTime()]));
  });

  it.each<[string, (tx: LedgerTransaction, of: { id: string; secret: string; refreshToken: string }) => Promise<unknown>]>([
    ['by the old secret', async (tx, { id, secret }) => issueTokens(tx, (await authenticateApplication(tx, id, secret)) as Application)],
    ['by a refresh', async (tx, { id, refreshToken }) => refreshTokens(tx, { application: id, isAuthenticated: false, refreshToken })],
  ])('that is to end at once ends with the tokens that somebody is getting at that moment %s', async (_, get) => {
    const { id, secret } = await createApplication(ledger, { kind: 'private', name: 'Shop', owner });
    const { refreshToken } = await issueTokens(ledger, { id, kind: 'private', owner });
    const { pair, rotating } = await inTransaction(ledger, async (tx) => {
      const got = (await get(tx, { id, secret, refreshToken })) as TokenPair;
      const rotation = rotateSecret(ledger, id, { stolenSince: new Date(0) });
      await untilWaiting(ledger);
      return { pair: got, rotating: rotation };
    });
    await rotating;
    expect(await findCaller(ledger, hashSecret(pair.accessToken))).toBeUndefined();
    expect(await refreshTokens(ledger, { application: id, isAuthenticated: false, refreshToken: pair.refreshToken })).toBe('unknown');
  });

  it('of a disabled application is worth nothing, and there is no other', async () => {
    const { id, secret } = await createApplication(ledger, { kind: 'whitelabel', name: 'Shop', owner });
    await issueTokens(ledger, { id, kind: 'whitelabel', owner });
    expect(await disableApplication(ledger, id)).toBe(true);
    expect(await disableApplication(ledger, id)).toBe(false);
    expect(await authenticateApplication(ledger, id, secret)).toBeUndefined();
    expect(await openGrants(id)).toEqual([]);
    for (const work of [rotateSecret, approveApplication])
      await expect(work(ledger, id)).rejects.toMatchObject({
        code: 'not_possible',
        message: expect.stringContaining('is disabled: create another one') as string,
      });
  });

  it('of an application that there is not is not changed', async () => {
    for (const work of [rotateSecret, disableApplication, approveApplication])
      await expect(work(ledger, '00000000-0000-4000-8000-000000000000')).rejects.toMatchObject({
        code: 'not_found',
        message: expect.stringContaining('There is no application') as string,
      });
  });
});
