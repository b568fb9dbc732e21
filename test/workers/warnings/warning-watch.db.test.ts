import { sql } from 'kysely';
import { utimesSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createServer } from 'node:tls';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { registerApplication } from '../../../src/ledger/access/applications/register-application.ts';
import { disableApplication } from '../../../src/ledger/access/applications/disable-application.ts';
import { createLog } from '../../../src/platform/log.ts';
import { loadSettings, loadSomeSettings, type Settings } from '../../../src/platform/settings.ts';
import { createAlarms } from '../../../src/workers/alarms.ts';
import { startWarningWatch } from '../../../src/workers/warnings/warning-watch.ts';
import { createPaymentsLedger } from '../../ledger/bank/payments-ledger.ts';
import { until } from '../../support/until.ts';
import { selfSigned } from '../../webhooks/certificate.ts';
import { testFolder } from '../../support/test-folder.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const world = forWholeFile(createPaymentsLedger);
const folder = testFolder();

/** Shows the warnings of settings, until they are as they should be. */
async function watch(env: Record<string, string>, more: Partial<Settings> = {}) {
  const settings = { ...loadSettings({ DATABASE_URL: world.url, MINTRAIL_DATA_DIR: folder, WARN_AT: 'diskPercent:0', ...env }), ...more };
  const alarms = createAlarms(createLog('silent'));
  const registry = new Registry();
  const loop = startWarningWatch({ settings, ledger: world.ledger, registry, log: createLog('silent'), alarms });
  const kinds = (expected: string[]) =>
    until(`the warnings are ${expected.join(', ')}`, async () => {
      loop.wake();
      return (
        alarms
          .list()
          .map(({ kind }) => kind)
          .toSorted()
          .join() === expected.join() || undefined
      );
    });
  return { kinds, alarms, registry, settings, close: () => loop.close() };
}

function file(name: string, content: string, daysOld = 0): string {
  const target = path.join(folder, name);
  writeFileSync(target, content);
  const time = Date.now() / 1000 - daysOld * 86_400;
  utimesSync(target, time, time);
  return target;
}

it('warns of the certificate that the public address shows, and of one in a file, until it is renewed', async () => {
  const server = createServer(selfSigned({ to: 20 }), (socket) => socket.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const shown = await watch({ BASE_URL: `https://localhost:${(server.address() as AddressInfo).port}` });
  await shown.kinds(['certificate_expiring']);
  expect(shown.alarms.list()[0]?.text).toMatch(/^the TLS certificate of localhost:\d+ ends on \d{4}-\d\d-\d\d: renew it/);
  expect(await shown.registry.metrics()).toContain('mintrail_certificate_end_timestamp_seconds ');
  await shown.close();
  server.close();
  const TLS_CERTIFICATE = file('tls.pem', selfSigned({ to: 20 }).cert);
  const kept = await watch({ TLS_CERTIFICATE });
  await kept.kinds(['certificate_expiring']);
  file('tls.pem', selfSigned({ to: 22 }).cert);
  await kept.kinds([]);
  await kept.close();
});

it('warns of little free space, once for each disk, and looks again within seconds', async () => {
  const warnAt = { ...loadSomeSettings(['warnAt'], {}).warnAt, diskPercent: 101 };
  const { alarms, settings, close } = await watch({ BANK_INBOX: path.join(folder, 'none') }, { warnAt, bankOutbox: folder });
  const count = (expected: number) => () => Promise.resolve(alarms.list().length === expected || undefined);
  await until('a warning is raised', count(1));
  expect(alarms.list()).toMatchObject([
    { kind: 'disk_low', subject: folder, text: expect.stringMatching(/ % of the disk of MINTRAIL_DATA_DIR .* are free/) as string },
  ]);
  settings.warnAt.diskPercent = 0;
  await until('the warning has ended, although nothing wakes the watch', count(0));
  await close();
});

it('warns of rates and of secrets that are old, by the files and by the ledger', async () => {
  const shop = { kind: 'private', name: 'Shop', owner: 'a@example.org', permission: 'read' } as const;
  const { id } = await registerApplication(world.ledger, { ...shop, redirectUris: [], origins: [] }, 'sandbox');
  await sql`update applications set secret_set_at = now() - interval '366 days' where id = ${id}`.execute(world.ledger);
  const rates = (secondsOld: number) => file('rates.json', JSON.stringify({ time: new Date(Date.now() - secondsOld * 1000), usd: {} }));
  const { kinds, alarms, close } = await watch({
    SECRETS_KEY: `file:${file('secrets.key', 'key', 366)}`,
    SWAP_RATES_FILE: rates(2_800),
    CHIADO_TOKENS: `eur:0x${'1'.repeat(40)}`,
    CHIADO_SIGNERS: `keystore:${file('signer.json', '{}', 366)}`,
    CHIADO_KEYSTORE_PASSWORD: `file:${file('password', 'new', 10)}`,
  });
  await kinds(['rates_old', 'secret_old', 'secret_old', 'secret_old']);
  expect(new Set(alarms.list().map(({ subject }) => subject))).toEqual(
    new Set([
      path.join(folder, 'rates.json'),
      `SECRETS_KEY ${path.join(folder, 'secrets.key')}`,
      `CHIADO_SIGNERS ${path.join(folder, 'signer.json')}`,
      'client secrets',
    ]),
  );
  file('secrets.key', 'key');
  rates(100);
  await kinds(['secret_old', 'secret_old']);
  await close();
});

it('warns of a missing mail server while an application of the hosted pages is active, except in a sandbox', async () => {
  const shop = { kind: 'authorization_code', name: 'Wallet', owner: 'b@example.org', permission: 'read' } as const;
  const { id } = await registerApplication(
    world.ledger,
    { ...shop, redirectUris: ['https://wallet.example/back'], origins: [] },
    'production',
  );
  const [withoutMail, withMail, sandbox] = await Promise.all([
    watch({}),
    watch({ SMTP_URL: 'smtp://localhost', MAIL_FROM: 'mint@example.org' }),
    watch({ MINTRAIL_ENVIRONMENT: 'sandbox' }),
  ]);
  const raised = ({ alarms }: typeof sandbox) => alarms.list().filter(({ kind }) => kind === 'mail_not_configured');
  await until('it is raised', async () => raised(withoutMail).length === 1 || undefined);
  expect(raised(withoutMail)[0]?.text).toMatch(/^SMTP_URL is not set, .* nobody can sign up/);
  expect([raised(withMail), raised(sandbox)]).toEqual([[], []]);
  await disableApplication(world.ledger, id);
  await until('it has ended', async () => raised(withoutMail).length === 0 || undefined);
  await Promise.all([withoutMail.close(), withMail.close(), sandbox.close()]);
});
