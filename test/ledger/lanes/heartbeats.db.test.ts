import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { listHeartbeats, newInstance, recordHeartbeat } from '../../../src/ledger/lanes/heartbeats.ts';
import { version } from '../../../src/platform/process/version.ts';
import { loadSettings } from '../../../src/platform/settings.ts';
import { readProblems, readStatus } from '../../../src/problems/read-status.ts';
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

it('components of one process are silent as one problem of the status, and each on its own network', async () => {
  const settings = loadSettings({ DATABASE_URL: 'postgres://unused' });
  const silentNow = async (instances: Record<'common' | 'worker', string>) => {
    await emptyLedger(ledger);
    const facts = { ok: true };
    await recordHeartbeat(ledger, { component: 'common', chain: '', instance: instances.common, facts });
    await recordHeartbeat(ledger, { component: 'worker', chain: 'chiado', instance: instances.worker, facts });
    await pass(20);
    const { problems } = await readStatus(ledger, settings);
    return problems.filter(({ kind }) => kind === 'worker_silent');
  };
  const joined = await silentNow({ common: newInstance(), worker: newInstance() });
  expect(joined).toHaveLength(1);
  for (const command of ['worker --common', 'worker --chain chiado']) expect(joined[0]?.text).toContain(`\`mintrail ${command}\``);
  const ofNetworks = (await readProblems(ledger, settings)).problems.filter(({ kind }) => kind === 'worker_silent');
  expect(new Set(ofNetworks.map(({ chain }) => chain))).toEqual(new Set(['', 'chiado']));
  expect(await silentNow({ common: 'a process', worker: 'another' })).toHaveLength(2);
});
