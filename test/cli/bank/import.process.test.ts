import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { rootPosition } from '../../../src/platform/tracing/spans.ts';
import { masterIban, statementXml } from '../../bank/iso20022/camt/statement-xml.ts';
import { recallXml } from '../../bank/iso20022/recalls/recall-xml.ts';
import { createTestRail, payment, type TestRail } from '../../statements/bank-rail.ts';
import { mintrail as run, mintrailProcess } from '../../support/processes/mintrail.ts';
import { startOtlpReceiver } from '../../support/tracing/otlp-receiver.ts';

const other = 'NL56AGDH9619008421';

let rail: TestRail;
let folder: string;

beforeEach(async () => {
  rail = await createTestRail();
  folder = mkdtempSync(path.join(tmpdir(), 'mintrail-cli-'));
});
afterEach(async () => {
  await rail.close();
  rmSync(folder, { recursive: true, force: true });
});

/** With a database and the tokens there are, and no RPC endpoint or key. */
const variables = (env: Record<string, string> = {}) => ({
  DATABASE_URL: rail.url,
  CHIADO_TOKENS: `eur:0x${'1'.repeat(40)}`,
  BANK_ACCOUNT: masterIban,
  FOUR_EYES: 'no',
  ...env,
});

const mintrail = (args: string[], env?: Record<string, string>) => run(['bank', ...args], variables(env));

function file(name: string, xml: string): string {
  writeFileSync(path.join(folder, name), xml);
  return path.join(folder, name);
}

const statement = (reference: string, iban: string) =>
  statementXml({ id: reference, entries: [{ amount: '10.50', reference, transactions: [payment(iban, '10.50')] }] });

it('reads standard input, and begins the trace of each order that a credit becomes, where a collector is set', async () => {
  const collector = await startOtlpReceiver();
  const env = variables({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const { code, stdout, stderr } = await mintrailProcess(['bank', 'import', '-'], env, statement('A', rail.customer.iban));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('standard input: camt.053 applied. 1 entry: 1 order');
  collector.close();
  const { id } = await rail.ledger.selectFrom('orders').select('id').executeTakeFirstOrThrow();
  expect(collector.spans).toMatchObject([{ ...rootPosition(id), parentSpanId: '', name: 'receive credit', process: 'command' }]);
});

it('imports files, and tells of each what came of it', async () => {
  const files = [file('a.xml', statement('A', rail.customer.iban)), file('b.xml', statement('B', other))];
  const { code, stdout, stderr } = await mintrail(['import', ...files]);
  expect(stderr).toBe('');
  expect(stdout).toContain('a.xml: camt.053 applied. 1 entry: 1 order (10.50 EUR).');
  expect(stdout).toContain('b.xml: camt.053 applied. 1 entry: 1 unmatched (10.50 EUR).');
  expect(stdout).toMatch(/entry 1 \(line \d+\) 10\.50 EUR, unmatched: the IBAN is not assigned \[NL26VAYB8060476890:B\]/);
  expect(code).toBe(0);
  const again = await mintrail(['import', files[0] ?? '']);
  expect(again).toMatchObject({ code: 0, stdout: 'a.xml: imported already, nothing changed.\n' });
});

it('answers 1 when a file is not valid or cannot be read, and applies the others', async () => {
  const files = ['none.xml', file('bad.xml', '<!DOCTYPE x><x/>'), file('a.xml', statement('A', rail.customer.iban)), '.'];
  const { code, stdout } = await mintrail(['import', '--json', ...files]);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject([
    { file: 'none.xml', state: 'failed', error: { code: 'file_unreadable' } },
    { file: 'bad.xml', state: 'failed', error: { code: 'statement_malformed', message: expect.stringContaining('DOCTYPE') as string } },
    { file: 'a.xml', state: 'applied', counts: { issued: 1 } },
    { state: 'failed', error: { code: 'file_unreadable' } },
  ]);
});

it('refuses to make every credit unmatched where no network is configured', async () => {
  const { code, stderr } = await mintrail(['import', file('a.xml', statement('A', rail.customer.iban))], { CHIADO_TOKENS: '' });
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('No network has tokens to issue') });
});

