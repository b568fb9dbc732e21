import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { person, personForm } from '../../api/hosted/onboarding.ts';
import { mintrail } from '../../support/processes/mintrail.ts';
import { pdf as pdfContent } from '../../support/documents.ts';
import { randomUUID } from 'node:crypto';
import { createProfile } from '../../../src/ledger/customers/profiles.ts';
import { completeProfile } from '../../support/complete-profile.ts';
import { testLedger } from '../../support/test-ledger.ts';
import { testFolder } from '../../support/test-folder.ts';

const database = testLedger();
const { ledger } = database;
const folder = testFolder();
const run = (...args: string[]) => mintrail(args, { DATABASE_URL: database.url, MINTRAIL_DATA_DIR: folder, FOUR_EYES: 'no' });

function file(name: string, content: string | Buffer): string {
  writeFileSync(path.join(folder, name), content);
  return path.join(folder, name);
}

const answers = { publicFunction: false, fundOwner: true, usCitizen: false, usTaxPerson: false };
const email = 'Owner@example.org';

describe('mintrail profile', () => {
  it('makes the private application of an owner active in production, without the pages', async () => {
    const created = await run('profile', 'create', '--owner', email, '--kind', 'personal', '--json', '--yes');
    const { id } = JSON.parse(created.stdout) as { id: string };
    const app = await run('app', 'create', '--kind', 'private', '--name', 'Treasury', '--owner', email.toLowerCase(), '--yes');
    expect(app.stdout).toContain("waits for the approval of its owner's profile");
    const pdf = file('document.pdf', pdfContent.toString());
    const details = ['--details', file('details.json', JSON.stringify(person))];
    const form = ['--form', file('form.json', JSON.stringify({ ...personForm, ...answers }))];
    const some = await run('profile', 'submit', id, ...details, ...form, '--document', `idDocument=${pdf}`, '--yes');
    expect(some.stdout).toBe(`The profile ${id} is incomplete. Missing: facialSimilarity, proofOfResidency, sourceOfFunds\n`);
    const rest = ['facialSimilarity', 'proofOfResidency', 'sourceOfFunds'].flatMap((kind) => ['--document', `${kind}=${pdf}`]);
    expect((await run('profile', 'submit', id, ...rest, '--yes')).stdout).toContain('is pending. Missing: nothing');
    expect((await run('profile', 'review', id, '--approve', '--yes')).stdout).toContain('is approved');
    expect((await run('app', 'list')).stdout).toMatch(/Treasury\s+Owner@example\.org\s+active/);
    expect((await run('profile', 'create', '--owner', email, '--kind', 'personal', '--yes')).stderr).toContain(
      `has a profile already: ${id}`,
    );
  });

  it('hands the documents to a reviewer, who is named, under names of its own', async () => {
    const [profile] = JSON.parse((await run('profile', 'list', '--json')).stdout) as { id: string }[];
    const id = profile?.id ?? '';
    const output = path.join(folder, 'review');
    const { stdout } = await run('profile', 'documents', id, '--output', output, '--as', 'anna', '--json');
    const documents = JSON.parse(stdout) as { verification: string; fileId: string; file: string }[];
    expect(documents.map(({ verification }) => verification)).toEqual([
      'facialSimilarity',
      'idDocument',
      'proofOfResidency',
      'sourceOfFunds',
    ]);
    expect(documents[1]?.file).toBe(path.join(output, `02_idDocument_${documents[1]?.fileId}.pdf`));
    for (const { file: written } of documents) {
      expect(readFileSync(written).equals(pdfContent)).toBe(true);
      expect(statSync(written).mode & 0o777).toBe(0o600);
    }
    const [entry] = JSON.parse((await run('audit', '--action', 'profile.documents', '--json')).stdout) as object[];
    expect(entry).toMatchObject({ actor: 'anna', subject: id, detail: { files: documents.map(({ fileId }) => fileId) } });
    expect((await run('profile', 'documents', id, '--output', output)).stderr).toContain('exists already: name');
    expect(readdirSync(output)).toHaveLength(4);
    const elsewhere = { DATABASE_URL: database.url, MINTRAIL_DATA_DIR: path.join(folder, 'elsewhere') };
    const lost = await mintrail(['profile', 'documents', id, '--output', path.join(folder, 'none')], elsewhere);
    expect(lost.stderr).toContain('this process needs the files of the API');
    expect(readdirSync(path.join(folder, 'none'))).toEqual([]);
  });

  it.each(['a\u001bb@example.org', 'a\u202eb@example.org'])(
    'creates none for an owner whose address deceives a reader: %j',
    async (owner) => {
      const { code, stderr } = await run('profile', 'create', '--owner', owner, '--kind', 'personal', '--yes');
      expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('must not contain control characters') as string });
    },
  );

  it('says what is wrong with data and documents, and stores nothing of them', async () => {
    const { stdout } = await run('profile', 'create', '--owner', 'company@example.org', '--kind', 'corporate', '--json', '--yes');
    const { id } = JSON.parse(stdout) as { id: string };
    const text = file('notes.pdf', 'notes');
    const latin1 = file('latin1.json', Buffer.from('{"name": "Müller"}', 'latin1'));
    const [refused, wrong, none, damaged] = await Promise.all([
      run('profile', 'submit', id, '--document', `sourceOfFunds=${text}`, '--yes'),
      run('profile', 'submit', id, '--details', file('company.json', '{"name": "Acme"}'), '--yes'),
      run('profile', 'submit', id, '--form', text, '--yes'),
      run('profile', 'submit', id, '--details', latin1, '--yes'),
    ]);
    expect(refused.stderr).toContain(`${text} must be a PDF, JPEG or PNG, by its content`);
    expect(wrong.stderr).toContain('  registrationNumber is required');
    expect(none.stderr).toContain('is no JSON');
    expect(damaged.stderr).toContain(`${latin1} must be UTF-8: byte 12 (0xfc) is not`);
  });

  it('lists, shows and decides, once', async () => {
    const id = await completeProfile(ledger, await createProfile(ledger, { kind: 'personal', name: '', state: 'incomplete' }), 'Review');
    expect((await run('profile', 'list', '--state', 'pending')).stdout).toMatch(new RegExp(`${id}.*Anna Review\\s+pending`));
    const shown = JSON.parse((await run('profile', 'show', id)).stdout) as Record<string, unknown>;
    expect(shown).toMatchObject({ state: 'pending', sections: [{ data: { lastName: 'Review' } }, { data: { tin: '1' } }], reviews: [] });
    const back = await run(
      'profile',
      'review',
      id,
      '--incomplete',
      'details.birthday=differs from the passport',
      'idDocument=blurred',
      '--yes',
    );
    expect(back).toEqual({ code: 0, stdout: `The profile ${id} is incomplete.\n`, stderr: '' });
    const again = await run('profile', 'review', id, '--approve', '--yes');
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('(profile_not_in_review)') as string });
    await completeProfile(ledger, id);
    expect(JSON.parse((await run('profile', 'review', id, '--reject', 'false papers', '--json', '--yes')).stdout)).toMatchObject({
      state: 'rejected',
    });
    const { reviews } = JSON.parse((await run('profile', 'show', id)).stdout) as { reviews: unknown[] };
    expect(reviews).toMatchObject([
      { decision: 'incomplete', errors: [{ field: 'details.birthday', reason: 'differs from the passport' }, { field: 'idDocument' }] },
      { decision: 'rejected', reason: 'false papers', decidedBy: expect.stringMatching(/^operator /) },
    ]);
  });

  it('ends with 2 without one decision, and with 1 for what is not there', async () => {
    const id = randomUUID();
    expect((await run('profile', 'review', id)).code).toBe(2);
    expect((await run('profile', 'review', id, '--approve', '--reject', 'x')).code).toBe(2);
    expect((await run('profile', 'review', id, '--incomplete', 'nonsense')).code).toBe(2);
    expect(await run('profile', 'review', id, '--approve', '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no profile') as string,
    });
    expect(await run('profile', 'show', 'nonsense')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no profile') as string,
    });
  });
});
