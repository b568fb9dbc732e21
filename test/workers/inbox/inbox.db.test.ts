import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadSettings } from '../../../src/platform/settings.ts';
import type { Log } from '../../../src/platform/log.ts';
import { createLog } from '../../../src/platform/log.ts';
import type { Running } from '../../../src/platform/loop.ts';
import { type Alarms, createAlarms } from '../../../src/workers/alarms.ts';
import { createInboxWatcher } from '../../../src/workers/inbox/inbox.ts';
import { masterIban, statementXml } from '../../bank/iso20022/camt/statement-xml.ts';
import { until } from '../../support/until.ts';
import { contents, createTestRail, payment, type TestRail } from '../../statements/bank-rail.ts';

let rail: TestRail;
let inbox: string;
let watchers: Running[];
let alarms: Alarms;

beforeEach(async () => {
  rail = await createTestRail();
  inbox = mkdtempSync(path.join(tmpdir(), 'mintrail-inbox-'));
  watchers = [];
  alarms = createAlarms(createLog('silent'));
});

afterEach(async () => {
  await Promise.all(watchers.map((watcher) => watcher.close()));
  await rail.close();
  rmSync(inbox, { recursive: true, force: true });
});

function watch(more: { log?: Log; unchangedMs?: number; truncatedMs?: number } = {}): void {
  const token = `eur:0x${'1'.repeat(40)}`;
  const settings = { ...loadSettings({ DATABASE_URL: rail.url, CHIADO_TOKENS: token, BANK_ACCOUNT: masterIban }), bankInbox: inbox };
  watchers.push(
    createInboxWatcher({
      settings,
      ledger: rail.ledger,
      log: createLog('silent'),
      alarms,
      refusedMs: 20,
      intervalMs: 20,
      unchangedMs: 100,
      truncatedMs: 600,
      ...more,
    }),
  );
}

const statement = (...references: string[]) =>
  statementXml({
    id: references.join(),
    entries: references.map((reference) => ({ amount: '1.00', reference, transactions: [payment(rail.customer.iban, '1.00')] })),
  });

const put = (name: string, content: string) => writeFileSync(path.join(inbox, name), content);
const ended = (ending: 'done' | 'failed', name: string) =>
  until(`${name} is in ${ending}`, async () => (existsSync(path.join(inbox, ending, name)) ? name : undefined));
const report = (ending: 'done' | 'failed', name: string) =>
  JSON.parse(readFileSync(path.join(inbox, ending, `${name}.report.json`), 'utf8')) as Record<string, unknown>;
const orders = async () => (await contents(rail.ledger)).counts[0];

it('imports each file, wakes the lanes, and moves it to done with its report, or to failed with the reason', async () => {
  put('c.xml', '<!DOCTYPE x><x/>');
  put('b.xml', statement('B1', 'B2'));
  put('a.xml', statement('A1'));
  watch();
  await ended('done', 'b.xml');
  await ended('failed', 'c.xml');
  expect(report('done', 'a.xml')).toMatchObject({ file: 'a.xml', state: 'applied', counts: { issued: 1 } });
  expect(report('done', 'b.xml')).toMatchObject({ file: 'b.xml', state: 'applied', counts: { issued: 2 } });
  expect(report('failed', 'c.xml')).toMatchObject({
    file: 'c.xml',
    state: 'refused',
    error: { code: 'statement_malformed', message: expect.stringContaining('DOCTYPE') as string },
  });
  expect(rail.woken).toEqual(['lane-chiado', 'lane-chiado']);
  const files = await rail.ledger.selectFrom('bankFiles').orderBy('importedAt').select('name').execute();
  expect(files.map(({ name }) => name)).toEqual(['a.xml', 'b.xml']);
  expect(readdirSync(inbox).sort()).toEqual(['done', 'failed']);
});