it('lists, matches and returns what is unmatched', async () => {
  await mintrail(['import', file('a.xml', statement('A', other)), file('b.xml', statement('B', 'GB33BUKB20201555555555'))]);
  const listed = await mintrail(['unmatched']);
  expect(listed.stdout).toMatch(/reference +received +IBAN +amount +currency +payer +reason/);
  expect(listed.stdout).toMatch(/NL26VAYB8060476890:A +20\S+Z +NL56AGDH9619008421 +10\.50 +EUR +Jón Jónsson +the IBAN is not assigned/);
  expect(JSON.parse((await mintrail(['unmatched', '--json'])).stdout)).toMatchObject([
    { amount: '10.50', iban: other },
    { currency: 'eur' },
  ]);

  const elsewhere = ['return', 'NL26VAYB8060476890:A', '--to-iban', other, '--to-name', 'Mallory'];
  expect(await mintrail(elsewhere)).toMatchObject({ code: 3, stdout: '' });
  const changed = await mintrail([...elsewhere, '--amount', '11.00', '--yes']);
  expect(changed).toMatchObject({ code: 1, stderr: expect.stringContaining('a report of the bank has changed it') });
  const bySecond = await mintrail([...elsewhere, '--yes'], { FOUR_EYES: 'yes' });
  expect(bySecond).toMatchObject({ code: 1, stderr: expect.stringContaining('takes a second person') });
  const returned = await mintrail(['return', 'NL26VAYB8060476890:A', '--yes'], { CHIADO_TOKENS: '' });
  expect(returned.stdout).toContain('amount  10.50 EUR');
  expect(returned.stdout).toContain('IBAN    IS140159260076545510730339');
  const twice = await mintrail(['return', 'NL26VAYB8060476890:A', '--yes']);
  expect(twice).toMatchObject({ code: 1, stderr: expect.stringContaining('was returned already') });
  expect(await mintrail(['return', 'nobody', '--yes'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no credit nobody'),
  });

  expect(await mintrail(['match', 'NL26VAYB8060476890:B', '--yes'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('still cannot become an order'),
  });
  await rail.ledger.updateTable('ibans').set({ iban: 'GB33BUKB20201555555555' }).execute();
  expect(await mintrail(['match', 'NL26VAYB8060476890:B', '--yes'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('became the order'),
  });
  expect((await mintrail(['unmatched'])).stdout).toBe('No unmatched credits.\n');
});

it('lists recalls with the credits that they may be about, and answers each once', async () => {
  const recalls = recallXml({ transactionId: 'A', amount: '10.50', settledOn: '2026-11-20' }, { cancellationId: 'CXL-2', amount: '7.00' });
  const { stdout } = await mintrail(['import', file('a.xml', statement('A', other)), file('r.xml', recalls)]);
  expect(stdout).toMatch(
    /r\.xml: camt\.056 applied: 2 payments recalled\.\n {2}! line \d+, 10\.50 EUR, NOTPROVIDED: a bank recalls this payment \(DUPL\)/,
  );
  const listed = JSON.parse((await mintrail(['recalls', '--json'])).stdout);
  const idOf = (amount: string) => listed.find((open: { amount: string }) => open.amount === amount).id;
  const table = (await mintrail(['recalls'])).stdout;
  expect(table).toMatch(/10\.50 +EUR +Jón Jónsson +DUPL: sent twice +NL26VAYB8060476890:A \(unmatched\)/);
  expect(table).toMatch(/7\.00 +EUR +.*not known here: refuse it with NOOR/);
  expect((await mintrail(['recalls', 'accept', idOf('10.50'), '--yes'])).stdout).toMatch(
    /The bank may take the credit NL26VAYB8060476890:A back: camt\.029-\S+\.xml goes to the outbox. It is returned by the bank's debit/,
  );
  expect(await mintrail(['recalls', 'refuse', idOf('7.00'), '--code', 'WHY'])).toMatchObject({ code: 2 });
  expect((await mintrail(['recalls', 'refuse', idOf('7.00'), '--code', 'NOOR', '--yes'])).stdout).toContain('is refused with NOOR');
  expect(await mintrail(['recalls', 'refuse', idOf('7.00'), '--code', 'NOOR', '--yes'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^Error: The recall .* is refused already/) as string,
  });
  expect((await mintrail(['recalls'])).stdout).toBe('No recalls.\n');
});

it('takes an intraday report of a set account, says what waits for the statement, and shows whom to pay back by hand', async () => {
  const parties = `<Dbtr><Pty><Nm>Ada</Nm></Pty></Dbtr><DbtrAcct><Id><Othr><Id>31926819</Id></Othr></Id></DbtrAcct><CdtrAcct><Id><IBAN>${other}</IBAN></Id></CdtrAcct>`;
  const entries = [{ reference: 'A', transactions: [{ parties }] }, { reference: 'B', status: 'PDNG' }, {}];
  const report = statementXml({ entries })
    .replace('camt.053', 'camt.052')
    .replaceAll('BkToCstmrStmt', 'BkToCstmrAcctRpt')
    .replaceAll(/Stmt>/g, 'Rpt>');
  const { stdout } = await mintrail(['import', file('a.xml', report)], { BANK_INTRADAY: masterIban });
  expect(stdout).toContain('1 unmatched (100.00 EUR), 2 skipped (1 not booked yet, 1 without a reference, until the statement).');
  const returned = await mintrail(['return', `${masterIban}:A`, '--yes']);
  expect(returned.stdout).toMatch(/Pay it back by hand.*to      Ada\n  account 31926819 \(not a valid IBAN\)/s);
});

it('shows a suspected repeat beside the credit that it may repeat, and ends it', async () => {
  const { iban } = rail.customer;
  const uetr = '3f2d8b1a-6c47-4e0b-9d51-7a2e4c8f9b10';
  const entries = ['S1', 'S2'].map((reference) => ({
    amount: '10.50',
    reference,
    transactions: [payment(iban, '10.50', { refs: { UETR: uetr } })],
  }));
  await rail.import({ entries });
  const { stdout } = await mintrail(['unmatched']);
  expect(stdout).toMatch(new RegExp(`${masterIban}:S2 +statement.xml +2026-11-20 +10.50 EUR +Jón Jónsson +${uetr} +waits`));
  expect(stdout).toMatch(new RegExp(`${masterIban}:S1 +statement.xml +2026-11-20 +10.50 EUR +Jón Jónsson +${uetr} +order [0-9a-f-]{36}`));
  const ended = await mintrail(['repeat', `${masterIban}:S2`, '--yes']);
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining(`${masterIban}:S2 is the money of ${masterIban}:S1.`) });
  expect((await mintrail(['unmatched'])).stdout).toBe('No unmatched credits.\n');
});

it('lists debits that nobody has explained, explains one, and lists statements beside the book', async () => {
  await rail.import({ id: 'S1', opening: '9.00', closing: '2.00', entries: [{ amount: '7.00', direction: 'DBIT', reference: 'FEE' }] });
  const listed = await mintrail(['debits']);
  expect(listed.stdout).toMatch(/NL26VAYB8060476890:FEE +NL26VAYB8060476890 +2026-11-20 +7\.00 +EUR/);
  expect(await mintrail(['explain', `${masterIban}:FEE`, '--as', 'gift', '--reason', 'x'])).toMatchObject({ code: 2 });
  const repeated = ['explain', `${masterIban}:FEE`, '--as', `repeat-of:${masterIban}:1,2,fee`, '--reason', 'x', '--yes'];
  expect((await mintrail(repeated)).stderr).toContain(`there is no debit ${masterIban}:1,2\n`);
  const unnamed = await mintrail(['explain', `${masterIban}:FEE`, '--as', 'repeat-of:,fee', '--reason', 'x']);
  expect(unnamed).toMatchObject({ code: 2, stderr: expect.stringContaining('repeat-of:DEBIT') as unknown });
  const explained = await mintrail(['explain', `${masterIban}:FEE`, '--as', 'fee', '--reason', 'account fees', '--yes']);
  expect(explained).toMatchObject({ code: 0, stdout: 'NL26VAYB8060476890:FEE, 7.00 EUR, is explained as fee.\n' });
  const statements = JSON.parse((await mintrail(['statements', '--json'])).stdout) as unknown;
  expect(statements).toMatchObject([{ number: 'S1', opening: '9.00', closing: '2.00', booked: '2.00', difference: '0.00' }]);
});

it('settles a credit that undoes a debit', async () => {
  const transactions = [payment('IS140159260076545510730339', '6.00')];
  const debit = { amount: '6.00', direction: 'DBIT', reference: 'WRONG' } as const;
  await rail.import({ id: 'S2', entries: [debit, { amount: '6.00', reference: 'UNDONE', transactions }] });
  const settle = (as: string) => mintrail(['settle', `${masterIban}:UNDONE`, '--as', as, '--reason', 'booked by mistake', '--yes']);
  expect(await settle('difference')).toMatchObject({ code: 2 });
  expect((await settle(`difference:${masterIban}:FEE`)).stderr).toContain('does not undo the debit');
  const stdout = `${masterIban}:UNDONE is settled as the money of the debit ${masterIban}:WRONG.\n`;
  expect(await settle(`difference:${masterIban}:WRONG`)).toMatchObject({ code: 0, stdout });
  expect((await mintrail(['debits'])).stdout).toBe('No debits to be explained.\n');
});
