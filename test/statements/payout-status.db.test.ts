import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { giveContradictedBack } from '../../src/ledger/bank/returns/contradicted-payouts.ts';
import { createLog } from '../../src/platform/log.ts';
import { loadSettings } from '../../src/platform/settings.ts';
import { bankProblems } from '../../src/problems/bank-problems.ts';
import { compareBookWithBank } from '../../src/reconciliation/book-and-bank.ts';
import { createAlarms } from '../../src/workers/alarms.ts';
import { createInboxWatcher } from '../../src/workers/inbox/inbox.ts';
import { importBankFile } from '../../src/statements/import-file.ts';
import { stream } from '../bank/iso20022/camt/reading.ts';
import { type EntrySpec, masterIban, statementXml } from '../bank/iso20022/camt/statement-xml.ts';
import { type StatusFileSpec, statusXml } from '../bank/iso20022/pain/status-xml.ts';
import { testPayments } from '../ledger/bank/payments-ledger.ts';
import { until } from '../support/until.ts';
import { creditOptions } from './bank-rail.ts';
import { sendPayouts, type SentPayout } from './payouts-sent.ts';

const log = createLog('silent');
const at = testPayments();

const read = (file: StatusFileSpec | string, name = 'status.xml') =>
  importBankFile(at.ledger, { name, chunks: stream([typeof file === 'string' ? file : statusXml(file)]), options: creditOptions });

const two = (payouts: SentPayout[]) => payouts as [SentPayout, SentPayout];
const states = async () => (await at.payments()).map(({ state }) => state);

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

