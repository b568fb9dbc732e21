import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listAudit } from '../../src/ledger/access/audit-log.ts';
import { disableOperator } from '../../src/ledger/operators/operator-access.ts';
import { makeStuck } from '../console/support/orders-of-all-kinds.ts';
import { createTestConsole } from '../console/support/test-console.ts';
import { createPaymentsLedger, type PaymentsLedger } from '../ledger/bank/payments-ledger.ts';
import { recordCredits } from '../../src/ledger/bank/credits.ts';
import { creditTo } from '../support/credits.ts';
import { createCustomer } from '../support/customer.ts';
import { mintrail } from '../support/processes/mintrail.ts';

let payments: PaymentsLedger;

beforeAll(async () => {
  payments = await createPaymentsLedger();
});
afterAll(() => payments.close());

/** A console over the ledger of the test, and the command line over the same. */
async function openDoors(fourEyes: 'yes' | 'no') {
  const console = await createTestConsole({ env: { FOUR_EYES: fourEyes }, url: payments.url });
  const run = (...args: string[]) => mintrail(args, { DATABASE_URL: payments.url, MINTRAIL_ENVIRONMENT: 'sandbox', FOUR_EYES: fourEyes });
  return { console, run, treasurer: await console.signedIn('treasurer') };
}

type Doors = Awaited<ReturnType<typeof openDoors>>;

/** What the audit log says of a change of this subject, beside when it was made and by which request. */
async function audited(subject: string) {
  const entries = await listAudit(payments.ledger, { subject, limit: 10 });
  return entries.map(({ action, actorKind, actor, detail, correlationId }) => ({
    action,
    actorKind,
    actor,
    detail,
    isTraced: correlationId !== null,
  }));
}

const reason = 'The block on the account was lifted';

describe('where one person is enough', () => {
  let doors: Doors;
  beforeAll(async () => void (doors = await openDoors('no')));
  afterAll(() => doors.console.close());

  it('a command that is not confirmed does nothing and ends with 3', async () => {
    const { id } = await payments.sentPayout();
    for (const options of [[], ['--json']])
      expect(await doors.run('payments', 'reject', id, 'unknown account', ...options)).toMatchObject({
        code: 3,
        stdout: '',
        stderr: expect.stringContaining('not_confirmed') as string,
      });
    expect(await doors.run('payments', 'reject', id, 'unknown account', '--yes')).toMatchObject({ code: 0 });
  });

  it('both send what waits as dust, and leave the same entries in the audit log', async () => {
    const customer = await createCustomer(payments.ledger, 'chiado');
    const { name } = doors.treasurer;
    const why = 'The customer waits at the counter';
    const dust = async () => {
      const options = { source: 'test', defaultMemo: 'memo', tokens: ['chiado:eur'], dustWaitSeconds: 3_600 };
      await recordCredits(payments.ledger, [creditTo(customer.iban, 1n)], options);
    };
    await dust();
    const command = await doors.run('orders', 'release', 'chiado', '--reason', why, '--as', name, '--yes', '--json');
    expect(command).toMatchObject({ code: 0, stdout: expect.stringContaining('"released": 1') as string, stderr: '' });
    await dust();
    const page = await doors.treasurer.act('orders.release', { chain: 'chiado', reason: why });
    expect(page.json).toMatchObject({ state: 'done', result: { released: 1 } });
    expect(Object.keys(JSON.parse(command.stdout) as object)).toEqual(Object.keys(page.json.result as object));
    const released = (await audited('chiado')).filter(({ action }) => action === 'order.release');
    const entry = {
      action: 'order.release',
      actorKind: 'operator',
      actor: name,
      detail: { chain: 'chiado', released: 1, reason: why },
      isTraced: true,
    };
    expect(released).toEqual([entry, entry]);
    expect((await doors.run('orders', 'release', 'mars', '--reason', why, '--yes')).stderr).toContain('chain');
  });

  it('both ask for a reason, and for an order that is stuck', async () => {
    const { order } = await payments.sentPayout();
    expect(await doors.run('orders', 'give-back', order, '--yes')).toMatchObject({ code: 2 });
    const refused = await doors.run('orders', 'give-back', order, '--reason', reason, '--yes');
    expect(refused.stderr).toContain('is not stuck');
    expect((await doors.treasurer.act('orders.give-back', { order, reason: 'x' })).json).toMatchObject({ code: 'invalid_request' });
    expect((await doors.run('orders', 'give-back', order, '--reason', 'x', '--yes')).stderr).toContain('(invalid_request)');
  });

  it('neither rejects a payout in another state than the one that was seen', async () => {
    const { id } = await payments.sentPayout();
    const command = await doors.run('payments', 'reject', id, 'unknown account', '--state', 'ready', '--yes');
    expect(command).toMatchObject({ code: 1, stderr: expect.stringContaining('has been handed to the bank meanwhile') as string });
    const page = await doors.treasurer.act('bank.reject-payment', { payment: id, state: 'ready', reason: 'unknown account' });
    expect(page.json).toMatchObject({
      code: 'not_as_shown',
      message: expect.stringContaining('has been handed to the bank meanwhile') as string,
    });
  });

  it('an operator who is disabled may do nothing on the command line', async () => {
    const { id } = await payments.sentPayout();
    const leaver = await doors.console.signedIn('treasurer');
    await disableOperator(payments.ledger, leaver.name);
    expect(await doors.run('payments', 'reject', id, 'unknown account', '--yes', '--as', leaver.name)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`The operator ${leaver.name} is disabled`) as string,
    });
  });
});

describe('where a second person is needed', () => {
  let doors: Doors;
  beforeAll(async () => void (doors = await openDoors('yes')));
  afterAll(() => doors.console.close());

  it('somebody who is no operator of the console cannot ask for one, nobody goes without for no reason, and nothing is done', async () => {
    const order = await makeStuck(payments);
    const command = ['orders', 'give-back', order, '--reason', reason, '--yes'];
    const refused = await doors.run(...command);
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('is no operator of the console') as string });
    const alone = await doors.run(...command, '--as', doors.treasurer.name, '--alone', ' ');
    expect(alone.stderr).toContain('(invalid_request)');
    expect(await audited(order)).not.toContainEqual(expect.objectContaining({ action: 'order.give-back' }));
  });
});
