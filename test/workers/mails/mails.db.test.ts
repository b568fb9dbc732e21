import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  claimMails,
  deleteUnsentMails,
  mailAttempts,
  postponeMail,
  queueMail,
  tryQueueMail,
} from '../../../src/ledger/accounts/mail-outbox.ts';
import { createLedger, type Ledger } from '../../../src/ledger/ledger.ts';
import { createMailCatcher, listCaughtMails } from '../../../src/platform/caught-mail.ts';
import { createPool } from '../../../src/platform/database.ts';
import { createLog, type Log } from '../../../src/platform/log.ts';
import { createSmtpTransport, type MailTransport } from '../../../src/platform/mail.ts';
import { loadSettings, type Settings } from '../../../src/platform/settings.ts';
import { createAlarms } from '../../../src/workers/alarms.ts';
import { sendDueMails } from '../../../src/workers/mails/mails.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { startMailServer, type TestMailServer } from '../../support/mail-server.ts';
import { testSealer as sealer } from '../../support/test-sealer.ts';

let database: TestDatabase;
let ledger: Ledger;
let settings: Settings;
let server: TestMailServer;
let transport: MailTransport;
const woken: string[] = [];
/** The mails that the server took, and what it says to the next recipients. */
let received: string[];
let refusal: { responseCode: number } | undefined;
const logged: unknown[] = [];
const sent: unknown[] = [];
const log = Object.assign(createLog('silent'), {
  warn: (...line: unknown[]) => void logged.push(line),
  info: (line: unknown) => void sent.push(line),
}) as Log;
const alarms = createAlarms(createLog('silent'));

beforeAll(async () => {
  database = await createTestDatabase();
  settings = loadSettings({ DATABASE_URL: database.url, BASE_URL: 'https://money.example', SERVICE_NAME: 'Money' });
  ledger = createLedger(createPool({ connectionString: database.url }), { wake: (queue) => void woken.push(queue) });
  server = await startMailServer({
    onRcptTo: (_address, _session, callback) => callback(refusal && Object.assign(new Error('jane@example.com is unknown'), refusal)),
  });
  ({ received } = server);
  transport = createSmtpTransport({ smtpUrl: `smtp://127.0.0.1:${server.port}`, mailFrom: 'no-reply@money.example', serviceName: 'Money' });
});
afterAll(async () => {
  await server.close();
  await ledger.destroy();
  await database.drop();
});
afterEach(async () => {
  await ledger.deleteFrom('mails').execute();
  received.length = 0;
  logged.length = 0;
  refusal = undefined;
});

const codeMail = {
  recipient: 'jane@example.com',
  content: { kind: 'sign-up-code' as const, code: '12345678' },
  worthMinutes: 30,
  correlationId: 'a-request',
};
const queue = () => queueMail(ledger, sealer, codeMail);
const queueFrom = (recipient: string, network: string | undefined) => queueMail(ledger, sealer, { ...codeMail, recipient, network });
const flood = async () => {
  for (let count = 0; count < 200; count++) await queueFrom('invented@example.com', 'a');
};
const claimTen = async () => (await claimMails(ledger, { limit: 10, leaseSeconds: 3_600 })).map(({ recipient }) => recipient);
const work = (by: MailTransport = transport) => sendDueMails({ settings, ledger, sealer, log, alarms, transport: by });
const waiting = () => ledger.selectFrom('mails').selectAll().execute();
const makeDue = () => sql`update mails set due_at = now()`.execute(ledger);

