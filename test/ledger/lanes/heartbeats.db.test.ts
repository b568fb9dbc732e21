import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { listHeartbeats, recordHeartbeat } from '../../../src/ledger/lanes/heartbeats.ts';
import { createLedger, type Ledger } from '../../../src/ledger/ledger.ts';
import { wakesNobody } from '../../../src/ledger/wake-ups.ts';
import { createPool } from '../../../src/platform/database.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
let ledger: Ledger;

beforeEach(async () => {
  database = await createTestDatabase();
  ledger = createLedger(createPool({ connectionString: database.url }), wakesNobody);
});
afterEach(async () => {
  await ledger.destroy();
  await database.drop();
});

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
