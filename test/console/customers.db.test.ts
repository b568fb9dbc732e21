import { describe, expect, it } from 'vitest';
import { createCustomer } from '../support/customer.ts';
import { pdf } from '../support/documents.ts';
import { profileInReview } from './support/profile-in-review.ts';
import { useTestConsole } from './support/test-console.ts';
import { forWholeFile } from '../support/for-whole-file.ts';

const hostile = '<script>alert(1)</script>';

const console = useTestConsole({ env: { FOUR_EYES: 'yes' } });
const reviewer = forWholeFile(() => console.signedIn('reviewer'));
const second = forWholeFile(() => console.signedIn('administrator'));
const viewer = forWholeFile(() => console.signedIn('viewer'));

const inReview = (changed: Omit<Parameters<typeof profileInReview>[1], 'name'> = {}) =>
  profileInReview(console, { name: hostile, ...changed });

const stateOf = async (profile: string) => (await viewer.get(`/api/customers/${profile}`)).json.state;

describe('a document', () => {
  it('is shown to reviewers and administrators alone, and who looked is in the audit log', async () => {
    const { profile, file, document } = await inReview();
    expect(await viewer.get(document)).toMatchObject({ status: 403, json: { code: 'role_not_sufficient' } });
    expect((await (await console.signedIn('treasurer')).get(document)).status).toBe(403);
    expect((await second.get(document)).status).toBe(200);
    const answer = await reviewer.get(document);
    expect(answer.text).toBe(pdf.toString('utf8'));
    const audit = await console.ledger
      .selectFrom('auditLog')
      .where('action', '=', 'profile.documents')
      .where('subject', '=', profile)
      .orderBy('id')
      .select(['actor', 'detail'])
      .execute();
    expect(audit).toEqual([
      { actor: second.name, detail: { files: [file] } },
      { actor: reviewer.name, detail: { files: [file] } },
    ]);
  });

  it.each([
    ['image/png', 'image/png', 'inline; filename="FILE.png"'],
    ['application/pdf', 'application/pdf', 'attachment; filename="FILE.pdf"'],
    ['text/html', 'application/octet-stream', 'attachment; filename="FILE.bin"'],
  ])('of type %s has no rights in the browser, and no name of its uploader', async (type, answered, disposition) => {
    const { file, document } = await inReview({ content: Buffer.from(hostile), type });
    const { headers } = await reviewer.get(document);
    expect(headers.get('Content-Type')).toBe(answered);
    expect(headers.get('Content-Disposition')).toBe(disposition.replace('FILE', file));
    expect(headers.get('Content-Security-Policy')).toMatch(/^default-src 'none'; sandbox/);
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(headers.get('Cache-Control')).toBe('no-store');
  });

  it('that is not what was uploaded is not shown, nor one of another profile', async () => {
    const { document } = await inReview({ hash: '0'.repeat(64) });
    expect((await reviewer.get(document)).json).toMatchObject({
      code: 'file_unreadable',
      message: expect.stringContaining('is not what was uploaded') as string,
    });
    const [first, other] = [await inReview(), await inReview()];
    expect(await reviewer.get(`/api/customers/${first.profile}/documents/${other.file}`)).toMatchObject({ status: 404 });
  });
});

