import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createMailCatcher, findCaughtMail, listCaughtMails } from '../../src/platform/caught-mail.ts';
import { createSmtpTransport } from '../../src/platform/mail.ts';
import { loadSettings } from '../../src/platform/settings.ts';
import { startMailServer, type TestMailServer } from '../support/mail-server.ts';

let server: TestMailServer;
let connections: number;
/** What the server answers to a recipient, for each test to say. */
let answer: { code: number; text: string } | undefined;

beforeAll(async () => {
  // It warns of its own certificate, which is just what one of the tests needs.
  const warning = vi.spyOn(console, 'error').mockImplementation(() => {});
  server = await startMailServer({
    disabledCommands: [],
    onConnect: (_session, callback) => {
      connections++;
      callback();
    },
    onAuth: ({ username, password }, _session, callback) =>
      username === 'mintrail' && password === 'p@ss' ? callback(null, { user: username }) : callback(new Error('wrong credentials')),
    onRcptTo: (_address, _session, callback) => {
      callback(answer && Object.assign(new Error(answer.text), { responseCode: answer.code }));
    },
  });
  warning.mockRestore();
});
afterAll(() => server.close());
beforeEach(() => {
  server.received.length = 0;
  connections = 0;
  answer = undefined;
});

const mail = () => ({ id: randomUUID(), recipient: 'jane@example.com', subject: 'Ihr Schlüssel', text: 'Fünf Wörter.\n\nEnde.\n' });
const transport = (url: string) => createSmtpTransport({ smtpUrl: url, mailFrom: 'no-reply@money.example', serviceName: 'Money, "Inc."' });

describe('a mail', () => {
  it('has a stable Message-ID, a sender, and is marked as automatic', async () => {
    const sent = mail();
    await transport(`smtp://127.0.0.1:${server.port}`).send(sent);
    expect(server.received).toHaveLength(1);
    expect(server.received[0]).toContain(`Message-ID: <${sent.id}@money.example>`);
    expect(server.received[0]).toMatch(/^From: "Money, \\"Inc\.\\"" <no-reply@money\.example>/m);
    expect(server.received[0]).toMatch(/^To: jane@example\.com/m);
    expect(server.received[0]).toMatch(/^Auto-Submitted: auto-generated/m);
  });

  it.each([
    ['signs in with the password of the URL', 'mintrail:p%40ss', undefined],
    ['is tried again when the password is wrong', 'mintrail:wrong', 'mail_not_sent'],
  ])('%s', async (_, credentials, code) => {
    const sending = transport(`smtp://${credentials}@127.0.0.1:${server.port}`).send(mail());
    await (code === undefined ? sending : expect(sending).rejects.toMatchObject({ code, retryable: true }));
    expect(server.received).toHaveLength(code === undefined ? 1 : 0);
  });

  it.each([
    [550, 'mail_refused', false],
    [452, 'mail_not_sent', true],
  ])('that the server answers with %s is an error without the address', async (responseCode, code, retryable) => {
    answer = { code: responseCode, text: 'no such user jane@example.com' };
    const sending = transport(`smtp://127.0.0.1:${server.port}`).send(mail());
    const error = await sending.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ code, retryable });
    expect(`${(error as Error).message} ${String((error as Error).cause)}`).not.toContain('jane');
  });

  it('waits when there is no server', async () => {
    const closed = transport('smtp://127.0.0.1:1').send(mail());
    await expect(closed).rejects.toMatchObject({ code: 'mail_not_sent', retryable: true });
  });

  it.each([
    ['whose certificate does not prove its name', []],
    ['without TLS', ['STARTTLS' as const]],
  ])('does not leave the machine to a server %s', async (_, disabledCommands) => {
    server.options.disabledCommands = disabledCommands;
    // Not written as an address of this machine, which it is.
    const sending = transport(`smtp://[::ffff:127.0.0.1]:${server.port}`).send(mail());
    await expect(sending).rejects.toMatchObject({ code: 'mail_not_sent' });
    expect({ connections, received: server.received }).toEqual({ connections: 1, received: [] });
    server.options.disabledCommands = [];
  });
});

describe('the settings', () => {
  const base = { DATABASE_URL: 'postgres://localhost/x' };
  it.each([
    ['a path', 'smtp://mail.example/path'],
    ['options', 'smtp://mail.example?tls.rejectUnauthorized=false'],
    ['another protocol', 'http://mail.example'],
    ['no address to send from', 'smtp://mail.example'],
  ])('refuse %s, and do not repeat the URL', (_, url) => {
    const from = url === 'smtp://mail.example' ? {} : { MAIL_FROM: 'no-reply@money.example' };
    expect(() => loadSettings({ ...base, ...from, SMTP_URL: url })).toThrow(
      expect.objectContaining({ code: 'invalid_settings', message: expect.not.stringContaining(url) }),
    );
  });
});

describe('the folder of a sandbox', () => {
  it('keeps each mail once, for this user alone, and lists the newest first', async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'mintrail-mail-'));
    const catcher = createMailCatcher({ dataDir });
    expect(await listCaughtMails({ dataDir })).toEqual([]);
    const [first, second] = [mail(), mail()];
    vi.useFakeTimers({ toFake: ['Date'] });
    for (const sent of [first, first, second]) {
      vi.advanceTimersByTime(1);
      await catcher.send(sent);
    }
    vi.useRealTimers();
    expect((await listCaughtMails({ dataDir })).map(({ id }) => id)).toEqual([second.id, first.id]);
    expect(await findCaughtMail({ dataDir }, first.id)).toMatchObject(first);
    expect(await findCaughtMail({ dataDir }, '../instance')).toBeUndefined();
    expect(await findCaughtMail({ dataDir }, randomUUID())).toBeUndefined();
    const [name = ''] = await readdir(path.join(dataDir, 'mail'));
    expect((await stat(path.join(dataDir, 'mail', name))).mode & 0o077).toBe(0);
    await rm(dataDir, { recursive: true });
  });
});
