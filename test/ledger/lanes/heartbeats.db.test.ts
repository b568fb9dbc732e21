import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { listHeartbeats, recordHeartbeat } from '../../../src/ledger/lanes/heartbeats.ts';
import { version } from '../../../src/platform/process/version.ts';
import { emptyLedger, testLedger } from '../../support/test-ledger.ts';

const { ledger } = testLedger();
beforeEach(() => emptyLedger(ledger));

const beat = (instance: string) =>
  recordHeartbeat(ledger, { component: 'worker', chain: 'chiado', instance, facts: { ok: true, instance } });
const listed = async () => (await listHeartbeats(ledger)).map(({ facts }) => facts['instance']);
const pass = (seconds: number) => sql`update heartbeats set seen_at = seen_at - make_interval(secs => ${seconds})`.execute(ledger);

it('a worker and its hot spare do not overwrite what the other reports', async () => {
  await beat('worker');
  await beat('spare');
  expect(new Set(await listed())).toEqual(new Set(['spare', 'worker']));
});

it('of a component that is silent the newest heartbeat is left, and none of a copy that was replaced', async () => {
  await beat('first');
  await pass(5);
  await beat('second');
  await pass(20);
  expect(await listed()).toEqual(['second']);
  await beat('third');
  expect(await listed()).toEqual(['third']);
  await pass(50);
  await beat('fourth');
  const rows = await ledger.selectFrom('heartbeats').select('instance').execute();
  expect(rows.map(({ instance }) => instance).toSorted()).toEqual(['fourth', 'third']);
});

it('say of which version the process is', async () => {
  await beat('worker');
  await sql`update heartbeats set version = '0.0.1'`.execute(ledger);
  await beat('worker');
  expect((await sql`select version from heartbeats`.execute(ledger)).rows).toEqual([{ version }]);
});
