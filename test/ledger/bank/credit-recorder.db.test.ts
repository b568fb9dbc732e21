import { expect, it } from 'vitest';
import { listAudit } from '../../../src/ledger/access/audit-log.ts';
import { createCreditRecorder, type SingleCredit } from '../../../src/ledger/bank/credits.ts';
import { minorUnits } from '../../../src/platform/money.ts';
import { creditOptions, testRail } from '../../statements/bank-rail.ts';

const rail = testRail({ isShared: true });

const options = { ...creditOptions, source: 'sandbox' };

function creditOf(reference: string, more: Partial<SingleCredit> = {}): SingleCredit {
  const { iban } = rail.customer;
  const money = { bankAccount: 'sandbox', iban, currency: 'eur', amount: minorUnits(100n), payer: { name: 'Jón' } };
  return { reference, ...money, reportedBy: null, ...more };
}

it('records credits that arrive together in few statements, each with its own result, request and reporter', async () => {
  const record = createCreditRecorder(rail.ledger, options);
  rail.woken.length = 0;
  const names = Array.from({ length: 20 }, (_, index) => `together-${index}`);
  const recorded = await Promise.all(
    names.map((name) =>
      record(creditOf(name, { correlationId: `of ${name}`, reportedBy: { kind: 'application', id: name, correlationId: `of-${name}` } })),
    ),
  );
  expect(recorded.map(({ reference }) => reference)).toEqual(names);
  expect(new Set(recorded.map(({ orderId }) => orderId)).size).toBe(names.length);
  // A statement wakes a lane once: the first credit is alone, and the others come while it is recorded.
  expect(rail.woken).toEqual(['lane-chiado', 'lane-chiado']);
  const orders = await rail.ledger.selectFrom('orders').select(['id', 'correlationId']).execute();
  for (const { reference, orderId } of recorded) {
    expect(orders).toContainEqual({ id: orderId, correlationId: `of ${reference}` });
    const detail = { state: 'matched', currency: 'eur', amount: 100, order_id: orderId };
    const entry = { actorKind: 'application', action: 'credit.report', subjectKind: 'credit', correlationId: `of-${reference}`, detail };
    expect(await listAudit(rail.ledger, { actor: reference, limit: 2 })).toMatchObject([{ ...entry, subject: reference }]);
  }
});

it('gives the error of a bad credit to its sender alone, and a reference that comes twice to one order', async () => {
  const record = createCreditRecorder(rail.ledger, options);
  const credits = ['a', 'b', 'bad', 'c', 'a', 'd'].map((name) => creditOf(name, name === 'bad' ? { bookedOn: '2026-02-30' } : {}));
  const results = await Promise.allSettled([creditOf('first'), ...credits].map((credit) => record(credit)));
  expect(results.map(({ status }) => status === 'fulfilled')).toEqual([true, true, true, false, true, true, true]);
  expect(results[3]).toMatchObject({ reason: { message: expect.stringContaining('2026-02-30') } });
  const [, a, , , , again] = results.map((result) => (result.status === 'fulfilled' ? result.value : undefined));
  expect(again).toEqual({ ...a, created: false });
  expect(a).toMatchObject({ created: true });
});

it('records the same credits in several processes once, in whatever order they arrive', async () => {
  const names = Array.from({ length: 40 }, (_, index) => `shared-${index}`);
  const processes = Array.from({ length: 4 }, () => createCreditRecorder(rail.ledger, options));
  const results = await Promise.all(
    processes.flatMap((record, index) => (index % 2 === 0 ? names : names.toReversed()).map((name) => record(creditOf(name)))),
  );
  expect(results.filter(({ created }) => created)).toHaveLength(names.length);
  expect(new Set(results.map(({ orderId }) => orderId)).size).toBe(names.length);
});
