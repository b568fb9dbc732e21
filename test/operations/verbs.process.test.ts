import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listAudit } from '../../src/ledger/access/audit-log.ts';
import { disableOperator } from '../../src/ledger/operators/operator-access.ts';
import { approvalProblems } from '../../src/problems/approval-problems.ts';
import { makeStuck } from '../console/support/orders-of-all-kinds.ts';
import { createTestConsole, type TestOperator } from '../console/support/test-console.ts';
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
  return { console, run, treasurer: await console.signedIn('treasurer'), viewer: await console.signedIn('viewer') };
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

  it('command and console leave the same entries in the audit log', async () => {
    const [first, second] = [await makeStuck(payments), await makeStuck(payments)];
    const { name } = doors.treasurer;
    const command = await doors.run('orders', 'give-back', first, '--reason', reason, '--as', name, '--yes', '--json');
    expect(command).toMatchObject({ code: 0, stderr: '' });
    const page = await doors.treasurer.act('orders.give-back', { order: second, reason });
    expect(page).toMatchObject({ status: 200, json: { state: 'done' } });
    expect(Object.keys(JSON.parse(command.stdout) as object)).toEqual(Object.keys(page.json.result as object));
    const entries = await audited(first);
    expect(entries).toEqual(await audited(second));
    expect(entries).toContainEqual({ action: 'order.give-back', actorKind: 'operator', actor: name, detail: { reason }, isTraced: true });
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
    expect((await doors.viewer.act('orders.release', { chain: 'chiado', reason: why })).json).toMatchObject({
      code: 'role_not_sufficient',
    });
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

  it('a role that may not do it in the console may not on the command line, nor may an operator who is disabled', async () => {
    const { id } = await payments.sentPayout();
    const reject = (as: TestOperator) => doors.run('payments', 'reject', id, 'unknown account', '--yes', '--as', as.name);
    expect(await reject(doors.viewer)).toMatchObject({ code: 1, stderr: expect.stringContaining('(role_not_sufficient)') as string });
    const leaver = await doors.console.signedIn('treasurer');
    await disableOperator(payments.ledger, leaver.name);
    expect(await reject(leaver)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`The operator ${leaver.name} is disabled`) as string,
    });
  });
});

describe('where a second person is needed', () => {
  let doors: Doors;
  let second: TestOperator;
  beforeAll(async () => {
    doors = await openDoors('yes');
    second = await doors.console.signedIn('treasurer');
  });
  afterAll(() => doors.console.close());

  it('a command files the request that the console files, and ends with 4', async () => {
    const order = await makeStuck(payments);
    const { treasurer } = doors;
    const command = ['orders', 'give-back', order, '--reason', reason, '--as', treasurer.name];
    expect(await doors.run(...command)).toMatchObject({ code: 3, stdout: '' });
    const filed = await doors.run(...command, '--yes', '--json');
    expect(filed).toMatchObject({ code: 4, stderr: '' });
    const { approval } = JSON.parse(filed.stdout) as { approval: string };
    const { json: page } = await treasurer.act('orders.give-back', { order, reason });
    expect(page.approval).toBe(approval);
    expect((await second.get(`/api/approvals/${approval}`)).json).toMatchObject({ requestedBy: treasurer.name, state: 'waiting' });
    expect((await treasurer.decide(approval)).json).toMatchObject({ code: 'own_approval' });
    expect(await second.decide(approval)).toMatchObject({ status: 200 });
    expect(await audited(order)).toContainEqual(
      expect.objectContaining({ action: 'order.give-back', actor: treasurer.name, detail: { reason } }),
    );
  });

  it('somebody who is no operator of the console cannot ask for one, and does nothing', async () => {
    const order = await makeStuck(payments);
    const refused = await doors.run('orders', 'give-back', order, '--reason', reason, '--yes');
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('is no operator of the console') as string });
    expect(await audited(order)).not.toContainEqual(expect.objectContaining({ action: 'order.give-back' }));
  });

  it('an emergency does without, which the audit log has and the status warns of', async () => {
    expect(await approvalProblems(payments.ledger)).not.toContainEqual(expect.objectContaining({ kind: 'acted_alone' }));
    const order = await makeStuck(payments);
    const alone = 'Nobody else can be reached';
    const command = ['orders', 'give-back', order, '--reason', reason, '--yes', '--as', doors.treasurer.name];
    expect((await doors.run(...command, '--alone', ' ')).stderr).toContain('(invalid_request)');
    expect(await doors.run(...command, '--alone', alone)).toMatchObject({ code: 0, stderr: '' });
    expect(await audited('orders.give-back')).toEqual([
      { action: 'operation.alone', actorKind: 'operator', actor: doors.treasurer.name, detail: { reason: alone }, isTraced: true },
    ]);
    const text = expect.stringContaining(`${doors.treasurer.name} did orders.give-back without`) as string;
    expect(await approvalProblems(payments.ledger)).toContainEqual(expect.objectContaining({ kind: 'acted_alone', text }));
  });
});
