import { describe, expect, it } from 'vitest';
import { keepCarryingOut } from '../../src/console/actions/carry-out.ts';
import { bankImportLock } from '../../src/ledger/advisory-locks.ts';
import { decideApproval } from '../../src/ledger/operators/approvals.ts';
import { beginCarryOut } from '../../src/ledger/operators/carry-out-attempts.ts';
import { resetOperator } from '../../src/ledger/operators/operator-access.ts';
import { statementXml } from '../bank/iso20022/camt/statement-xml.ts';
import { payment } from '../statements/bank-rail.ts';
import { createCustomer } from '../support/customer.ts';
import { useTestConsole } from './support/test-console.ts';
import { forWholeFile } from '../support/for-whole-file.ts';

const console = useTestConsole({ env: { FOUR_EYES: 'yes', CHIADO_TOKENS: `eur:0x${'1'.repeat(40)}` } });
const anna = forWholeFile(() => console.signedIn('administrator', 'anna'));
const ben = forWholeFile(() => console.signedIn('administrator', 'ben'));

const read = async (id: string) => (await ben.get(`/api/approvals/${id}`)).json;

async function asked(action: string, input: object, by = anna): Promise<string> {
  return (await by.act(action, input)).json.approval as string;
}

async function approve(id: string) {
  return ben.post(`/api/approvals/${id}/approve`, { digest: (await read(id)).digest });
}

const carryOut = (id: string, by = ben) => by.post(`/api/approvals/${id}/carry-out`);

/** So long has nothing been heard of an attempt that its process seems to have ended. */
const endLease = async (id: string) =>
  console.pool.query("update approvals set leased_until = now() - interval '1 second' where id = $1", [id]);

/** PostgreSQL ends the connection whenever it is about to record that an approval was carried out. */
async function endingBeforeTheRecord(during: () => Promise<void>): Promise<void> {
  await console.pool.query(`
    create function end_connection() returns trigger language plpgsql as $$ begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$;
    create trigger end_connection before update on approvals for each row when (new.state = 'done') execute function end_connection()`);
  try {
    await during();
  } finally {
    await console.pool.query('drop trigger end_connection on approvals; drop function end_connection()');
  }
}

const registered = async () => (await console.pool.query("select from applications where name = 'Payments'")).rows.length;

describe('what is approved', () => {
  it('is done once, however often its process ends before it is recorded', async () => {
    const registration = { kind: 'private', name: 'Payments', owner: 'owner@partner.example' };
    const id = await asked('applications.register', registration);
    await endingBeforeTheRecord(async () => {
      expect(await approve(id)).toMatchObject({ status: 503 });
      await endLease(id);
      expect(await read(id)).toMatchObject({ state: 'approved', isInterrupted: true, mayCarryOut: true });
      expect(await carryOut(id)).toMatchObject({ status: 503 });
      await endLease(id);
    });
    expect(await carryOut(id)).toMatchObject({ status: 200, json: { result: { secret: expect.any(String) as string } } });
    expect(await registered()).toBe(1);
    expect(await carryOut(id)).toMatchObject({ status: 409 });
    expect(await registered()).toBe(1);
  });

  it('and not recorded has not been done: who carries it out later undoes nothing that others have decided since', async () => {
    const { name } = await console.signedIn('viewer');
    const id = await asked('operators.role', { name, role: 'administrator' });
    await endingBeforeTheRecord(async () => void (await approve(id)));
    expect((await console.pool.query('select role from operators where name = $1', [name])).rows).toEqual([{ role: 'viewer' }]);
  });

  it('is not carried out any more once one of the two is reset, even when its process ended while it carried it out', async () => {
    for (const [isRequester, hasBegun] of [
      [true, true],
      [false, true],
      [true, false],
      [false, false],
    ]) {
      const [asking, approving] = [await console.signedIn('administrator'), await console.signedIn('administrator')];
      const { name } = await console.signedIn('viewer');
      const id = await asked('operators.role', { name, role: 'administrator' }, asking);
      await decideApproval(console.ledger, id, { operator: approving.name, decision: 'approved', digest: (await read(id)).digest });
      if (hasBegun) await beginCarryOut(console.ledger, id);
      await resetOperator(console.ledger, (isRequester ? asking : approving).name);
      if (hasBegun) await endLease(id);
      expect(await carryOut(id)).toMatchObject({
        status: 409,
        json: { code: 'not_as_shown', message: expect.stringContaining('has changed meanwhile') as string },
      });
      expect(await read(id)).toMatchObject({ state: hasBegun ? 'expired' : 'withdrawn', isInterrupted: false });
    }
  });
});

describe('an import that takes long', () => {
  it('is not shown as interrupted while it goes on', async () => {
    const { name } = await console.signedIn('viewer');
    const id = await asked('operators.role', { name, role: 'reviewer' });
    await decideApproval(console.ledger, id, { operator: 'ben', decision: 'approved', digest: (await read(id)).digest });
    const attempt = await beginCarryOut(console.ledger, id);
    await endLease(id);
    const stop = keepCarryingOut(console.ledger, attempt, 10);
    await expect.poll(async () => read(id)).toMatchObject({ state: 'approved', isInterrupted: false });
    expect(await carryOut(id)).toMatchObject({ status: 409 });
    stop();
  });

  it('and is carried out twice at once, because its process seemed to have ended, issues the money once', async () => {
    const customer = await createCustomer(console.ledger, 'chiado');
    const treasurer = await console.signedIn('treasurer');
    const file = statementXml({ entries: [{ amount: '25.00', reference: 'TWICE', transactions: [payment(customer.iban, '25.00')] }] });
    const uploaded = await console.app.request('http://localhost:3010/api/bank/files?name=twice.xml', {
      method: 'POST',
      headers: {
        Host: 'localhost:3010',
        Origin: 'http://localhost:3010',
        'Content-Type': 'application/octet-stream',
        Cookie: `console-3010=${treasurer.secret}`,
      },
      body: file,
    });
    const { approval: id } = (await uploaded.json()) as { approval: string };
    const importing = await console.pool.connect();
    await importing.query('select pg_advisory_lock(hashtextextended($1, 0))', [bankImportLock]);
    const first = approve(id);
    await expect.poll(async () => (await read(id)).attempts).toBe(1);
    await endLease(id);
    const second = carryOut(id, anna);
    await expect.poll(async () => (await read(id)).attempts).toBe(2);
    await importing.query('select pg_advisory_unlock(hashtextextended($1, 0))', [bankImportLock]);
    importing.release();
    const answers = await Promise.all([first, second]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect(await read(id)).toMatchObject({ state: 'done', errorMessage: null });
    const { rows } = await console.pool.query(
      'select (select count(*)::int from orders) as orders, (select count(*)::int from bank_files) as files, (select count(*)::int from credits) as credits',
    );
    expect(rows).toEqual([{ orders: 1, files: 1, credits: 1 }]);
  });
});
