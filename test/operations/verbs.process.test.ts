import { expect, it } from 'vitest';
import { listAudit } from '../../src/ledger/access/audit-log.ts';
import { makeStuck } from '../console/support/orders-of-all-kinds.ts';
import { mintrail } from '../support/processes/mintrail.ts';
import { createTwoOperators } from './two-operators.ts';
import { forWholeFile } from '../support/for-whole-file.ts';

const two = forWholeFile(createTwoOperators);

const run = (...args: string[]) => mintrail(args, { DATABASE_URL: two.payments.url, MINTRAIL_ENVIRONMENT: 'sandbox', FOUR_EYES: 'yes' });
const reason = 'The block on the account was lifted';

it('a reason that says nothing is refused by a command as in the console', async () => {
  const { order } = await two.payments.sentPayout();
  expect((await two.asker.act('orders.give-back', { order, reason: 'x' })).json).toMatchObject({ code: 'invalid_request' });
  expect((await run('orders', 'give-back', order, '--reason', 'x', '--yes')).stderr).toContain('(invalid_request)');
});

it('a payout in another state than the one that was seen is rejected by neither', async () => {
  const { id } = await two.payments.sentPayout();
  const message = expect.stringContaining('has been handed to the bank meanwhile') as string;
  expect(await run('payments', 'reject', id, 'unknown account', '--state', 'ready', '--yes')).toMatchObject({ code: 1, stderr: message });
  const page = await two.asker.act('bank.reject-payment', { payment: id, state: 'ready', reason: 'unknown account' });
  expect(page.json).toMatchObject({ code: 'not_as_shown', message });
});

it('somebody who is no operator of the console cannot ask for a second person, and nobody goes without for no reason', async () => {
  const order = await makeStuck(two.payments);
  const command = ['orders', 'give-back', order, '--reason', reason, '--yes'];
  const refused = await run(...command);
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('is no operator of the console') as string });
  const alone = await run(...command, '--as', two.asker.name, '--alone', ' ');
  expect(alone.stderr).toContain('(invalid_request)');
  const entries = await listAudit(two.payments.ledger, { subject: order, limit: 10 });
  expect(entries).not.toContainEqual(expect.objectContaining({ action: 'order.give-back' }));
});