describe('the delivery of mails', () => {
  it('sends each once, however many workers there are, and deletes it', async () => {
    for (let count = 0; count < 25; count++) await queue();
    expect(woken).toContain('mails');
    await Promise.all([work(), work()]);
    expect(received).toHaveLength(25);
    expect(sent).toEqual(Array.from({ length: 25 }, () => expect.objectContaining({ correlationId: 'a-request', attempt: 1 }) as object));
    expect(new Set(received.map((text) => /^Message-ID: (.*)$/m.exec(text)?.[1])).size).toBe(25);
    expect(received[0]).toContain('Subject: Your code for Money');
    expect(received[0]).toContain('Your code is 12345678.');
    expect(await waiting()).toEqual([]);
  });

  it('waits for a server that is out of order, with an alarm, and loses nothing', async () => {
    await queue();
    refusal = { responseCode: 451 };
    await work();
    expect(alarms.list()).toMatchObject([{ kind: 'mail_not_sent', subject: 'smtp' }]);
    await work();
    expect(await waiting()).toMatchObject([{ attempts: 1 }]);
    refusal = undefined;
    await makeDue();
    await work();
    expect(received).toHaveLength(1);
    expect(alarms.list()).toEqual([]);
  });

  it('repeats a mail whose worker died, under the same Message-ID, when its lease has ended', async () => {
    await queue();
    const dying: MailTransport = {
      async send(mail) {
        await transport.send(mail);
        // The worker is gone before it deletes the mail.
        return new Promise(() => {});
      },
    };
    void work(dying);
    await expect.poll(() => received.length).toBe(1);
    await work();
    expect(received).toHaveLength(1);
    await makeDue();
    await work();
    expect(received).toHaveLength(2);
    const [first, second] = received.map((text) => /^Message-ID: (.*)$/m.exec(text)?.[1]);
    expect(first).toBe(second);
    expect(await waiting()).toEqual([]);
  });

  it('leaves the lease of another worker alone when it fails after its own has ended', async () => {
    await queue();
    const [late] = await claimMails(ledger, { limit: 1, leaseSeconds: 60 });
    await makeDue();
    await claimMails(ledger, { limit: 1, leaseSeconds: 60 });
    const [before] = await waiting();
    if (late) await postponeMail(ledger, late);
    expect(await waiting()).toEqual([before]);
  });

  it('gives up a mail that the server refuses for good, and one that was tried eight times', async () => {
    await queue();
    refusal = { responseCode: 550 };
    await work();
    expect(await waiting()).toEqual([]);
    refusal = { responseCode: 451 };
    await queue();
    for (let attempt = 0; attempt < mailAttempts; attempt++) {
      expect(await waiting()).toMatchObject([{ attempts: attempt }]);
      await makeDue();
      await work();
    }
    expect(await waiting()).toEqual([]);
    expect(received).toEqual([]);
  });

  it('sends nothing that is too old, and deletes it', async () => {
    await queue();
    await sql`update mails set expires_at = now()`.execute(ledger);
    await work();
    expect(received).toEqual([]);
    expect(await deleteUnsentMails(ledger, 10)).toHaveLength(1);
    expect(await waiting()).toEqual([]);
  });

  it('logs neither addresses nor texts, nor what a server says of them', async () => {
    await queue();
    refusal = { responseCode: 550 };
    await work();
    expect(logged).toHaveLength(1);
    expect(JSON.stringify(logged)).not.toMatch(/jane|12345678/);
  });

  it('does not stop at a mail that does not open', async () => {
    await queue();
    await sql`update mails set content = 'sealed:v1:0123456789abcdef:AAAA'`.execute(ledger);
    await queue();
    await work();
    expect(received).toHaveLength(1);
    expect(await waiting()).toMatchObject([{ attempts: 1 }]);
  });
});

it('the outbox is bounded: a code is refused with a retryable error when it is full, and a notice is left out', async () => {
  await sql`insert into mails (id, recipient, content, expires_at)
    select gen_random_uuid(), 'x@example.com', '', now() + interval '1 hour' from generate_series(1, 10001)`.execute(ledger);
  await expect(queue()).rejects.toMatchObject({ code: 'mail_outbox_full', retryable: true });
  expect(await tryQueueMail(ledger, sealer, codeMail)).toBe(false);
  expect(await claimMails(ledger, { limit: 10, leaseSeconds: 60 })).toHaveLength(10);
});