describe('a payment status report', () => {
  it('ends the payments it tells about, and leaves the others', async () => {
    const { payouts } = await sendPayouts(at, 3);
    const [paid, refused] = two(payouts);
    const report = await read({
      group: { status: 'PART' },
      payments: [
        { endToEndId: paid.endToEndId, status: 'ACSC' },
        { instructionId: refused.endToEndId, status: 'RJCT', reason: 'AC04' },
      ],
    });
    expect(report).toMatchObject({
      state: 'applied',
      message: 'pain.002',
      counts: { accepted: 1, refused: 1, open: 0, known: 0, alerts: 0 },
      alerts: [],
    });
    expect(await at.order(paid.order)).toMatchObject({ state: 'processed', txHashes: [paid.burn] });
    expect(await at.legs(refused.order)).toBe('redeem done, payout refused, issue ready');
    expect((await at.payments()).find(({ id }) => id === refused.id)).toMatchObject({ reason: 'AC04 closed account number' });
    expect(await at.legs(payouts[2]?.order ?? '')).toBe('redeem done, payout sent');
    expect(at.woken).toEqual(['lane-chiado']);
  });

  it('changes nothing the second time, under whatever name', async () => {
    const { payouts } = await sendPayouts(at, 1);
    const file = { payments: [{ endToEndId: payouts[0]?.endToEndId ?? '', status: 'RJCT', reason: 'AC04' }] };
    await read(file);
    const before = await at.payments();
    expect(await read(file, 'again.xml')).toMatchObject({ file: 'again.xml', state: 'already_imported' });
    expect(await at.payments()).toEqual(before);
  });

  it('is applied once when it is read twice at the same time', async () => {
    const { payouts } = await sendPayouts(at, 1);
    const file = { payments: [{ endToEndId: payouts[0]?.endToEndId ?? '', status: 'RJCT', reason: 'AC04' }] };
    const reports = await Promise.all([read(file), read(file), read(file)]);
    expect(reports.map(({ state }) => state).sort()).toEqual(['already_imported', 'already_imported', 'applied']);
    expect(await at.legs(payouts[0]?.order ?? '')).toBe('redeem done, payout refused, issue ready');
  });

  it.each(['ACSP', 'ACCP', 'ACTC', 'ACWC', 'PDNG'])('with %s ends nothing, but keeps it for the operator', async (status) => {
    const { payouts } = await sendPayouts(at, 1);
    const report = await read({ payments: [{ endToEndId: payouts[0]?.endToEndId ?? '', status }] });
    expect(report.counts).toMatchObject({ open: 1 });
    expect(await at.payments()).toMatchObject([{ state: 'sent', bankStatus: status }]);
  });

  it('that rejects a whole file leaves what it does not tell about one by one with the bank, and names each: it may be of the file alone', async () => {
    const other = await sendPayouts(at, 1);
    const { messageId, payouts } = await sendPayouts(at, 3);
    const report = await read({
      messageId,
      group: { status: 'RJCT', reason: 'AG01' },
      payments: [{ endToEndId: payouts[0]?.endToEndId ?? '', status: 'PDNG' }],
    });
    expect(report.counts).toMatchObject({ refused: 0, open: 3, alerts: 2 });
    const reported = await at.payments();
    expect(payouts.map(({ id }) => reported.find((one) => one.id === id)?.bankStatus)).toEqual(['PDNG', 'RJCT', 'RJCT']);
    expect(reported.find(({ id }) => id === other.payouts[0]?.id)?.bankStatus).toBeNull();
    expect(await states()).toEqual(['sent', 'sent', 'sent', 'sent']);
  });

  it('that says a file was executed settles its payments', async () => {
    const { messageId, payouts } = await sendPayouts(at, 2);
    await read({ messageId, group: { status: 'ACSC' } });
    expect(await states()).toEqual(['accepted', 'accepted']);
    expect(await at.order(payouts[1]?.order ?? '')).toMatchObject({ state: 'processed' });
  });

  it('that cancels a whole file leaves its payments with the bank, and names each', async () => {
    const { messageId, payouts } = await sendPayouts(at, 1);
    const report = await read({ messageId, group: { status: 'CANC' } });
    expect(report).toMatchObject({ counts: { refused: 0, open: 1, alerts: 1 }, alerts: [{ paymentId: payouts[0]?.id, status: 'CANC' }] });
    expect(await at.legs(payouts[0]?.order ?? '')).toBe('redeem done, payout sent');
    expect(await bankProblems(at.ledger)).toMatchObject([{ kind: 'rejection_unclear' }]);
  });

  it('that rejects a payment as a repetition is named until the bank reports what became of the first', async () => {
    const { payouts } = await sendPayouts(at, 1);
    const [{ endToEndId, id }] = payouts as [SentPayout];
    const report = await read({ payments: [{ endToEndId, status: 'RJCT', reason: 'AM05' }] });
    expect(report).toMatchObject({
      counts: { open: 1, alerts: 1 },
      alerts: [{ paymentId: id, reason: expect.stringContaining('repetition') }],
    });
    expect(await at.payments()).toMatchObject([{ state: 'sent', bankStatus: 'RJCT' }]);
    expect(await bankProblems(at.ledger)).toMatchObject([{ kind: 'rejection_unclear' }]);
    await read({ payments: [{ endToEndId, status: 'ACSC' }] });
    expect(await bankProblems(at.ledger)).toEqual([]);
  });

  it('that rejects a file as one the bank has already refuses nothing: the first is under way', async () => {
    const { messageId, payouts } = await sendPayouts(at, 2);
    const payments = [{ endToEndId: payouts[0]?.endToEndId ?? '', status: 'RJCT', reason: 'AC04' }];
    const report = await read({ messageId, group: { status: 'RJCT', reason: 'DU01' }, payments });
    const reason = expect.stringContaining('repetition');
    const alerts = payouts.map(({ id }) => ({ paymentId: id, reason }));
    expect(report).toMatchObject({ counts: { refused: 0, open: 2, alerts: 2 }, alerts });
    expect(await states()).toEqual(['sent', 'sent']);
  });

  it.each([{ reason: 'AC04' }, { reason: 'AC04', text: 'compte clos' }, { reason: 'MS03' }])(
    'that rejects what was carried out for %j changes nothing, and alerts',
    async (said) => {
      const { payouts } = await sendPayouts(at, 1);
      const [{ endToEndId, order, id }] = payouts as [SentPayout];
      await read({ payments: [{ endToEndId, status: 'ACSC' }] });
      const report = await read({ payments: [{ endToEndId, status: 'RJCT', ...said }] });
      expect(report).toMatchObject({
        counts: { refused: 0, alerts: 1 },
        alerts: [{ paymentId: id, endToEndId, status: 'RJCT', reason: expect.stringContaining('CARRIED OUT') }],
      });
      expect((await at.order(order)).state).toBe('processed');
    },
  );

  it('that rejects what was carried out, and is in no statement of five days, names it until its tokens are given back', async () => {
    const { payouts } = await sendPayouts(at, 2);
    const [one, other] = two(payouts);
    const statement = (id: string, days: number, entries: EntrySpec[] = []) =>
      read(
        statementXml({ id, day: inDays(days), opening: '100.00', closing: entries.length > 0 ? '87.50' : '100.00', entries }),
        `${id}.xml`,
      );
    await read({ payments: payouts.map(({ endToEndId }) => ({ endToEndId, status: 'ACSC' })) });
    await read({ payments: payouts.map(({ endToEndId }) => ({ endToEndId, status: 'RJCT', reason: 'AC04' })) });
    const named = { kind: 'rejection_unclear', text: expect.stringMatching(new RegExp(`2 payments.*mintrail payments reject `)) as string };
    expect(await bankProblems(at.ledger)).toMatchObject([named]);
    const giveBack = ({ id }: SentPayout) => giveContradictedBack(at.ledger, id, 'the bank has not paid');
    await expect(giveBack(one)).rejects.toMatchObject({ code: 'payout_decided' });
    const refs = { EndToEndId: other.endToEndId };
    const debit = { amount: '12.50', direction: 'DBIT', reference: 'D', bookedOn: inDays(0), transactions: [{ amount: '12.50', refs }] };
    await statement('S', 0, [debit]);
    await expect(giveBack(one)).rejects.toMatchObject({ code: 'payout_decided' });
    await read(statementXml({ id: 'T', day: inDays(5), opening: '87.50', closing: '87.50' }), 'T.xml');
    await expect(giveBack(other)).rejects.toMatchObject({ code: 'payout_decided' });
    await giveBack(one);
    await expect(giveBack(one)).rejects.toMatchObject({ code: 'payout_decided' });
    expect(await at.ledger.selectFrom('orders').where('givesBack', '=', one.order).select(['state', 'amount']).execute()).toEqual([
      { state: 'placed', amount: 1250n },
    ]);
    expect(await bankProblems(at.ledger)).toEqual([]);
    expect((await compareBookWithBank(at.ledger)).map(({ difference }) => difference)).toEqual([0n]);
  });

  it('that carries out what was refused changes nothing, and alerts', async () => {
    const { payouts } = await sendPayouts(at, 1);
    const [{ endToEndId, order }] = payouts as [SentPayout];
    const report = await read({
      payments: [
        { endToEndId, status: 'RJCT', reason: 'AC04' },
        { endToEndId, status: 'ACSC' },
      ],
    });
    expect(report.counts).toMatchObject({ refused: 1, accepted: 0, alerts: 1 });
    expect(await at.legs(order)).toBe('redeem done, payout refused, issue ready');
  });

  it('that refuses a payment of a file, which the bank has booked in one sum without it, settles the others', async () => {
    const { payouts, messageId } = await sendPayouts(at, 3);
    const sum = { amount: '25.00', direction: 'DBIT', reference: 'SUM', batch: '2', batchOf: messageId };
    await read(statementXml({ id: 'S', entries: [sum] }));
    expect(await states()).toEqual(['sent', 'sent', 'sent']);
    await read({ messageId, payments: [{ endToEndId: payouts[2]?.endToEndId ?? '', status: 'RJCT', reason: 'AC04' }] });
    expect((await states()).toSorted()).toEqual(['accepted', 'accepted', 'refused']);
    expect(await bankProblems(at.ledger)).toEqual([]);
  });

  it('that does not say for certain that a payment will not be paid leaves it with the bank, and names it', async () => {
    const { payouts } = await sendPayouts(at, 1);
    const file = {
      payments: [{ endToEndId: payouts[0]?.endToEndId ?? '', status: 'RJCT', reason: 'AG01', text: 'Datei bereits erhalten' }],
    };
    const report = await read(file);
    expect(report).toMatchObject({
      counts: { refused: 0, open: 1 },
      alerts: [{ status: 'RJCT', reason: expect.stringContaining('bereits erhalten') }],
    });
    expect(await states()).toEqual(['sent']);
    const reject = expect.stringContaining(`mintrail payments reject ${payouts[0]?.id}`);
    expect(await bankProblems(at.ledger)).toMatchObject([{ kind: 'rejection_unclear', text: reject }]);
    await read({ payments: [{ endToEndId: payouts[0]?.endToEndId ?? '', status: 'ACSP' }] });
    expect(await bankProblems(at.ledger)).toEqual([]);
  });

  it('never guesses whose a payment is', async () => {
    const { payouts } = await sendPayouts(at, 2);
    const [one, other] = two(payouts);
    const report = await read({
      messageId: 'f'.repeat(32),
      group: { status: 'RJCT', reason: 'AC04' },
      payments: [
        { endToEndId: 'a'.repeat(32), status: 'RJCT', reason: 'AC04' },
        { endToEndId: 'NOTPROVIDED', status: 'RJCT', reason: 'AC04' },
        { endToEndId: one.endToEndId, instructionId: other.endToEndId, status: 'RJCT', reason: 'AC04' },
      ],
    });
    expect(report.counts).toEqual({ accepted: 0, refused: 0, open: 0, known: 0, alerts: 4 });
    expect(report.alerts.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('is not that of the payment'),
      expect.stringContaining('it is none of our payments'),
      expect.stringContaining('it is none of our payments'),
      expect.stringContaining('it is none of our files'),
    ]);
    expect(await states()).toEqual(['sent', 'sent']);
  });

  it('that cannot be read to its end changes nothing', async () => {
    const { payouts } = await sendPayouts(at, 1);
    const xml = statusXml({ payments: [{ endToEndId: payouts[0]?.endToEndId ?? '', status: 'RJCT', reason: 'AC04' }] });
    await expect(read(xml.slice(0, -40))).rejects.toMatchObject({ code: 'statement_truncated' });
    expect(await states()).toEqual(['sent']);
    expect(at.woken).toEqual([]);
  });

  it('comes through the same inbox as statements', async () => {
    const { payouts } = await sendPayouts(at, 1);
    const folder = mkdtempSync(path.join(tmpdir(), 'inbox-'));
    writeFileSync(path.join(folder, 'status.xml'), statusXml({ payments: [{ endToEndId: payouts[0]?.endToEndId ?? '', status: 'ACSC' }] }));
    const settings = {
      ...loadSettings({ DATABASE_URL: at.url, CHIADO_TOKENS: `eur:0x${'1'.repeat(40)}`, BANK_ACCOUNT: masterIban }),
      bankInbox: folder,
    };
    const inbox = createInboxWatcher({ settings, ledger: at.ledger, log, alarms: createAlarms(log), intervalMs: 20, unchangedMs: 40 });
    try {
      await until('the payment is accepted', async () => ((await states())[0] === 'accepted' ? true : undefined));
    } finally {
      await inbox.close();
      rmSync(folder, { recursive: true });
    }
  });
});
