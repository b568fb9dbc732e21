import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import {
  finishAssertion,
  finishRegistration,
  startAssertion,
  startRegistration,
} from '../../../../src/ledger/access/factors/passkey-ceremonies.ts';
import { listPasskeys, removePasskey } from '../../../../src/ledger/access/factors/passkeys.ts';
import { findSecondFactors } from '../../../../src/ledger/access/factors/second-factors.ts';
import { createUser } from '../../../../src/ledger/access/users.ts';
import { createAuthenticator } from '../../../support/authenticator.ts';
import { testLedger } from '../../../support/test-ledger.ts';

const party = { origin: 'https://money.example', name: 'Money' };

const { ledger } = testLedger();

type Deviation = Parameters<ReturnType<typeof createAuthenticator>['get']>[1];

/** A user with a browser and an authenticator. */
async function someone() {
  const email = `${crypto.randomUUID()}@example.org`;
  const user = { id: await createUser(ledger, { email, name: 'Sam' }), email, name: 'Sam' };
  const browser = randomBytes(32);
  const authenticator = createAuthenticator(party.origin);
  const register = async (deviation: Deviation = {}, by = authenticator) => {
    const options = await startRegistration(ledger, party, { browser, user });
    return finishRegistration(ledger, party, { browser, user: user.id, name: 'Phone', answer: by.create(options, deviation) });
  };
  const signIn = async (deviation: Deviation = {}) => {
    const options = await startAssertion(ledger, party, { browser, purpose: 'sign-in' });
    return finishAssertion(ledger, party, { browser, purpose: 'sign-in', answer: authenticator.get(options, deviation) });
  };
  return { user, email, browser, authenticator, register, signIn };
}

const audited = async (user: string) =>
  (await ledger.selectFrom('auditLog').where('subject', '=', user).orderBy('id').select('action').execute()).map(({ action }) => action);

