import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { Secret, TOTP } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { countRecoveryCodes, makeRecoveryCodes, useRecoveryCode } from '../../../../src/ledger/access/factors/recovery-codes.ts';
import { findSecondFactors, resetFactors } from '../../../../src/ledger/access/factors/second-factors.ts';
import { findWaitingTotp, startTotp, useTotpCode } from '../../../../src/ledger/access/factors/totp.ts';
import { removeSeeds } from '../../../../src/ledger/access/factors/totp-seeds.ts';
import { isRecentlyProved, recordProof } from '../../../../src/ledger/access/factors/recent-proofs.ts';
import { createSession, endSessionsOf, findSession, listSessions } from '../../../../src/ledger/access/sessions.ts';
import { findOperatorSession } from '../../../../src/ledger/operators/sessions.ts';
import type { Subject } from '../../../../src/ledger/access/subject.ts';
import { inTransaction } from '../../../../src/ledger/ledger.ts';
import { createSealer } from '../../../../src/platform/sealing.ts';
import { testLedger } from '../../../support/test-ledger.ts';
import { auditedFactors, newSubject, subjectKinds } from './new-subject.ts';
import { untilWaiting } from '../../../support/waiting-for-locks.ts';

const sealer = createSealer(randomBytes(32));
const now = Date.parse('2026-11-20T12:00:10Z');
const stepMs = 30_000;

const { ledger } = testLedger();

/** The codes of a seed by their time, in milliseconds. */
function codesOf({ seed }: { seed: string }): (timestamp: number) => string {
  const totp = new TOTP({ secret: Secret.fromBase32(seed) });
  return (timestamp) => totp.generate({ timestamp });
}

async function somebody(kind: Subject['kind']) {
  const { subject, account } = await newSubject(ledger, kind);
  const owner = { subject, account, service: 'Money' };
  const started = await startTotp(ledger, sealer, owner);
  const use = (code: string, at = now) => useTotpCode(ledger, sealer, { subject, code, now: at });
  const activate = (code: string, at = now) => useTotpCode(ledger, sealer, { subject, code, activates: true, now: at });
  return { subject, owner, started, codeAt: codesOf(started), use, activate };
}

const rowsOf = ({ kind, id }: Subject) => sql`${sql.ref(kind === 'user' ? 'user_id' : 'operator')}::text = ${id}`;

describe.each(subjectKinds)('an authenticator app of a %s', (kind) => {
  const someone = () => somebody(kind);

  it('counts once a code has activated it', async () => {
    const { subject, owner, started, codeAt, use, activate } = await someone();
    expect(started.uri).toMatch(/^otpauth:\/\/totp\/Money:[^?]+\?issuer=Money&secret=[A-Z2-7]{32}&algorithm=SHA1&digits=6&period=30$/);
    expect(await findWaitingTotp(ledger, sealer, owner)).toEqual(started);
    expect(await use(codeAt(now))).toBe(false);
    expect(await activate('000000')).toBe(false);
    expect(await findSecondFactors(ledger, subject)).toEqual({ passkeys: 0, hasTotp: false });
    expect(await activate(codeAt(now))).toBe(true);
    expect(await findSecondFactors(ledger, subject)).toEqual({ passkeys: 0, hasTotp: true });
    expect(await findWaitingTotp(ledger, sealer, owner)).toBeUndefined();
  });

  it('takes the place of the one before with its first code, and not earlier', async () => {
    const { subject, owner, codeAt, use, activate } = await someone();
    await activate(codeAt(now));
    const [abandoned, next] = [codesOf(await startTotp(ledger, sealer, owner)), codesOf(await startTotp(ledger, sealer, owner))];
    expect(await use(next(now + stepMs), now + stepMs)).toBe(false);
    expect(await activate(abandoned(now + stepMs), now + stepMs)).toBe(false);
    expect(await use(codeAt(now + stepMs), now + stepMs)).toBe(true);
    expect(await activate(next(now + stepMs), now + stepMs)).toBe(true);
    expect(await use(next(now + stepMs), now + stepMs)).toBe(false);
    expect(await use(codeAt(now + 2 * stepMs), now + 2 * stepMs)).toBe(false);
    expect(await use(next(now + 2 * stepMs), now + 2 * stepMs)).toBe(true);
    expect(await auditedFactors(ledger, subject)).toEqual(['totp.add', 'totp.remove', 'totp.add']);
  });

  it('has codes that are good once, each later than the one before, and at most a step early or late', async () => {
    const { codeAt, use, activate } = await someone();
    await activate(codeAt(now));
    for (const none of ['', '12345', '1234567', 'abcdef', '٠٠٠٠٠٠', '-00001']) expect(await use(none)).toBe(false);
    expect(await use(codeAt(now))).toBe(false);
    expect(await use(codeAt(now + 2 * stepMs))).toBe(false);
    expect(await use(` ${codeAt(now + stepMs).replace(/^.../, '$& ')} `)).toBe(true);
    expect(await use(codeAt(now), now + stepMs)).toBe(false);
    const later = now + 10 * stepMs;
    expect(await use(codeAt(later - 2 * stepMs), later)).toBe(false);
    expect(await use(codeAt(later - stepMs), later)).toBe(true);
    const results = await Promise.all(Array.from({ length: 6 }, () => use(codeAt(later), later)));
    expect(results.filter(Boolean)).toHaveLength(1);
  });

  it('has its seed sealed for its row', async () => {
    const [mine, theirs] = [await someone(), await someone()];
    const { rows } = await sql<{ seed: string }>`select seed from totp_seeds where ${rowsOf(mine.subject)}`.execute(ledger);
    const { seed = '' } = rows[0] ?? {};
    expect(seed).toMatch(/^sealed:v1:/);
    expect(seed).not.toContain(mine.started.seed);
    await sql`update totp_seeds set seed = ${seed} where ${rowsOf(theirs.subject)}`.execute(ledger);
    await expect(theirs.activate(mine.codeAt(now))).rejects.toMatchObject({ code: 'damaged_secret' });
  });

  it('has a right code taken while a rotation of the key seals its seed anew', async () => {
    const { subject, started, codeAt, use, activate } = await someone();
    await activate(codeAt(now));
    const { using } = await inTransaction(ledger, async (tx) => {
      const { rows } = await sql<{ id: string }>`select id from totp_seeds where ${rowsOf(subject)}`.execute(tx);
      const { id = '' } = rows[0] ?? {};
      const seed = sealer.seal(started.seed, { table: 'totp_seeds', column: 'seed', row: id });
      await tx.updateTable('totpSeeds').set({ seed }).where('id', '=', id).execute();
      const used = use(codeAt(now + stepMs), now + stepMs);
      await untilWaiting(ledger);
      return { using: used };
    });
    expect(await using).toBe(true);
  });

  it('is removed, and what happened to it is in the audit log', async () => {
    const { subject, codeAt, use, activate } = await someone();
    await activate(codeAt(now));
    expect(await removeSeeds(ledger, subject)).toBe(true);
    expect(await removeSeeds(ledger, subject)).toBe(false);
    expect(await use(codeAt(now + stepMs), now + stepMs)).toBe(false);
    expect(await auditedFactors(ledger, subject)).toEqual(['totp.add', 'totp.remove']);
  });
});

