import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { countSecrets, resealSecrets, sealingKeysInUse } from '../../src/ledger/sealed-secrets.ts';
import { findWaitingTotp, startTotp } from '../../src/ledger/access/factors/totp.ts';
import { userSubject } from '../../src/ledger/access/subject.ts';
import { claimDeliveries } from '../../src/ledger/webhooks/claims.ts';
import { dispatchEvents } from '../../src/ledger/webhooks/dispatch.ts';
import { changeSubscription, signingSecrets } from '../../src/ledger/webhooks/subscriptions.ts';
import { createLog } from '../../src/platform/log.ts';
import { createSealer, type Sealer } from '../../src/platform/sealing.ts';
import { createAlarms } from '../../src/workers/alarms.ts';
import { startSecretsCheck } from '../../src/workers/secrets-check.ts';
import { mintrail } from '../support/processes/mintrail.ts';
import { testSealer, testSecretsKey } from '../support/test-sealer.ts';
import { until } from '../support/until.ts';
import { createWebhookLedger, newSecret } from '../support/webhooks/webhook-ledger.ts';
import { forWholeFile } from '../support/for-whole-file.ts';

const oldKey = Buffer.from(testSecretsKey, 'base64');
const newKey = randomBytes(32);
const rotating = createSealer(newKey, [oldKey]);
const onlyNew = createSealer(newKey);
const slots = { limit: 10, failingLimit: 10, slots: [], otherSlots: 10, leaseSeconds: 60 };

const world = forWholeFile(createWebhookLedger);
beforeEach(() => world.clear());

const subscribe = (secret = newSecret()) => world.subscribe('https://shop.example/', { secret });

async function storePlain(subscription: string, secret: string): Promise<void> {
  await sql`update webhook_subscriptions set secret = ${secret} where id = ${subscription}`.execute(world.ledger);
}

async function claimed(sealer: Sealer): Promise<string[]> {
  await dispatchEvents(world.ledger, 10);
  const { claimed: claims } = await claimDeliveries(world.ledger, sealer, slots);
  return claims.map(({ subscription }) => subscription);
}

describe('the secret of a subscription', () => {
  it('is in the database only sealed, the one before it too', async () => {
    const [first, second] = [newSecret(), newSecret()];
    const subscription = await subscribe(first);
    await changeSubscription(world.ledger, testSealer, world.partner, subscription, { secret: second });
    const { rows } = await sql<{ row: string }>`select to_jsonb(s)::text as row from webhook_subscriptions s`.execute(world.ledger);
    for (const secret of [first, second]) expect(rows[0]?.row).not.toContain(secret.slice('whsec_'.length));
    expect(await signingSecrets(world.ledger, testSealer, subscription)).toEqual([second, first]);
  });

  it('signs nothing in another row: a delivery fails with the reason, and the others are sent', async () => {
    const [from, to] = [await subscribe(), await subscribe()];
    await sql`update webhook_subscriptions set secret = (select secret from webhook_subscriptions where id = ${from}) where id = ${to}`.execute(
      world.ledger,
    );
    await world.profileEvent();
    await dispatchEvents(world.ledger, 10);
    const { claimed: claims } = await claimDeliveries(world.ledger, testSealer, slots);
    expect(claims.find(({ subscription }) => subscription === to)?.secrets).toMatchObject({ code: 'damaged_secret' });
    expect(claims.find(({ subscription }) => subscription === from)?.secrets).toHaveLength(1);
  });

  it('waits, with its deliveries, for a process that has its key, and keeps no other delivery waiting', async () => {
    await subscribe();
    await resealSecrets(world.ledger, rotating);
    const known = await subscribe();
    await world.profileEvent();
    expect(await claimed(testSealer)).toEqual([known]);
    expect(await claimed(onlyNew)).toHaveLength(1);
  });

  it('can be replaced when its key is lost', async () => {
    const secret = newSecret();
    const subscription = await subscribe();
    await changeSubscription(world.ledger, onlyNew, world.partner, subscription, { secret });
    expect(await signingSecrets(world.ledger, onlyNew, subscription)).toEqual([secret]);
  });
});

