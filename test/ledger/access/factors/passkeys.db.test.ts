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
import type { Subject } from '../../../../src/ledger/access/subject.ts';
import { disableOperator } from '../../../../src/ledger/operators/operator-access.ts';
import { createAuthenticator } from '../../../support/authenticator.ts';
import { testLedger } from '../../../support/test-ledger.ts';
import { auditedFactors, newSubject, subjectKinds } from './new-subject.ts';

const party = { origin: 'https://money.example', name: 'Money' };

const { ledger } = testLedger();

type Deviation = Parameters<ReturnType<typeof createAuthenticator>['get']>[1];

/** Somebody with a browser and an authenticator. */
async function somebody(kind: Subject['kind']) {
  const registrant = await newSubject(ledger, kind);
  const { subject } = registrant;
  const holder = randomBytes(32);
  const authenticator = createAuthenticator(party.origin);
  const register = async (deviation: Deviation = {}, by = authenticator) => {
    const options = await startRegistration(ledger, party, { holder, registrant });
    return finishRegistration(ledger, party, { holder, subject, name: 'Phone', answer: by.create(options, deviation) });
  };
  const signIn = async (deviation: Deviation = {}) => {
    const options = await startAssertion(ledger, party, { holder, purpose: 'sign-in' });
    return finishAssertion(ledger, party, { holder, purpose: 'sign-in', kind, answer: authenticator.get(options, deviation) });
  };
  return { registrant, subject, holder, authenticator, register, signIn };
}