describe.each(subjectKinds)('recovery codes of a %s', (kind) => {
  const someone = () => somebody(kind);

  it('are ten of 120 bits, kept as hashes, each good once, however it is typed', async () => {
    const { subject } = await someone();
    const codes = await makeRecoveryCodes(ledger, subject);
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^([a-z2-7]{6}-){3}[a-z2-7]{6}$/);
    const [first = '', second = ''] = codes;
    expect(await useRecoveryCode(ledger, subject, ` ${first.toUpperCase().replaceAll('-', ' ')}`)).toBe(true);
    expect(await useRecoveryCode(ledger, subject, first)).toBe(false);
    const uses = await Promise.all(Array.from({ length: 5 }, () => useRecoveryCode(ledger, subject, second)));
    expect(uses.filter(Boolean)).toHaveLength(1);
    expect(await countRecoveryCodes(ledger, subject)).toBe(8);
    const other = await someone();
    expect(await useRecoveryCode(ledger, other.subject, codes[2] ?? '')).toBe(false);
  });

  it('end when new ones are made', async () => {
    const { subject } = await someone();
    const [old = ''] = await makeRecoveryCodes(ledger, subject);
    await makeRecoveryCodes(ledger, subject);
    expect(await useRecoveryCode(ledger, subject, old)).toBe(false);
    expect(await auditedFactors(ledger, subject)).toEqual(['recovery-codes.make', 'recovery-codes.make']);
  });
});

describe('an operator', () => {
  it('removes every factor of a user and signs them out', async () => {
    const { subject, codeAt, activate } = await somebody('user');
    await activate(codeAt(now));
    await makeRecoveryCodes(ledger, subject);
    const session = await createSession(ledger, subject, { browser: 'Firefox', network: '192.0.2.1' });
    expect(await resetFactors(ledger, subject.id)).toEqual({ passkeys: 0, hasTotp: true });
    expect(await findSecondFactors(ledger, subject)).toEqual({ passkeys: 0, hasTotp: false });
    expect(await countRecoveryCodes(ledger, subject)).toBe(0);
    expect(await findSession(ledger, session)).toBeUndefined();
  });
});

describe.each(subjectKinds)('a session of a %s', (kind) => {
  const source = { browser: 'Firefox', network: '192.0.2.1' };

  it('is that of its owner alone, until it ends', async () => {
    const { subject } = await newSubject(ledger, kind);
    const [secret, kept] = [await createSession(ledger, subject, source), await createSession(ledger, subject, source)];
    const user = await findSession(ledger, kept);
    const operator = await findOperatorSession(ledger, kept);
    expect([user?.id, operator?.name]).toEqual(kind === 'user' ? [subject.id, undefined] : [undefined, subject.id]);
    const session = user?.session ?? operator?.session ?? '';
    expect(await endSessionsOf(ledger, subject, { kept: session })).toBe(1);
    expect(await findSession(ledger, secret)).toBeUndefined();
    expect(await findOperatorSession(ledger, secret)).toBeUndefined();
    expect((await listSessions(ledger, subject)).map(({ id }) => id)).toEqual([session]);
  });

  it('lets its owner change what they sign in with for minutes after a proof, of which a sign-in is one for a user alone', async () => {
    const { subject } = await newSubject(ledger, kind);
    await createSession(ledger, subject, source);
    const [{ id } = { id: '' }] = await listSessions(ledger, subject);
    expect(await isRecentlyProved(ledger, id, kind)).toBe(kind === 'user');
    expect(await recordProof(ledger, id)).toBe(true);
    expect(await isRecentlyProved(ledger, id, kind)).toBe(true);
    const minutes = kind === 'user' ? 10 : 5;
    await sql`update sessions set proved_at = now() - make_interval(mins => ${minutes}, secs => 1) where id = ${id}`.execute(ledger);
    expect(await isRecentlyProved(ledger, id, kind)).toBe(false);
    await endSessionsOf(ledger, subject);
    expect(await recordProof(ledger, id)).toBe(false);
    expect(await isRecentlyProved(ledger, id, kind)).toBe(false);
  });
});
