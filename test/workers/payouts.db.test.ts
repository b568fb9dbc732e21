import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createIsoRail } from '../../src/bank/iso20022/pain/rail.ts';
import type { Rail } from '../../src/bank/rail.ts';
import { sandboxPayees } from '../../src/bank/sandbox-rail.ts';
import { createLedger } from '../../src/ledger/ledger.ts';
import { payoutQueue, wakesNobody } from '../../src/ledger/wake-ups.ts';
import { createPool } from '../../src/platform/database.ts';
import { createLog, type Log } from '../../src/platform/log.ts';
import { createWaker } from '../../src/platform/queue/waker.ts';
import { loadSettings } from '../../src/platform/settings.ts';
import { type Alarms, createAlarms } from '../../src/workers/alarms.ts';
import { createPayoutTurn, createPayoutWorker } from '../../src/workers/payouts.ts';
import { createPaymentsLedger, type PaymentsLedger, payerIban, randomHash } from '../ledger/bank/payments-ledger.ts';
import { noWakeUps } from '../support/no-wake-ups.ts';
import { keepSent } from '../support/sent-statements.ts';
import { until } from '../support/until.ts';

const log = createLog('silent');
let at: PaymentsLedger;
let outbox: string;
let alarms: Alarms;

beforeEach(async () => {
  at = await createPaymentsLedger();
  outbox = mkdtempSync(path.join(tmpdir(), 'outbox-'));
  alarms = createAlarms(log);
});

afterEach(async () => {
  rmSync(outbox, { recursive: true, force: true });
  await at.close();
});

const settings = (more: Record<string, string> = {}) =>
  loadSettings({
    DATABASE_URL: at.url,
    BANK_OUTBOX: outbox,
    BANK_ACCOUNT: payerIban,
    BANK_ACCOUNT_NAME: 'Mintrail ehf.',
    BANK_BIC: 'MNTRIS22',
    BANK_FILE_SECONDS: '0',
    ...more,
  });

/** A turn of the worker with the rail of files; `more` makes the rail behave otherwise. */
function turn(more: Partial<Rail> = {}, withLog: Log = log) {
  const rail = { ...createIsoRail(settings()), ...more };
  return createPayoutTurn({ rail, ledger: at.ledger, log: withLog });
}

const powerCut = () => Promise.reject(new Error('power cut'));
const written = () => readdirSync(outbox).sort();
const contentOf = (name: string) => readFileSync(path.join(outbox, name), 'utf8');
const endToEndIds = (text: string) => Array.from(text.matchAll(/<EndToEndId>(\w+)</g), ([, id]) => id ?? '');

describe('the rail of files', () => {
  it('writes ready payments into one file per currency, and marks it', async () => {
    await at.burnt({ amount: 1n });
    await at.burnt({ amount: 2n });
    await at.burnt({ currency: 'gbp' });
    const { reference } = await at.refusedCredit();
    await turn()();
    const files = await at.files();
    expect(written()).toEqual(files.map(({ name }) => name).sort());
    expect(files.every(({ writtenAt }) => writtenAt !== null)).toBe(true);
    const euro = files.find(({ name }) => name.includes('-eur-'));
    expect(euro?.content).toContain('<CtrlSum>3.03</CtrlSum>');
    expect(euro?.content).toContain(`<MsgId>${euro?.id.replaceAll('-', '')}</MsgId>`);
    expect((await at.payments()).filter(({ credit }) => credit === reference)).toMatchObject([{ state: 'sent', file: euro?.id }]);
    await turn()();
    expect(await at.files()).toHaveLength(2);
  });

  it('asks once whether there is something to do, and no more while there is not', async () => {
    const pool = createPool({ connectionString: at.url, max: 1 });
    const sent = keepSent(pool);
    const ledger = createLedger(pool, wakesNobody);
    const payOut = createPayoutTurn({ rail: createIsoRail(settings()), ledger, log });
    await payOut();
    expect(sent).toHaveLength(1);
    await at.burnt();
    await payOut();
    expect(written()).toHaveLength(1);
    sent.length = 0;
    await payOut();
    expect(sent).toHaveLength(1);
    await pool.end();
  });

  it('is logged with the orders that it pays, and the correlation ids of their requests', async () => {
    const { order: orderId } = await at.burnt();
    await at.ledger.updateTable('orders').set({ correlationId: 'shop-7' }).where('id', '=', orderId).execute();
    const lines: unknown[] = [];
    const kept = { info: (line: unknown) => lines.push(line) } as unknown as Log;
    await turn({}, kept)();
    expect(lines[0]).toMatchObject({ payments: 1, orderIds: [orderId], correlationIds: ['shop-7'] });
  });

  it('puts each payment into exactly one file when two workers work at once', async () => {
    for (let count = 0; count < 30; count += 1) await at.burnt();
    const [one, other] = [turn({ limit: 4 }), turn({ limit: 4 })];
    await Promise.all([one(), other()]);
    await one();
    const payments = await at.payments();
    expect(payments).toHaveLength(30);
    const told = written().flatMap((name) => endToEndIds(contentOf(name)));
    expect(told.sort()).toEqual(payments.map(({ id }) => id.replaceAll('-', '')).sort());
    expect((await at.files()).map(({ name }) => name).sort()).toEqual(written());
    for (const file of await at.files()) expect(contentOf(file.name)).toBe(file.content);
  });

  it('writes after a crash what it had recorded before, unchanged', async () => {
    await at.burnt();
    await turn({ deliver: powerCut })();
    const [recorded] = await at.files();
    expect(recorded).toMatchObject({ writtenAt: null });
    expect(await at.payments()).toMatchObject([{ state: 'sent', file: recorded?.id }]);
    expect(written()).toEqual([]);
    await turn()();
    expect(written()).toEqual([recorded?.name]);
    expect(contentOf(recorded?.name ?? '')).toBe(recorded?.content);
    expect(await at.files()).toMatchObject([{ content: recorded?.content, writtenAt: expect.any(Date) }]);
  });

  it('writes the same file again when it crashed before it marked it', async () => {
    await at.burnt();
    const rail = createIsoRail(settings());
    const crash: Rail['deliver'] = async (file) => {
      await rail.deliver(file);
      await powerCut();
    };
    await turn({ deliver: crash })();
    const [first] = written();
    const before = contentOf(first ?? '');
    expect(await at.files()).toMatchObject([{ writtenAt: null }]);
    await turn()();
    expect(written()).toEqual([first]);
    expect(contentOf(first ?? '')).toBe(before);
    expect(await at.files()).toMatchObject([{ writtenAt: expect.any(Date) }]);
  });

  it('lets no two workers write one file at the same time', async () => {
    await at.burnt();
    await turn({ deliver: powerCut })();
    const writing = { now: 0, most: 0, times: 0 };
    const deliver = async () => {
      writing.now += 1;
      writing.times += 1;
      writing.most = Math.max(writing.most, writing.now);
      await new Promise((resolve) => setTimeout(resolve, 100));
      writing.now -= 1;
    };
    await Promise.all([turn({ deliver })(), turn({ deliver })()]);
    expect(writing).toEqual({ now: 0, most: 1, times: 1 });
  });

  it('complains once about an outbox it cannot write to, and goes on when it is mended', async () => {
    rmSync(outbox, { recursive: true });
    const said: unknown[] = [];
    const listening = createLog('silent');
    listening.error = (...args: unknown[]) => void said.push(args[1]);
    await at.burnt();
    const work = turn({}, listening);
    expect([(await work()).failure, (await work()).failure]).toEqual(['ENOENT', 'ENOENT']);
    expect(said).toEqual([expect.stringContaining('BANK_OUTBOX')]);
    mkdirSync(outbox);
    expect((await work()).failure).toBeUndefined();
    expect(written()).toHaveLength(1);
  });

  it('gives the tokens back for a payment that it cannot write', async () => {
    const { order, burn } = await at.burnt({ currency: 'isk', amount: 1050n });
    await turn()();
    expect(written()).toEqual([]);
    expect(await at.legs(order)).toBe('redeem done, payout refused, issue ready');
    expect(at.woken).toContain('lane-chiado');
    const mint = randomHash();
    await at.settle(order, 'issue', mint);
    expect(await at.order(order)).toMatchObject({
      state: 'rejected',
      rejectedReason: 'AM12 invalid amount: the amount must be whole in a payment: ISK has no decimals',
      txHashes: [burn, mint],
    });
  });
});