describe.each(subjectKinds)('a passkey of a %s', (kind) => {
  const someone = () => somebody(kind);

  it('is discoverable and verifies its user, who then signs in by it alone', async () => {
    const { registrant, subject, holder, register, signIn } = await someone();
    const options = await startRegistration(ledger, party, { holder, registrant });
    expect(options).toMatchObject({
      rp: { id: 'money.example', name: 'Money' },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    expect(await register()).toBe('added');
    expect(await signIn()).toEqual(subject);
    expect(await listPasskeys(ledger, subject)).toMatchObject([{ name: 'Phone', lastUsedAt: expect.any(Date) as Date }]);
    expect(await findSecondFactors(ledger, subject)).toEqual({ passkeys: 1, hasTotp: false });
  });

  it.each<[string, Deviation]>([
    ['of another origin', { origin: 'https://evil.example' }],
    ['of another relying party', { rpId: 'evil.example' }],
    ['of another challenge', { challenge: 'AAAA' }],
    ['without verification of the user', { isVerified: false }],
  ])('%s is neither registered nor signs in', async (_, deviation) => {
    const { subject, register, signIn } = await someone();
    expect(await register(deviation)).toBe('invalid');
    expect(await register()).toBe('added');
    expect(await signIn(deviation)).toBe('invalid');
    expect(await signIn()).toEqual(subject);
  });

  it('whose counter does not grow is refused, and recorded, and only when its signature is right', async () => {
    const { subject, register, signIn, authenticator, holder } = await someone();
    await register();
    await signIn({ counter: 7 });
    const options = await startAssertion(ledger, party, { holder, purpose: 'sign-in' });
    const forged = JSON.parse(authenticator.get(options, { counter: 3 })) as { response: { signature: string } };
    forged.response.signature = Buffer.alloc(70).toString('base64url');
    expect(await finishAssertion(ledger, party, { holder, purpose: 'sign-in', kind, answer: JSON.stringify(forged) })).toBe('invalid');
    expect(await auditedFactors(ledger, subject)).toEqual(['passkey.add']);
    for (const counter of [7, 6, 0]) expect(await signIn({ counter })).toBe('regressed');
    expect(await auditedFactors(ledger, subject)).toEqual(['passkey.add', ...Array.from({ length: 3 }, () => 'passkey.counter-regressed')]);
    expect(await signIn({ counter: 8 })).toEqual(subject);
  });

  it('that does not count may sign any number of times', async () => {
    const { subject, register, signIn } = await someone();
    await register({ counter: 0 });
    for (let times = 0; times < 2; times += 1) expect(await signIn({ counter: 0 })).toEqual(subject);
  });

  it('is registered once, for one person', async () => {
    const [mine, theirs] = [await someone(), await someone()];
    expect(await mine.register()).toBe('added');
    expect(await mine.register()).toBe('known');
    expect(await theirs.register({}, mine.authenticator)).toBe('known');
    expect(await listPasskeys(ledger, theirs.subject)).toEqual([]);
  });

  it('is one of at most ten, also when they come at the same time', async () => {
    const { registrant, subject, holder } = await someone();
    const register = async () => {
      const authenticator = createAuthenticator(party.origin);
      const own = randomBytes(32);
      const options = await startRegistration(ledger, party, { holder: own, registrant });
      return finishRegistration(ledger, party, { holder: own, subject, name: 'Key', answer: authenticator.create(options) });
    };
    const results = await Promise.all(Array.from({ length: 12 }, register));
    expect(results.filter((result) => result === 'added')).toHaveLength(10);
    expect(results.filter((result) => result === 'too_many')).toHaveLength(2);
    const [first] = await listPasskeys(ledger, subject);
    expect((await startRegistration(ledger, party, { holder, registrant })).excludeCredentials).toHaveLength(10);
    expect(await removePasskey(ledger, (await someone()).subject, first?.id ?? '')).toBe(false);
    expect(await removePasskey(ledger, subject, first?.id ?? '')).toBe(true);
    expect(await register()).toBe('added');
  });

  it('that is removed signs in no more', async () => {
    const { subject, register, signIn } = await someone();
    await register();
    const [{ id } = { id: '' }] = await listPasskeys(ledger, subject);
    await removePasskey(ledger, subject, id);
    expect(await signIn()).toBe('unknown');
    expect(await auditedFactors(ledger, subject)).toEqual(['passkey.add', 'passkey.remove']);
  });

  it('of somebody else is no proof of who they are', async () => {
    const [mine, theirs] = [await someone(), await someone()];
    await Promise.all([mine.register(), theirs.register()]);
    const { holder, subject } = mine;
    const options = await startAssertion(ledger, party, { holder, purpose: 'proof', subject });
    expect(options.allowCredentials).toEqual([{ id: mine.authenticator.credentialId, transports: ['internal'], type: 'public-key' }]);
    const answer = theirs.authenticator.get(options);
    expect(await finishAssertion(ledger, party, { holder, purpose: 'proof', subject, kind, answer })).toBe('unknown');
  });
});

describe.each(subjectKinds)('a challenge of a %s', (kind) => {
  const someone = () => somebody(kind);

  it('is good once, for its holder and purpose, and for five minutes', async () => {
    const { subject, authenticator, holder, register } = await someone();
    await register();
    const options = await startAssertion(ledger, party, { holder, purpose: 'sign-in' });
    const finish = (by = holder, purpose: 'sign-in' | 'proof' = 'sign-in') =>
      finishAssertion(ledger, party, { holder: by, purpose, kind, answer: authenticator.get(options) });
    expect(await finish(randomBytes(32))).toBe('expired');
    expect(await finish(holder, 'proof')).toBe('expired');
    const { rows } = await sql<{ seconds: number }>`
      select extract(epoch from expires_at - now())::int as seconds from webauthn_challenges where holder = ${holder}
    `.execute(ledger);
    expect(rows[0]?.seconds).toBeGreaterThan(290);
    expect(rows[0]?.seconds).toBeLessThanOrEqual(300);
    expect(await finish()).toEqual(subject);
    expect(await finish()).toBe('expired');
    await startAssertion(ledger, party, { holder, purpose: 'sign-in' });
    await sql`update webauthn_challenges set expires_at = now()`.execute(ledger);
    expect(await finish()).toBe('expired');
  });

  it('is used up by an answer that is no answer', async () => {
    const { holder } = await someone();
    for (const answer of ['', 'null', '{}', '{"id":"x"}', '[1]']) {
      await startAssertion(ledger, party, { holder, purpose: 'sign-in' });
      const finish = () => finishAssertion(ledger, party, { holder, purpose: 'sign-in', kind, answer });
      expect(['invalid', 'unknown']).toContain(await finish());
      expect(await finish()).toBe('expired');
    }
  });
});

describe('a passkey', () => {
  it('of a user does not sign in an operator, and that of an operator no user', async () => {
    for (const kind of subjectKinds) {
      const { holder, authenticator, register } = await somebody(kind);
      await register();
      const options = await startAssertion(ledger, party, { holder, purpose: 'sign-in' });
      const other = kind === 'user' ? 'operator' : 'user';
      const answer = authenticator.get(options);
      expect(await finishAssertion(ledger, party, { holder, purpose: 'sign-in', kind: other, answer })).toBe('unknown');
    }
  });

  it('that is registered for one person is not finished by another, although they share the secret of the page', async () => {
    const [mine, theirs] = [await somebody('operator'), await somebody('operator')];
    const { holder, registrant, authenticator } = mine;
    const options = await startRegistration(ledger, party, { holder, registrant });
    const sent = { holder, subject: theirs.subject, name: 'Key', answer: authenticator.create(options) };
    expect(await finishRegistration(ledger, party, sent)).toBe('expired');
  });

  it('of an operator who is disabled signs nobody in', async () => {
    const { subject, register, signIn } = await somebody('operator');
    await register();
    await disableOperator(ledger, subject.id);
    expect(await signIn()).toBe('unknown');
  });

  it.each(subjectKinds)('of a %s that is refused is counted for the audit log', async (kind) => {
    const { subject, register, signIn } = await somebody(kind);
    await register();
    await signIn({ origin: 'https://evil.example' });
    const entries = ledger.selectFrom('auditLog').where('subject', '=', subject.id).where('action', 'like', '%sign-in-failed');
    expect(await entries.select(['action', 'detail']).execute()).toEqual([
      { action: `${kind}.sign-in-failed`, detail: { factor: 'passkey', failures: 1 } },
    ]);
  });
});
