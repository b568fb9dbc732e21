import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sweepFiles } from '../../../src/api/customers/file-sweep.ts';
import { retireUnusedFiles } from '../../../src/ledger/customers/file-retention.ts';
import { beginFile, completeFile, unknownFiles } from '../../../src/ledger/customers/files.ts';
import { createTestApi, type Partner, type TestApi } from '../support/test-api.ts';

let api: TestApi;
let caller: Partner;
beforeAll(async () => {
  api = await createTestApi();
  caller = await api.partner();
});
afterAll(() => api.close());

const uploader = () => ({ application: caller.clientId, kind: 'whitelabel' as const, user: caller.user, defaultProfile: caller.profile });
const sweep = () => sweepFiles({ ledger: api.ledger, files: api.deps.files, log: api.deps.log });
const exists = async (id: string) => (await api.ledger.selectFrom('files').where('id', '=', id).select('id').execute()).length === 1;
const isStored = (id: string) =>
  api.deps.files
    .read(id)
    .then((stream) => stream.toArray())
    .then(
      () => true,
      () => false,
    );

/** A file that was uploaded so long ago, as far as the upload came. */
async function fileOf(age: string, state: 'begun' | 'kept' | 'completed'): Promise<string> {
  const id = randomUUID();
  await beginFile(api.ledger, uploader(), { id, name: 'passport.pdf', type: 'application/pdf', size: 3, hash: 'ab' });
  if (state !== 'begun') {
    writeFileSync(api.deps.files.arriving(id), 'abc');
    await api.deps.files.keep(id, { id, type: 'application/pdf', size: 3 });
  }
  if (state === 'completed') await completeFile(api.ledger, id);
  await sql`update files set created_at = now() - ${age}::interval where id = ${id}`.execute(api.ledger);
  return id;
}

it('deletes what a crash left of an upload after an hour, and nothing before', async () => {
  const [young, begun, kept] = [
    await fileOf('59 minutes', 'kept'),
    await fileOf('61 minutes', 'begun'),
    await fileOf('61 minutes', 'kept'),
  ];
  expect(await unknownFiles(api.ledger, uploader(), [young])).toEqual(new Set([young]));
  await sweep();
  for (const id of [begun, kept]) expect([await exists(id), await isStored(id)]).toEqual([false, false]);
  expect([await exists(young), await isStored(young)]).toEqual([true, true]);
  await completeFile(api.ledger, young);
  expect(await unknownFiles(api.ledger, uploader(), [young])).toEqual(new Set());
});

it('deletes a file that nothing has named in 30 days, and none that a verification names', async () => {
  const [fresh, unused, used] = [
    await fileOf('29 days', 'completed'),
    await fileOf('31 days', 'completed'),
    await fileOf('31 days', 'completed'),
  ];
  await sql`insert into profile_verifications (profile, kind, person, state, documents)
    values (${caller.profile}, 'sourceOfFunds', 'jane', 'pending', ${JSON.stringify([{ fileId: used }])})`.execute(api.ledger);
  await sweep();
  expect(await Promise.all([fresh, unused, used].map(exists))).toEqual([true, false, true]);
  expect(await Promise.all([fresh, unused, used].map(isStored))).toEqual([true, false, true]);
});

it('goes on where a sweep was broken off between the content and the record', async () => {
  const id = await fileOf('31 days', 'completed');
  const broken = { ...api.deps.files, remove: () => Promise.reject(new Error('the storage is away')) };
  await expect(sweepFiles({ ledger: api.ledger, files: broken, log: api.deps.log })).rejects.toThrow('the storage is away');
  expect([await exists(id), await isStored(id)]).toEqual([true, true]);
  await api.deps.files.remove(id);
  await sweep();
  expect(await exists(id)).toBe(false);
});

it('lets nobody name a file at the moment at which it is taken away', async () => {
  const id = await fileOf('31 days', 'completed');
  await retireUnusedFiles(api.ledger);
  const naming = sql`insert into profile_verifications (profile, kind, person, state, documents)
    values (${caller.profile}, 'sourceOfFunds', 'june', 'pending', ${JSON.stringify([{ fileId: id }])})`;
  await expect(naming.execute(api.ledger)).rejects.toThrow('not in the storage');
  await sweep();
  expect([await exists(id), await isStored(id)]).toEqual([false, false]);
});
