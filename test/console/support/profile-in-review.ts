import { createHash, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createCustomer } from '../../support/customer.ts';
import { pdf } from '../../support/documents.ts';
import type { TestConsole } from './test-console.ts';

/** A profile in review, with a passport whose content is stored under its name. Its details have the name as first name. */
export async function profileInReview(
  { ledger, deps: { files } }: TestConsole,
  { name, content = pdf, type = 'application/pdf', hash }: { name: string; content?: Buffer; type?: string; hash?: string },
) {
  const { user, profile } = await createCustomer(ledger, 'chiado');
  await ledger.updateTable('profiles').set({ state: 'pending', name }).where('id', '=', profile).execute();
  const file = randomUUID();
  const section = (name: 'details' | 'form', data: object) =>
    ({ profile, section: name, state: 'pending', data: JSON.stringify(data) }) as const;
  const details = { firstName: name, lastName: 'Karlsson', birthday: '1990-01-01', idDocument: { kind: 'passport', number: 'A1234567' } };
  await ledger
    .insertInto('profileSections')
    .values([section('details', details), section('form', { fundOrigin: 'FUND_ORIGIN_SALARY', usCitizen: false })])
    .execute();
  const documents = JSON.stringify([{ fileId: file, kind: 'passport', side: 'front' }]);
  await ledger.insertInto('profileVerifications').values({ profile, kind: 'idDocument', state: 'pending', documents }).execute();
  const at = new Date();
  const times = { createdAt: at, updatedAt: at, storedAt: at, usedAt: at };
  const stored = { size: content.length, hash: hash ?? createHash('sha256').update(content).digest('hex') };
  await ledger
    .insertInto('files')
    .values({ id: file, application: null, uploadedBy: user, name: `../${name}`, type, ...stored, ...times })
    .execute();
  writeFileSync(files.arriving(file), content);
  await files.keep(file, { id: file, type, size: content.length });
  return { profile, file, document: `/api/customers/${profile}/documents/${file}` };
}