describe('mails that unknown browsers ask for', () => {
  it('are sent in turns between networks, after those of nobody', async () => {
    await flood();
    expect(await claimTen()).toEqual(Array.from({ length: 10 }, () => 'invented@example.com'));
    for (const recipient of ['b1', 'b2', 'b3']) await queueFrom(recipient, 'b');
    await queueFrom('c1', 'c');
    await queueFrom('notice', undefined);
    const claimed = await claimTen();
    expect(claimed).toEqual(expect.arrayContaining(['notice', 'b1', 'c1', 'b2', 'b3']));
    expect(claimed).toHaveLength(10);
    // The mails of a newcomer that has many are sent by turns with those that wait.
    for (let count = 0; count < 30; count++) await queueFrom('d', 'd');
    expect((await claimTen()).filter((recipient) => recipient === 'd')).toHaveLength(5);
  });

  it('of one network are refused beyond 200 that wait, and of no other', async () => {
    await flood();
    await expect(queueFrom('jane@example.com', 'a')).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 60 });
    expect(await waiting()).toHaveLength(200);
    await queueFrom('jane@example.com', 'b');
    await queueFrom('jane@example.com', undefined);
    expect(await waiting()).toHaveLength(202);
  });

  it('of many networks fill the outbox for themselves: a mail of an earlier turn takes the last place, and is sent before', async () => {
    await sql`insert into mails (id, recipient, content, expires_at, network, turn)
      select gen_random_uuid(), 'invented@example.com', '', now() + interval '1 hour', 'site ' || site, turn
      from generate_series(1, 51) as site, generate_series(1, 200) as turn where site < 51 or turn = 1`.execute(ledger);
    const last = async () => ledger.selectFrom('mails').where('turn', '=', 200).select('network').execute();
    const all = await last();
    await queueFrom('newcomer', 'elsewhere');
    expect(await tryQueueMail(ledger, sealer, { ...codeMail, recipient: 'notice' })).toBe(true);
    const left = new Set((await last()).map(({ network }) => network));
    expect([all.length, left.size]).toEqual([50, 48]);
    // A network that has lost its last place takes none of another.
    const loser = all.find(({ network }) => !left.has(network))?.network ?? undefined;
    await expect(queueFrom('invented@example.com', loser)).rejects.toMatchObject({ code: 'mail_outbox_full' });
    expect(await waiting()).toHaveLength(10_001);
    // The newcomer's waits for the notice and for one mail of each of the others.
    const firsts = (await claimMails(ledger, { limit: 53, leaseSeconds: 3_600 })).map(({ recipient }) => recipient);
    expect(firsts).toEqual(expect.arrayContaining(['newcomer', 'notice']));
  });
});

it('a code is mailed twice to an address; what is given up or replaced does not count', async () => {
  await sql`insert into mailed_codes (recipient, purpose, salt, mails, until) values ('jane@example.com', 'sign-up', '', 0, now() + interval '15 minutes')`.execute(
    ledger,
  );
  const queueCode = async (network?: string) =>
    queueMail(ledger, sealer, { ...codeMail, recipient: 'Jane@example.com', codePurpose: 'sign-up', network });
  await queueCode('a');
  await queueCode();
  expect(await waiting()).toMatchObject([{ network: null, turn: 0 }]);
  refusal = { responseCode: 550 };
  await work();
  refusal = undefined;
  // Of two that were tried and wait to be tried again, both may still come.
  await queueCode();
  await claimTen();
  await queueCode();
  await claimTen();
  await queueCode();
  expect(await waiting()).toHaveLength(2);
  await makeDue();
  await work();
  await queueCode();
  expect([received.length, (await waiting()).length]).toEqual([2, 0]);
});

it('a sandbox without a mail server keeps the mails in its data folder', async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'mintrail-mail-'));
  await queue();
  await work(createMailCatcher({ dataDir }));
  expect(await listCaughtMails({ dataDir })).toMatchObject([
    { recipient: 'jane@example.com', subject: 'Your code for Money', text: expect.stringContaining('12345678') },
  ]);
  await rm(dataDir, { recursive: true });
});
