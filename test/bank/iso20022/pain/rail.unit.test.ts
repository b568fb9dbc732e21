import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createIsoRail, type IsoRailSettings } from '../../../../src/bank/iso20022/pain/rail.ts';
import type { PaymentPlan, Rail } from '../../../../src/bank/rail.ts';
import { createSandboxRail, sandboxPayees } from '../../../../src/bank/sandbox-rail.ts';
import { minorUnits } from '../../../../src/platform/money.ts';
import { batch, debtor, payment } from './payments.ts';

const outbox = mkdtempSync(path.join(tmpdir(), 'outbox-'));
afterAll(() => rmSync(outbox, { recursive: true }));

const settings: IsoRailSettings = {
  bankOutbox: outbox,
  bankAccounts: [{ account: debtor.iban }],
  bankAccountName: debtor.name,
  bankAccountAddress: debtor.address,
  bankBic: debtor.bic,
  bankFileSeconds: 60,
  bankTimeZone: 'UTC',
  bankHolidays: [],
  paymentLimits: { gbp: minorUnits(100_000n) },
  addressParts: {},
};

const rails: [string, Rail][] = [
  ['sandbox', createSandboxRail(settings)],
  ['iso20022', createIsoRail(settings)],
];

const ids = ({ accepted, refused, sent }: PaymentPlan) => [...accepted, ...refused.map(({ id }) => id), ...sent].sort();

describe.each(rails)('the rail %s', (name, rail) => {
  it('is named', () => expect(rail.name).toBe(name));

  it('answers once for each payment, and the same again', () => {
    const payments = [payment(), payment({ creditorIban: 'DE00' }), payment({ amount: minorUnits(1n) }), payment({ creditorIban: '' })];
    const plan = rail.plan(payments, batch);
    expect(ids(plan)).toEqual(payments.map(({ id }) => id).sort());
    expect(plan.refused.map(({ id }) => id)).toEqual([payments[1]?.id, payments[3]?.id]);
    expect(rail.plan(payments, batch)).toEqual(plan);
  });

  it('refuses an IBAN that is none, with a reason of the bank’s code set', () => {
    const [refused] = rail.plan([payment({ creditorIban: 'DE89370400440532013001' })], batch).refused;
    expect(refused?.reason).toBe('AC01 incorrect account number: DE89370400440532013001 is not a valid IBAN');
  });

  it("refuses what no bank could carry, within the limits of the operator's bank", () => {
    const payments = [payment({ creditorIban: 'TR330006100519786457841326' }), payment({ currency: 'gbp', amount: minorUnits(100_001n) })];
    expect(payments.map((item) => rail.plan([item], batch).refused[0]?.reason)).toEqual([
      'AG03 transaction not supported: TR330006100519786457841326 cannot receive euro: TR is not in SEPA',
      'AM02 not allowed amount: the amount must be at most 1000.00 GBP in a payment',
    ]);
  });

  it('makes no file of nothing', () => expect(rail.plan([], batch)).toEqual({ accepted: [], refused: [], sent: [] }));

  it('delivers again without harm', async () => {
    const { file } = rail.plan([payment()], batch);
    for (const one of file ? [file, file] : []) await rail.deliver(one);
    expect(readdirSync(outbox)).toEqual(name === 'sandbox' ? [] : [file?.name]);
  });
});

const plan = (creditorIban: string) => createSandboxRail().plan([payment({ creditorIban })], batch);

describe('the sandbox’s bank', () => {
  it('carries out a payment at once', () => expect(plan('DE89370400440532013000').accepted).toHaveLength(1));
  it('refuses the payee documented for it', () => expect(plan(sandboxPayees.refused).refused[0]?.reason).toMatch(/^AC04 closed account/));
  it('leaves payments to the slow payee open', () =>
    expect(plan(sandboxPayees.slow)).toMatchObject({ accepted: [], sent: [expect.any(String)] }));
});

describe('the rail of files', () => {
  const rail = createIsoRail(settings);
  it('leaves what it refuses out of the file', () => {
    const [good, bad] = [payment(), payment({ creditorIban: 'XX' })];
    const { file, sent } = rail.plan([good, bad], batch);
    expect(sent).toEqual([good.id]);
    expect(file?.content).toContain(good.endToEndId);
    expect(file?.content).not.toContain(bad.endToEndId);
    expect(file?.content.match(/<NbOfTxs>1<\/NbOfTxs>/g)).toHaveLength(2);
  });

  it('names the file by time, currency and message id', () =>
    expect(rail.plan([payment()], batch).file?.name).toBe(`pain.001-20260504T235958-eur-${batch.messageId}.xml`));

  it('dates a file by the day on which the bank gets it, and never back', () => {
    const content = rail.plan([payment()], batch).file?.content ?? '';
    const dayOf = (at: string) => /<ReqdExctnDt>\s*<Dt>(.*)<\/Dt>/.exec(rail.date(content, new Date(at)))?.[1];
    expect([dayOf('2026-05-04T23:59:59Z'), dayOf('2026-05-09T10:00:00Z'), dayOf('2026-05-01T10:00:00Z')]).toEqual([
      '2026-05-04',
      '2026-05-11',
      '2026-05-04',
    ]);
  });

  it('writes the file whole under its name, and leaves nothing else', async () => {
    const file = { name: 'pain.001-whole.xml', content: 'þ'.repeat(100_000) };
    await rail.deliver(file);
    expect(readFileSync(path.join(outbox, file.name), 'utf8')).toBe(file.content);
    expect(readdirSync(outbox).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('leaves no draft behind where it cannot write', async () => {
    await expect(rail.deliver({ name: 'missing/file.xml', content: '' })).rejects.toThrow('ENOENT');
    expect(readdirSync(outbox).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it.each([
    ['BANK_OUTBOX', { bankOutbox: undefined }],
    ['BANK_ACCOUNT', { bankAccounts: [] }],
    ['BANK_ACCOUNT_NAME', { bankAccountName: undefined }],
    ['BANK_ACCOUNT_ADDRESS', { bankAccountAddress: undefined, addressParts: { usd: ['city' as const] } }],
    ['BANK_ACCOUNT', { bankAccounts: [{ account: 'IS140159260076545510730338' }] }],
  ])('does not start without a good %s', (name, more) => {
    expect(() => createIsoRail({ ...settings, ...more })).toThrow(
      expect.objectContaining({ code: 'invalid_settings', fields: { [name]: expect.any(String) } }),
    );
  });
});