it('names refused files to the operator until they are applied, from BANK_INBOX or by hand, or deleted', async () => {
  const raised = (count: number) => until(`${count} alarms are raised`, async () => (alarms.list().length === count ? true : undefined));
  put('a.xml', '<!DOCTYPE x><x/>');
  watch();
  await raised(1);
  expect(alarms.list()[0]).toMatchObject({ kind: 'bank_files_refused', subject: 'inbox' });
  expect(alarms.list()[0]?.text).toMatch(
    /^a bank file was refused and not applied, in .*\/failed: a\.xml \(statement_malformed: The file has a DOCTYPE/,
  );
  rmSync(path.join(inbox, 'failed', 'a.xml'));
  await raised(0);
  writeFileSync(path.join(inbox, 'failed', 'b.xml'), statement('B1'));
  await raised(1);
  put('b.xml', statement('B1'));
  await raised(0);
  // At once, as a mount goes; `rm` itself fails when a folder is made meanwhile.
  renameSync(inbox, `${inbox}.gone`);
  await raised(1);
  expect(alarms.list()).toMatchObject([{ kind: 'bank_inbox_unusable' }]);
  renameSync(`${inbox}.gone`, inbox);
  await raised(0);
});

it('names a file that cannot be read to the operator until it is gone', async () => {
  // A regular file that even root cannot read.
  symlinkSync('/proc/self/mem', path.join(inbox, 'a.xml'));
  // None of these is a file, and none is a matter of the operator.
  symlinkSync('loop.xml', path.join(inbox, 'loop.xml'));
  mkdirSync(path.join(inbox, 'folder.xml'));
  put('b.xml', statement('B1'));
  watch();
  await ended('done', 'b.xml');
  await until('an alarm is raised', async () => alarms.list()[0]);
  expect(alarms.list()).toMatchObject([{ kind: 'bank_files_waiting', subject: 'inbox' }]);
  expect(alarms.list()[0]?.text).toMatch(/^a bank file in .* cannot be imported, and what is in it is neither issued nor booked: a\.xml: /);
  rmSync(path.join(inbox, 'a.xml'));
  await until('the alarm has ended', async () => alarms.list().length === 0 || undefined);
});

it('names a file whose name is not UTF-8, and reads the others', async () => {
  writeFileSync(Buffer.concat([Buffer.from(`${inbox}/latin-`), Buffer.from([0xe4]), Buffer.from('.xml')]), statement('A1'));
  put('b.xml', statement('B1'));
  watch();
  await ended('done', 'b.xml');
  await until('an alarm is raised', async () => alarms.list()[0]);
  expect(alarms.list()[0]?.text).toContain('latin-\uFFFD.xml: its name is not UTF-8: rename it');
});

it('goes on naming refused files when a report is damaged or a file cannot be read', async () => {
  put('a.xml', '<!DOCTYPE x><x/>');
  put('b.xml', '<!DOCTYPE y><y/>');
  watch();
  await ended('failed', 'a.xml');
  await ended('failed', 'b.xml');
  writeFileSync(path.join(inbox, 'failed', 'a.xml.report.json'), '');
  rmSync(path.join(inbox, 'failed', 'b.xml'));
  symlinkSync('/proc/self/mem', path.join(inbox, 'failed', 'b.xml'));
  const text = await until('both are named', async () => alarms.list().find(({ text }) => /damaged/.test(text))?.text);
  expect(text).toMatch(/^2 bank files were refused and not applied, .*: a\.xml \(its report is missing or damaged\)/);
});

it('takes files whose names leave no room for the name of a report, and keeps each', async () => {
  const [name, other] = [`${'Ł'.repeat(125)}a.xml`, `${'Ł'.repeat(125)}b.xml`];
  put(name, statement('A1'));
  put(other, '<!DOCTYPE x><x/>');
  watch();
  await until('both are moved', async () => readdirSync(inbox).filter((file) => file.endsWith('.xml')).length === 0 || undefined);
  const shortened = `${'Ł'.repeat(115)}.xml`;
  expect(report('done', shortened)).toMatchObject({ file: name, state: 'applied' });
  expect(report('failed', shortened)).toMatchObject({ file: other, state: 'refused' });
  expect(readFileSync(path.join(inbox, 'done', shortened), 'utf8')).toBe(statement('A1'));
});

it('waits for a file that is written slowly, whatever pauses the bank makes', async () => {
  const xml = statement('A1', 'A2', 'A3');
  put('a.xml', '');
  watch({ truncatedMs: 600_000 });
  const size = Math.ceil(xml.length / 5);
  for (let start = 0; start < xml.length; start += size) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect(readdirSync(path.join(inbox, 'failed'))).toEqual([]);
    appendFileSync(path.join(inbox, 'a.xml'), xml.slice(start, start + size));
  }
  await ended('done', 'a.xml');
  expect(await orders()).toBe(3);
});