describe('a rotation', () => {
  it('seals everything with the current key, also what somebody has stored unsealed, and is no change in the audit log', async () => {
    const secrets = Array.from({ length: 5 }, newSecret);
    const subscriptions: string[] = [];
    for (const secret of secrets) subscriptions.push(await subscribe(secret));
    await changeSubscription(world.ledger, testSealer, world.partner, subscriptions[0] as string, { secret: newSecret() });
    await storePlain(subscriptions[1] as string, secrets[1] as string);
    await startTotp(world.ledger, testSealer, { subject: userSubject(world.manager), account: 'jane@example.com', service: 'Mintrail' });
    const before = await sql`select 1 from audit_log`.execute(world.ledger);
    expect(await resealSecrets(world.ledger, rotating, 2)).toMatchObject([
      { sealed: 5, failed: [] },
      { sealed: 1, failed: [] },
      { sealed: 1, failed: [] },
      { table: 'mails', sealed: 0, failed: [] },
    ]);
    expect(await countSecrets(world.ledger)).toMatchObject([
      { column: 'secret', keyId: onlyNew.keyId, count: 5 },
      { column: 'previous_secret', keyId: onlyNew.keyId, count: 1 },
      { table: 'totp_seeds', column: 'seed', keyId: onlyNew.keyId, count: 1 },
    ]);
    expect(
      await findWaitingTotp(world.ledger, onlyNew, {
        subject: userSubject(world.manager),
        account: 'jane@example.com',
        service: 'Mintrail',
      }),
    ).toBeDefined();
    for (const [n, subscription] of subscriptions.entries())
      expect(await signingSecrets(world.ledger, onlyNew, subscription)).toContain(secrets[n]);
    expect((await sql`select 1 from audit_log`.execute(world.ledger)).rows).toHaveLength(before.rows.length);
    expect(await resealSecrets(world.ledger, rotating)).toMatchObject([{ sealed: 0 }, { sealed: 0 }, { sealed: 0 }, { sealed: 0 }]);
    await sql`delete from totp_seeds`.execute(world.ledger);
  });

  it('that is killed on its way is finished by the next one', async () => {
    for (let n = 0; n < 5; n += 1) await subscribe();
    let left = 3;
    const killed: Sealer = {
      ...rotating,
      seal(...given) {
        if (left-- === 0) throw new Error('killed');
        return rotating.seal(...given);
      },
    };
    await expect(resealSecrets(world.ledger, killed, 2)).rejects.toThrow('killed');
    expect(await countSecrets(world.ledger)).toMatchObject([{ count: expect.any(Number) }, { count: expect.any(Number) }]);
    expect(await sealingKeysInUse(world.ledger)).toEqual(new Set([testSealer.keyId, rotating.keyId]));
    expect(await resealSecrets(world.ledger, rotating, 2)).toMatchObject([{ sealed: 3 }, {}, {}, {}]);
    expect(await sealingKeysInUse(world.ledger)).toEqual(new Set([rotating.keyId]));
  });

  it('names what does not open, and seals the rest', async () => {
    const damaged = await subscribe();
    await subscribe();
    await sql`update webhook_subscriptions set secret = overlay(secret placing 'AAAA' from 40) where id = ${damaged}`.execute(world.ledger);
    const [result] = await resealSecrets(world.ledger, rotating, 1);
    expect(result).toMatchObject({ sealed: 1, failed: [{ row: damaged, code: 'damaged_secret' }] });
  });
});

it('the common worker has an alarm for a key that it lacks, and for secrets that are not sealed, until they are', async () => {
  await storePlain(await subscribe(), newSecret());
  await subscribe();
  const log = createLog('silent');
  const alarms = createAlarms(log);
  const check = startSecretsCheck({ ledger: world.ledger, sealer: onlyNew, log, alarms, intervalMs: 20 });
  const subjects = () => alarms.list().map(({ kind, subject }) => `${kind} ${subject}`);
  await until('both are raised', async () => (subjects().length === 2 ? true : undefined));
  expect(subjects().toSorted()).toEqual([`secrets_unreadable ${testSealer.keyId}`, 'secrets_unreadable not sealed'].toSorted());
  await resealSecrets(world.ledger, rotating);
  await until('both have ended', async () => (subjects().length === 0 ? true : undefined));
  await check.close();
});

const run = (args: string[], more: Record<string, string> = {}) => mintrail(args, { DATABASE_URL: world.database.url, ...more });

describe('the command line', () => {
  const [SECRETS_KEY, SECRETS_KEYS_OLD] = [newKey.toString('base64'), testSecretsKey];

  it('counts secrets by key, and rotates them', async () => {
    const subscription = await subscribe();
    const before = await run(['secrets', 'status'], { SECRETS_KEY, SECRETS_KEYS_OLD });
    expect(before).toMatchObject({ code: 1, stdout: expect.stringMatching(new RegExp(`secret +${testSealer.keyId} +old +1`)) });
    expect(before.stdout).toContain(`old in webhook_subscriptions.secret: ${subscription}`);
    const rotated = await run(['secrets', 'rotate', '--yes'], { SECRETS_KEY, SECRETS_KEYS_OLD });
    expect(rotated).toMatchObject({ code: 0, stdout: expect.stringContaining('webhook_subscriptions.secret: 1 sealed') });
    const after = JSON.parse((await run(['secrets', 'status', '--json'], { SECRETS_KEY })).stdout) as unknown;
    expect(after).toEqual({
      keyId: onlyNew.keyId,
      secrets: [{ table: 'webhook_subscriptions', column: 'secret', keyId: onlyNew.keyId, key: 'current', count: 1, rows: [] }],
    });
  });
});