describe('a review', () => {
  it('waits in the queue, the oldest first, with what is claimed and proved', async () => {
    const { profile, file } = await inReview();
    const { rows: profiles } = (await viewer.get('/api/customers?state=pending')).json;
    expect(profiles.at(-1)).toMatchObject({ id: profile, name: hostile, state: 'pending' });
    const first = (await viewer.get('/api/customers?state=pending&limit=1')).json;
    expect(first.rows[0].id).toBe(profiles[0].id);
    expect((await viewer.get(`/api/customers?state=pending&limit=1&after=${first.next}`)).json.rows[0].id).toBe(profiles[1].id);
    const shown = (await viewer.get(`/api/customers/${profile}`)).json;
    expect(shown.sections[0]).toMatchObject({ section: 'details', data: { firstName: hostile } });
    expect(shown.labels).toEqual({ FUND_ORIGIN_SALARY: 'Salary' });
    expect(shown.verifications).toMatchObject([{ kind: 'idDocument', documents: [{ file, kind: 'passport', side: 'front' }] }]);
    expect(shown).toMatchObject({ addresses: [{ chains: ['chiado'] }], ibans: [{ chain: 'chiado' }] });
    for (const text of [profile, shown.ibans[0].iban, shown.addresses[0].address, shown.email])
      expect((await viewer.get(`/api/customers/search?text=${text}`)).json).toEqual({ profile });
    expect((await viewer.get('/api/customers/search?text=nobody')).json).toEqual({ profile: null });
  });

  it('approves, once', async () => {
    const { profile } = await inReview();
    expect((await reviewer.act('customers.approve', { profile, reviews: 0 })).json).toMatchObject({
      state: 'done',
      result: { state: 'approved' },
    });
    expect((await reviewer.act('customers.approve', { profile, reviews: 0 })).json).toMatchObject({ code: 'profile_not_in_review' });
    expect((await viewer.get(`/api/customers/${profile}`)).json.reviews).toMatchObject([
      { decision: 'approved', decidedBy: `operator ${reviewer.name}` },
    ]);
  });

  it('decides on nothing that was submitted after another review', async () => {
    const { profile } = await inReview();
    const errors = [{ field: 'idDocument', reason: 'is blurred' }];
    await second.act('customers.ask-for-more', { profile, reviews: 0, errors });
    // The customer submits another document, which the reviewer has not seen.
    await console.ledger.updateTable('profiles').set({ state: 'pending' }).where('id', '=', profile).execute();
    expect(await reviewer.act('customers.approve', { profile, reviews: 0 })).toMatchObject({
      status: 409,
      json: { code: 'not_as_shown', message: expect.stringContaining('Somebody else has reviewed the profile') as string },
    });
    expect(await stateOf(profile)).toBe('pending');
    expect(await reviewer.act('customers.approve', { profile, reviews: 1 })).toMatchObject({ status: 200 });
  });

  it('rejects for good, with the reasons of each field', async () => {
    const { profile } = await inReview();
    const errors = [{ field: 'details.birthday', reason: 'is another on the passport' }];
    await reviewer.act('customers.reject', { profile, reviews: 0, reason: 'not the person', errors });
    expect((await viewer.get(`/api/customers/${profile}`)).json).toMatchObject({
      state: 'rejected',
      reviews: [{ reason: 'not the person; details.birthday: is another on the passport' }],
    });
  });

  it('asks for more, of what was submitted alone', async () => {
    const { profile } = await inReview();
    const ask = async (field: string) =>
      reviewer.act('customers.ask-for-more', { profile, reviews: 0, errors: [{ field, reason: 'is blurred' }] });
    expect((await ask('dateOfRegistration')).json).toMatchObject({ code: 'unknown_section' });
    expect((await ask('idDocument')).json).toMatchObject({ result: { state: 'incomplete' } });
    const { verifications, sections } = (await viewer.get(`/api/customers/${profile}`)).json;
    expect([verifications[0].state, sections[0].state]).toEqual(['incomplete', 'pending']);
  });
});

describe('an address', () => {
  it('that several profiles wait for is decided by two', async () => {
    const { ledger } = console;
    const [first, other] = [await createCustomer(ledger, 'chiado'), await createCustomer(ledger, 'chiado')];
    const address = `0x${'c'.repeat(40)}` as typeof first.address;
    const request = {
      kind: 'linkAddress' as const,
      chain: 'chiado' as const,
      address,
      signature: '0x',
      draft: '{"proof": {"kind": "sentence on chain"}}',
      digest: `0x${'d'.repeat(64)}` as const,
      contestedSince: new Date(),
    };
    for (const { profile } of [first, other])
      await ledger
        .insertInto('signatureRequests')
        .values({ ...request, profile })
        .execute();
    const { contested } = (await viewer.get('/api/customers/contested')).json;
    expect(contested).toMatchObject([{ address, chain: 'chiado', profiles: [{ name: 'Anna Karlsson' }, { name: 'Anna Karlsson' }] }]);
    const input = { address, chain: 'chiado', profile: first.profile };
    const { json } = await reviewer.act('customers.decide-address', input);
    expect((await second.get(`/api/approvals/${json.approval}`)).json.description).toContain(other.profile);
    expect((await second.decide(json.approval)).json).toMatchObject({ result: { turnedDown: 1 } });
    expect((await viewer.get('/api/customers/contested')).json).toEqual({ contested: [] });
  });

  it('is taken from a profile by two', async () => {
    const { profile, address } = await createCustomer(console.ledger, 'chiado');
    const { json } = await reviewer.act('customers.release-address', { address, profile });
    await second.decide(json.approval);
    expect((await viewer.get(`/api/customers/${profile}`)).json.addresses).toEqual([]);
  });
});