const run = (more: Record<string, string>) =>
  createPayoutWorker({ settings: settings(more), ledger: at.ledger, log, waker: noWakeUps, alarms });
const stateOf = async (order: string) => (await at.order(order)).state;

describe('the worker', () => {
  it('settles by itself in the sandbox, refuses the payee for that, and leaves the slow one', async () => {
    const worker = run({ BANK_RAIL: 'sandbox' });
    try {
      const [paid, refused, slow] = [
        await at.burnt(),
        await at.burnt({ iban: sandboxPayees.refused }),
        await at.burnt({ iban: sandboxPayees.slow }),
      ];
      await until('the payout is made', async () => ((await stateOf(paid.order)) === 'processed' ? true : undefined));
      await until('the lane is woken', async () => (at.woken.includes('lane-chiado') ? true : undefined));
      const given = async () => ((await at.legs(refused.order)) === 'redeem done, payout refused, issue ready' ? true : undefined);
      await until('the refused one is given back', given);
      await until('the slow one is sent', async () => ((await at.legs(slow.order)) === 'redeem done, payout sent' ? true : undefined));
      expect(await at.order(paid.order)).toMatchObject({ txHashes: [paid.burn] });
      const { order } = await at.refusedCredit();
      await until('the credit is returned', async () => ((await at.legs(order)) === 'issue refused, return done' ? true : undefined));
    } finally {
      await worker.close();
    }
  });

  it('writes files when it is woken', async () => {
    const waker = createWaker(settings(), log);
    const worker = createPayoutWorker({ settings: settings(), ledger: at.ledger, log, waker, alarms, sweepIntervalMs: 3_600_000 });
    try {
      await at.burnt();
      waker.wake(payoutQueue);
      await until('the file is written', async () => (written().length === 1 ? true : undefined));
    } finally {
      await Promise.all([worker.close(), waker.close()]);
    }
  });

  it('lets payments wait while nothing is set for the rail of files', async () => {
    const worker = createPayoutWorker({
      settings: loadSettings({ DATABASE_URL: at.url }),
      ledger: at.ledger,
      log,
      waker: noWakeUps,
      alarms,
    });
    const { order } = await at.burnt();
    await worker.close();
    expect(await at.legs(order)).toBe('redeem done, payout ready');
  });

  it('can pay while its outbox can be written to, and says so', async () => {
    const worker = run({});
    await until('it can pay', async () => worker.canPay() || undefined);
    rmSync(outbox, { recursive: true });
    await until('it cannot pay', async () => !worker.canPay() || undefined);
    expect(alarms.list()).toMatchObject([{ kind: 'bank_outbox_unusable', text: expect.stringContaining(outbox) as string }]);
    mkdirSync(outbox);
    await until('it can pay again', async () => worker.canPay() || undefined);
    expect(alarms.list()).toEqual([]);
    await worker.close();
  });

  it('does not start with half of the settings', () => {
    expect(() => run({ BANK_ACCOUNT_NAME: '' })).toThrow('BANK_ACCOUNT_NAME must be set');
  });
});