describe('a passkey', () => {
  it('is discoverable and verifies its user, who then signs in by it alone', async () => {
    const { user, email, browser, register, signIn } = await someone();
    const options = await startRegistration(ledger, party, { browser, user });
    expect(options).toMatchObject({
      rp: { id: 'money.example', name: 'Money' },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    expect(await register()).toBe('added');
    expect(await signIn()).toEqual({ user: user.id, email });
    expect(await listPasskeys(ledger, user.id)).toMatchObject([{ name: 'Phone', lastUsedAt: expect.any(Date) as Date }]);
    expect(await findSecondFactors(ledger, user.id)).toEqual({ passkeys: 1, hasTotp: false });
  });

  it.each<[string, Deviation]>([
    ['of another origin', { origin: 'https://evil.example' }],
    ['of another relying party', { rpId: 'evil.example' }],
    ['of another challenge', { challenge: 'AAAA' }],
    ['without verification of the user', { isVerified: false }],
  ])('%s is neither registered nor signs in', async (_, deviation) => {
    const { register, signIn } = await someone();
    expect(await register(deviation)).toBe('invalid');
    expect(await register()).toBe('added');
    expect(await signIn(deviation)).toBe('invalid');
    expect(await signIn()).toMatchObject({ user: expect.any(String) as string });
  });

  it('whose counter does not grow is refused, and recorded, and only when its signature is right', async () => {
    const { user, register, signIn, authenticator, browser } = await someone();
    await register();
    await signIn({ counter: 7 });
    const options = await startAssertion(ledger, party, { browser, purpose: 'sign-in' });
    const forged = JSON.parse(authenticator.get(options, { counter: 3 })) as { response: { signature: string } };
    forged.response.signature = Buffer.alloc(70).toString('base64url');
    expect(await finishAssertion(ledger, party, { browser, purpose: 'sign-in', answer: JSON.stringify(forged) })).toBe('invalid');
    expect(await audited(user.id)).toEqual(['passkey.add']);
    for (const counter of [7, 6, 0]) expect(await signIn({ counter })).toBe('regressed');
    expect(await audited(user.id)).toEqual(['passkey.add', ...Array.from({ length: 3 }, () => 'passkey.counter-regressed')]);
    expect(await signIn({ counter: 8 })).toMatchObject({ user: user.id });
  });

  it('that does not count may sign any number of times', async () => {
    const { user, register, signIn } = await someone();
    await register({ counter: 0 });
    for (let times = 0; times < 2; times += 1) expect(await signIn({ counter: 0 })).toMatchObject({ user: user.id });
  });

  it('is registered once, for one user', async () => {
    const [mine, theirs] = [await someone(), await someone()];
    expect(await mine.register()).toBe('added');
    expect(await mine.register()).toBe('known');
    expect(await theirs.register({}, mine.authenticator)).toBe('known');
    expect(await listPasskeys(ledger, theirs.user.id)).toEqual([]);
  });

  it('is one of at most ten, also when they come at the same time', async () => {
    const { user, browser } = await someone();
    const register = async () => {
      const authenticator = createAuthenticator(party.origin);
      const own = randomBytes(32);
      const options = await startRegistration(ledger, party, { browser: own, user });
      return finishRegistration(ledger, party, { browser: own, user: user.id, name: 'Key', answer: authenticator.create(options) });
    };
    const results = await Promise.all(Array.from({ length: 12 }, register));
    expect(results.filter((result) => result === 'added')).toHaveLength(10);
    expect(results.filter((result) => result === 'too_many')).toHaveLength(2);
    const [first] = await listPasskeys(ledger, user.id);
    expect((await startRegistration(ledger, party, { browser, user })).excludeCredentials).toHaveLength(10);
    expect(await removePasskey(ledger, crypto.randomUUID(), first?.id ?? '')).toBe(false);
    expect(await removePasskey(ledger, user.id, first?.id ?? '')).toBe(true);
    expect(await register()).toBe('added');
  });

  it('that is removed signs in no more', async () => {
    const { user, register, signIn } = await someone();
    await register();
    const [{ id } = { id: '' }] = await listPasskeys(ledger, user.id);
    await removePasskey(ledger, user.id, id);
    expect(await signIn()).toBe('unknown');
    expect(await audited(user.id)).toEqual(['passkey.add', 'passkey.remove']);
  });

  it('of another user is no second factor', async () => {
    const [mine, theirs] = [await someone(), await someone()];
    await Promise.all([mine.register(), theirs.register()]);
    const { browser, user } = mine;
    const options = await startAssertion(ledger, party, { browser, purpose: 'second-factor', user: user.id });
    expect(options.allowCredentials).toEqual([{ id: mine.authenticator.credentialId, transports: ['internal'], type: 'public-key' }]);
    const answer = theirs.authenticator.get(options);
    expect(await finishAssertion(ledger, party, { browser, purpose: 'second-factor', user: user.id, answer })).toBe('unknown');
  });
});

describe('a challenge', () => {
  it('is good once, in its browser, for its purpose, and for five minutes', async () => {
    const { authenticator, browser, register } = await someone();
    await register();
    const options = await startAssertion(ledger, party, { browser, purpose: 'sign-in' });
    const finish = (by = browser, purpose: 'sign-in' | 'proof' = 'sign-in') =>
      finishAssertion(ledger, party, { browser: by, purpose, answer: authenticator.get(options) });
    expect(await finish(randomBytes(32))).toBe('expired');
    expect(await finish(browser, 'proof')).toBe('expired');
    const { rows } = await sql<{ seconds: number }>`
      select extract(epoch from expires_at - now())::int as seconds from webauthn_challenges where browser = ${browser}
    `.execute(ledger);
    expect(rows[0]?.seconds).toBeGreaterThan(290);
    expect(rows[0]?.seconds).toBeLessThanOrEqual(300);
    expect(await finish()).toMatchObject({ user: expect.any(String) as string });
    expect(await finish()).toBe('expired');
    await startAssertion(ledger, party, { browser, purpose: 'sign-in' });
    await sql`update webauthn_challenges set expires_at = now()`.execute(ledger);
    expect(await finish()).toBe('expired');
  });

  it('is used up by an answer that is no answer', async () => {
    const { browser } = await someone();
    for (const answer of ['', 'null', '{}', '{"id":"x"}', '[1]']) {
      await startAssertion(ledger, party, { browser, purpose: 'sign-in' });
      const finish = () => finishAssertion(ledger, party, { browser, purpose: 'sign-in', answer });
      expect(['invalid', 'unknown']).toContain(await finish());
      expect(await finish()).toBe('expired');
    }
  });
});
