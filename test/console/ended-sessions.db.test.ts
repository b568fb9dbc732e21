import { expect, it } from 'vitest';
import { inTransaction } from '../../src/ledger/ledger.ts';
import { disableOperator, resetOperator } from '../../src/ledger/operators/operator-access.ts';
import { changeRole, findOperator, lockOperator } from '../../src/ledger/operators/operators.ts';
import { type TestOperator, useTestConsole } from './support/test-console.ts';

const console = useTestConsole({ env: { FOUR_EYES: 'yes', CHIADO_TOKENS: `eur:0x${'1'.repeat(40)}` } });

/** Sends a request whose body comes only after `before`, as somebody sends it who holds it back. */
async function sendLate(
  operator: TestOperator,
  to: string,
  { type, text, before }: { type: string; text: string; before: () => Promise<void> },
) {
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await before();
        controller.enqueue(Buffer.from(text));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const headers = {
    Host: 'localhost:3010',
    Origin: 'http://localhost:3010',
    Cookie: `console-3010=${operator.secret}`,
    'Content-Type': type,
    'Content-Length': String(text.length),
  };
  const response = await console.app.request(`http://localhost:3010${to}`, {
    method: 'POST',
    headers,
    body,
    duplex: 'half',
  });
  return { status: response.status, json: (await response.json()) as { code?: string } };
}

it('a session that ends while a change is on its way changes nothing', async () => {
  for (const end of [
    (name: string) => disableOperator(console.ledger, name),
    (name: string) => resetOperator(console.ledger, name),
    (name: string) => changeRole(console.ledger, name, 'viewer'),
  ]) {
    const dismissed = await console.signedIn('administrator');
    const other = await console.signedIn('administrator');
    const answer = await sendLate(dismissed, '/api/actions/operators.disable', {
      type: 'application/json',
      text: JSON.stringify({ name: other.name }),
      before: async () => void (await end(dismissed.name)),
    });
    expect(answer).toMatchObject({ status: 401, json: { code: 'not_signed_in' } });
    expect(await findOperator(console.ledger, other.name)).toBeDefined();
  }
});

it('a session that ends while a file is on its way imports nothing', async () => {
  const dismissed = await console.signedIn('treasurer');
  const answer = await sendLate(dismissed, '/api/bank/files?name=statement.xml', {
    type: 'application/octet-stream',
    text: '<Document/>',
    before: () => disableOperator(console.ledger, dismissed.name),
  });
  expect(answer).toMatchObject({ status: 401, json: { code: 'not_signed_in' } });
});

it('what is done, asked for or approved at the moment at which a session ends comes before that, or not at all', async () => {
  const anna = await console.signedIn('administrator');
  const target = await console.signedIn('viewer');
  const change = { name: target.name, role: 'treasurer' };
  const waiting = (await anna.act('operators.role', change)).json.approval as string;
  const { digest } = (await anna.get(`/api/approvals/${waiting}`)).json;
  for (const request of [
    (stolen: TestOperator) => stolen.act('operators.disable', { name: target.name }),
    (stolen: TestOperator) => stolen.act('operators.role', change),
    (stolen: TestOperator) => stolen.post(`/api/approvals/${waiting}/approve`, { digest }),
  ]) {
    const stolen = await console.signedIn('administrator');
    const answer = await inTransaction(console.ledger, async (tx) => {
      await lockOperator(tx, stolen.name);
      const answered = request(stolen);
      await blocked();
      await resetOperator(tx, stolen.name);
      return { answered };
    });
    expect(await answer.answered).toMatchObject({ status: 401, json: { code: 'not_signed_in' } });
  }
  expect(await findOperator(console.ledger, target.name)).toMatchObject({ role: 'viewer' });
  expect((await anna.get('/api/approvals')).json.approvals).toMatchObject([{ id: waiting, state: 'waiting' }]);
});

/** Waits until a statement waits for a lock. */
async function blocked(): Promise<void> {
  await expect.poll(isBlocked, { interval: 20 }).toBe(true);
}

async function isBlocked(): Promise<boolean> {
  const waiting = "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
  return (await console.pool.query(waiting)).rows.length > 0;
}