it('gives up on a file that stays cut off, or empty', async () => {
  put('a.xml', statement('A1').slice(0, -20));
  put('b.xml', '');
  watch();
  await ended('failed', 'a.xml');
  await ended('failed', 'b.xml');
  expect(report('failed', 'a.xml')).toMatchObject({ error: { code: 'statement_truncated' } });
  expect(await orders()).toBe(0);
});

it('leaves files alone that are not meant yet, until they get their name', async () => {
  for (const name of ['.a.xml', 'a.xml.part', 'a.xml.tmp']) put(name, statement('A1'));
  put('z.xml', statement('Z1'));
  mkdirSync(path.join(inbox, 'folder.xml'));
  watch();
  await ended('done', 'z.xml');
  expect(await orders()).toBe(1);
  renameSync(path.join(inbox, 'a.xml.part'), path.join(inbox, 'a.xml'));
  await ended('done', 'a.xml');
  expect(await orders()).toBe(2);
});

it('moves a file that was imported when its worker ended before it could', async () => {
  await rail.import(statement('A1'), { name: 'a.xml' });
  put('a.xml', statement('A1'));
  watch();
  await ended('done', 'a.xml');
  expect(report('done', 'a.xml')).toMatchObject({ state: 'already_imported', counts: { issued: 1 } });
  expect(await orders()).toBe(1);
});

it('keeps an earlier file when the bank uses its name again', async () => {
  put('a.xml', statement('A1'));
  watch();
  await ended('done', 'a.xml');
  put('a.xml', statement('A2'));
  await until('both are done', async () => (readdirSync(path.join(inbox, 'done')).length === 4 ? true : undefined));
  expect(readdirSync(path.join(inbox, 'done')).sort()).toEqual(
    ['a-', 'a-', 'a.xml', 'a.xml.report.json'].map((name) => (name === 'a-' ? expect.stringMatching(/^a-[0-9a-f]{8}\.xml/) : name)),
  );
  expect(readFileSync(path.join(inbox, 'done', 'a.xml'), 'utf8')).toBe(statement('A1'));
});

it('may be watched by several workers', async () => {
  for (let number = 0; number < 12; number += 1) put(`${number}.xml`, statement(`N${number}`));
  for (let worker = 0; worker < 3; worker += 1) watch();
  const done = () => readdirSync(path.join(inbox, 'done'));
  // A worker that came second removes its own report of a file that another one has moved.
  await until('all are done', async () => (readdirSync(inbox).length === 2 && done().length === 24 ? true : undefined));
  expect(done().filter((name) => name.endsWith('.report.json'))).toHaveLength(12);
  expect(readdirSync(path.join(inbox, 'failed'))).toEqual([]);
  expect(await orders()).toBe(12);
});

it('says once that the folder cannot be used, and goes on when it can', async () => {
  rmSync(inbox, { recursive: true });
  const said: string[] = [];
  const log = {
    ...createLog('silent'),
    error: (_: object, text: string) => said.push(text),
    info: () => {},
    warn: () => {},
  } as unknown as Log;
  watch({ log });
  await until('it is said', async () => said[0]);
  mkdirSync(inbox);
  put('a.xml', statement('A1'));
  await ended('done', 'a.xml');
  expect(said).toEqual([expect.stringContaining('BANK_INBOX is not a folder')]);
});
