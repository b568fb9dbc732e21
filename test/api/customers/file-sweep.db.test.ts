import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { sql } from 'kysely';
import { beforeAll, expect, it, vi } from 'vitest';
import { sweepFiles } from '../../../src/api/customers/file-sweep.ts';
import { retireUnusedFiles } from '../../../src/ledger/customers/file-retention.ts';
import { beginFile, completeFile, unknownFiles } from '../../../src/ledger/customers/files.ts';
import { createTestApi, type Partner } from '../support/test-api.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const api = forWholeFile(createTestApi);
let caller: Partner;
beforeAll(async () => void (caller = await api.partner()));

const uploader = () => ({
  application: caller.clientId,
  kind: 'whitelabel' as const,
  user: caller.user,
  defaultProfile: caller.profile,
  permissions: [],
  grant: '',
  token: Buffer.alloc(0),
});
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

const passport = { name: 'passport.pdf', type: 'application/pdf', size: 3, hash: 'ab' };

/** A file that was uploaded so long ago, as far as the upload came. */
async function fileOf(age: string, state: 'begun' | 'kept' | 'completed'): Promise<string> {
  const id = randomUUID();
  await beginFile(api.ledger, uploader(), { ...passport, id });
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

it('goes on with the other files when the storage does not delete one, and deletes it in a later sweep', async () => {
  const [stuck, behind] = [await fileOf('32 days', 'completed'), await fileOf('31 days', 'completed')];
  const remove = (id: string) => (id === stuck ? Promise.reject(new Error('the storage is away')) : api.deps.files.remove(id));
  const warn = vi.spyOn(api.deps.log, 'warn');
  await sweepFiles({ ledger: api.ledger, files: { remove }, log: api.deps.log });
  expect(await Promise.all([stuck, behind].map(exists))).toEqual([true, false]);
  expect(warn.mock.calls).toMatchObject([[{ files: 1, file: stuck, err: 'the storage is away' }, expect.any(String)]]);
  // The content may be gone already: a crash can come between it and the record.
  await api.deps.files.remove(stuck);
  await sweep();
  expect(await exists(stuck)).toBe(false);
});

it('deletes no file whose upload is completed meanwhile', async () => {
  const [first, completed] = [await fileOf('62 minutes', 'kept'), await fileOf('61 minutes', 'kept')];
  const remove = async (id: string) => {
    if (id === first) await completeFile(api.ledger, completed);
    await api.deps.files.remove(id);
  };
  await sweepFiles({ ledger: api.ledger, files: { remove }, log: api.deps.log });
  expect([await exists(completed), await isStored(completed)]).toEqual([true, true]);
});

it('deletes no file that is uploaded again, from the beginning of the upload on', async () => {
  const id = await fileOf('61 minutes', 'kept');
  await beginFile(api.ledger, uploader(), { ...passport, id });
  await sweep();
  expect([await exists(id), await isStored(id)]).toEqual([true, true]);
});

it('completes no upload whose content it is deleting', async () => {
  const id = await fileOf('61 minutes', 'kept');
  let completing: Promise<unknown> | undefined;
  const remove = async () => {
    completing = completeFile(api.ledger, id).catch(() => 'not completed');
    await api.deps.files.remove(id);
  };
  await sweepFiles({ ledger: api.ledger, files: { remove }, log: api.deps.log });
  expect([await completing, await exists(id)]).toEqual(['not completed', false]);
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
