import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { Secret, TOTP } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { countRecoveryCodes, makeRecoveryCodes, useRecoveryCode } from '../../../../src/ledger/access/factors/recovery-codes.ts';
import { findSecondFactors, resetFactors } from '../../../../src/ledger/access/factors/second-factors.ts';
import { findWaitingTotp, startTotp, useTotpCode } from '../../../../src/ledger/access/factors/totp.ts';
import { removeSeed, seedField } from '../../../../src/ledger/access/factors/totp-seeds.ts';
import { createSession, findSession } from '../../../../src/ledger/access/sessions.ts';
import { createUser } from '../../../../src/ledger/access/users.ts';
import { inTransaction } from '../../../../src/ledger/ledger.ts';
import { createSealer } from '../../../../src/platform/sealing.ts';
import { until } from '../../../support/until.ts';
import { testLedger } from '../../../support/test-ledger.ts';

const sealer = createSealer(randomBytes(32));
const now = Date.parse('2026-11-20T12:00:10Z');
const stepMs = 30_000;

const { ledger } = testLedger();

async function someone() {
  const email = `${crypto.randomUUID()}@example.org`;
  const user = await createUser(ledger, { email, name: 'Sam' });
  const started = await startTotp(ledger, sealer, { user, email, service: 'Money' });
  if (!started) throw new Error('the user has a seed');
  const totp = new TOTP({ secret: Secret.fromBase32(started.seed) });
  const codeAt = (timestamp: number) => totp.generate({ timestamp });
  const use = (code: string, at = now) => useTotpCode(ledger, sealer, { user, code, now: at });
  const activate = (code: string, at = now) => useTotpCode(ledger, sealer, { user, code, activates: true, now: at });
  return { user, email, started, codeAt, use, activate };
}

const audited = async (user: string) =>
  (await ledger.selectFrom('auditLog').where('subject', '=', user).orderBy('id').select('action').execute()).map(({ action }) => action);

describe('an authenticator app', () => {
  it('counts once a code has activated it', async () => {
    const { user, email, started, codeAt, use, activate } = await someone();
    expect(started.uri).toMatch(/^otpauth:\/\/totp\/Money:[^?]+\?issuer=Money&secret=[A-Z2-7]{32}&algorithm=SHA1&digits=6&period=30$/);
    expect(await findWaitingTotp(ledger, sealer, { user, email, service: 'Money' })).toEqual(started);
    expect(await use(codeAt(now))).toBe(false);
    expect(await activate('000000')).toBe(false);
    expect(await findSecondFactors(ledger, user)).toEqual({ passkeys: 0, hasTotp: false });
    expect(await activate(codeAt(now))).toBe(true);
    expect(await findSecondFactors(ledger, user)).toEqual({ passkeys: 0, hasTotp: true });
    expect(await findWaitingTotp(ledger, sealer, { user, email, service: 'Money' })).toBeUndefined();
    expect(await startTotp(ledger, sealer, { user, email, service: 'Money' })).toBeUndefined();
  });

  it('has codes that are good once, each later than the one before, and at most a step early or late', async () => {
    const { codeAt, use, activate } = await someone();
    await activate(codeAt(now));
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

  it.each(['', '12345', '1234567', 'abcdef', '٠٠٠٠٠٠', '-00001'])('takes no %j for a code', async (code) => {
    const { codeAt, use, activate } = await someone();
    await activate(codeAt(now));
    expect(await use(code)).toBe(false);
  });

  it('has its seed sealed for its user', async () => {
    const [mine, theirs] = [await someone(), await someone()];
    const { seed } = await ledger.selectFrom('totpSeeds').where('userId', '=', mine.user).select('seed').executeTakeFirstOrThrow();
    expect(seed).toMatch(/^sealed:v1:/);
    expect(seed).not.toContain(mine.started.seed);
    await ledger.updateTable('totpSeeds').set({ seed }).where('userId', '=', theirs.user).execute();
    await expect(theirs.activate(mine.codeAt(now))).rejects.toMatchObject({ code: 'damaged_secret' });
  });

  it('has a right code taken while a rotation of the key seals its seed anew', async () => {
    const { user, started, codeAt, use, activate } = await someone();
    await activate(codeAt(now));
    const { using } = await inTransaction(ledger, async (tx) => {
      const seed = sealer.seal(started.seed, seedField(user));
      await tx.updateTable('totpSeeds').set({ seed }).where('userId', '=', user).execute();
      const used = use(codeAt(now + stepMs), now + stepMs);
      await until('the code waits for the rotation', async () => {
        const { rows } = await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
          ledger,
        );
        return rows.length > 0 || undefined;
      });
      return { using: used };
    });
    expect(await using).toBe(true);
  });

  it('is removed, and what happened to it is in the audit log', async () => {
    const { user, codeAt, use, activate } = await someone();
    await activate(codeAt(now));
    expect(await removeSeed(ledger, user)).toBe(true);
    expect(await removeSeed(ledger, user)).toBe(false);
    expect(await use(codeAt(now + stepMs), now + stepMs)).toBe(false);
    expect(await audited(user)).toEqual(['totp.add', 'totp.remove']);
  });
});

describe('recovery codes', () => {
  it('are ten of 120 bits, kept as hashes, each good once, however it is typed', async () => {
    const { user } = await someone();
    const codes = await makeRecoveryCodes(ledger, user);
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^([a-z2-7]{6}-){3}[a-z2-7]{6}$/);
    const [first = '', second = ''] = codes;
    expect(await useRecoveryCode(ledger, user, ` ${first.toUpperCase().replaceAll('-', ' ')}`)).toBe(true);
    expect(await useRecoveryCode(ledger, user, first)).toBe(false);
    const uses = await Promise.all(Array.from({ length: 5 }, () => useRecoveryCode(ledger, user, second)));
    expect(uses.filter(Boolean)).toHaveLength(1);
    expect(await countRecoveryCodes(ledger, user)).toBe(8);
    const other = await someone();
    expect(await useRecoveryCode(ledger, other.user, codes[2] ?? '')).toBe(false);
  });

  it('end when new ones are made', async () => {
    const { user } = await someone();
    const [old = ''] = await makeRecoveryCodes(ledger, user);
    await makeRecoveryCodes(ledger, user);
    expect(await useRecoveryCode(ledger, user, old)).toBe(false);
    expect(await audited(user)).toEqual(['recovery-codes.make', 'recovery-codes.make']);
  });
});

describe('an operator', () => {
  it('removes every factor of a user and signs them out', async () => {
    const { user, codeAt, activate } = await someone();
    await activate(codeAt(now));
    await makeRecoveryCodes(ledger, user);
    const session = await createSession(ledger, user, { browser: 'Firefox', network: '192.0.2.1' });
    expect(await resetFactors(ledger, user)).toEqual({ passkeys: 0, hasTotp: true });
    expect(await findSecondFactors(ledger, user)).toEqual({ passkeys: 0, hasTotp: false });
    expect(await countRecoveryCodes(ledger, user)).toBe(0);
    expect(await findSession(ledger, session)).toBeUndefined();
  });
});
