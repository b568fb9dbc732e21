import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { PrivateKeyAccount } from 'viem/accounts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { linkAddress, listAddresses } from '../../../src/ledger/customers/addresses.ts';
import { signOutEverywhere } from '../../../src/ledger/access/sign-out.ts';
import { inTransaction } from '../../../src/ledger/ledger.ts';
import { untilWaiting } from '../../support/waiting-for-locks.ts';
import { type Decision, decideProfile } from '../../../src/ledger/customers/profile-review.ts';
import { showProfile } from '../../../src/ledger/customers/profile-queries.ts';
import { findProfile } from '../../../src/ledger/customers/profile-sections.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { createBrowser, password, type Shown } from './browser.ts';
import { company, companyForm, passport, person, personForm, picture, sendDocuments, signUpOn } from './onboarding.ts';
import { createOAuthApi } from '../oauth/client.ts';
import { mailServer } from '../support/mails.ts';
import { createWallet, linkMessage } from '../support/test-api.ts';
import { completeProfile } from '../../support/complete-profile.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const api = forWholeFile(createOAuthApi);
let clientId: string;
beforeAll(async () => void (clientId = await api.client()));

/** A new user before the first page of onboarding. */
async function newcomer() {
  const browser = createBrowser(api);
  const { page } = await browser.arrive(clientId, { auth_mode: 'signup', skip_kyc: 'false' });
  const user = await signUpOn(api, browser, page);
  expect(user.details.url.pathname).toBe('/authorize/details');
  return { browser, ...user };
}

/** The same with the details submitted. */
async function withDetails() {
  const user = await newcomer();
  return { ...user, page: await user.browser.submit(user.details, 'details', person) };
}

/** A new user who acts for a company. */
async function atCompany() {
  const { browser, details, profile } = await newcomer();
  const page = await browser.submit(details, 'kind', { kind: 'corporate' });
  expect(page.html).toContain('About the company');
  return { browser, profile, page };
}

/** A user whose profile was decided on, and the page that says so. Its documents came without the pages: each of a page is opened in a process. */
async function decided(decision: Decision) {
  const { browser, profile, details } = await newcomer();
  await decideProfile(api.ledger, await completeProfile(api.ledger, profile), decision, reviewer);
  return { browser, profile, progress: await browser.visit(at(details, 'progress')) };
}

/** A user whose profile is approved. */
async function atAddress() {
  const { browser, profile, progress } = await decided({ decision: 'approved' });
  expect(progress.html).toMatch(/href="address\?[^"]*">Link an address/);
  return { browser, profile, page: await browser.visit(at(progress, 'address')) };
}

const states = async (profile: string) => {
  const view = await findProfile(api.ledger, profile);
  return {
    state: view?.state,
    details: view?.details.state,
    form: view?.form.state,
    documents: view?.verifications.map(({ state }) => state),
  };
};

const ageProofs = () => sql`update sessions set proved_at = now() - interval '11 minutes'`.execute(api.ledger);

/** Everything in the file storage. */
const stored = () => readdir(path.join(api.settings.dataDir, 'files'), { recursive: true });

const reviewer = { by: 'operator' };
const at = (page: Shown, name: string) => new URL(page.url.href.replace(/\/[a-z]+\?/, `/${name}?`));

describe('a person', () => {
  it('gives details, form and documents, is reviewed, links an address and goes on to consent', async () => {
    const { browser, details, profile, email } = await newcomer();
    const form = await browser.submit(details, 'details', { ...person, ...passport, phone: '+354 555 0000' });
    expect(form.url.pathname).toBe('/authorize/form');
    const verification = await browser.submit(form, 'form', personForm);
    expect(verification.url.pathname).toBe('/authorize/verification');
    const progress = await sendDocuments(browser, verification);
    expect(progress.url.pathname).toBe('/authorize/progress');
    expect(progress.html).toContain('We are looking at it');
    expect(progress.html).toMatch(/href="consent\?[^"]*">Continue to Corner Shop/);

    const shown = await showProfile(api.ledger, profile);
    expect(shown).toMatchObject({ kind: 'personal', name: 'Jane Doe', state: 'pending' });
    expect(shown?.sections.map(({ data }) => data)).toEqual([
      { ...person, phone: '+354 555 0000', idDocument: { kind: 'passport', number: 'A1234567' } },
      { ...personForm, publicFunction: false, fundOwner: true, usCitizen: false, usTaxPerson: false },
    ]);
    expect(shown?.verifications.find(({ kind }) => kind === 'idDocument')?.documents).toEqual([
      { fileId: expect.any(String), kind: 'passport', side: 'front' },
    ]);
    expect((await browser.visit(at(progress, 'details'))).url.pathname).toBe('/authorize/progress');
    const files = await api.ledger.selectFrom('files').where('name', '=', 'passport.png').select(['application', 'uploadedBy']).execute();
    expect(files.every(({ application }) => application === null)).toBe(true);

    await decideProfile(api.ledger, profile, { decision: 'approved' }, reviewer);
    const later = createBrowser(api);
    const { page } = await later.arrive(clientId, { auth_mode: 'login', skip_kyc: 'false' });
    const address = await later.submit(page, 'sign-in', { email, password });
    expect(address.url.pathname).toBe('/authorize/address');
    const { actorKind } = await api.ledger
      .selectFrom('auditLog')
      .where('subject', '=', profile)
      .where('action', '=', 'profile.submit')
      .select('actorKind')
      .executeTakeFirstOrThrow();
    expect(actorKind).toBe('user');
  });

  it('may leave every step for later, comes back to what is missing, and mends what was submitted', async () => {
    const { browser, details, profile, email } = await newcomer();
    expect(details.html).toMatch(/href="consent\?[^"]*">Not now/);
    expect((await browser.visit(at(details, 'consent'))).html).toContain('Allow Corner Shop?');
    const form = await browser.submit(details, 'details', person);
    expect(form.html).toMatch(/href="consent\?[^"]*">Not now/);
    const later = createBrowser(api);
    const { page } = await later.arrive(clientId, { auth_mode: 'login', skip_kyc: 'false' });
    expect((await later.submit(page, 'sign-in', { email, password })).url.pathname).toBe('/authorize/form');
    const again = await later.visit(details.url);
    expect(again.html).toContain('value="Reykjavík"');
    await later.submit(again, 'details', { ...person, firstName: 'Eve' });
    expect((await findProfile(api.ledger, profile))?.name).toBe('Eve Doe');
  });

  it('is told what is wrong beside each field, and keeps what was typed', async () => {
    const { browser, details, profile } = await newcomer();
    const wrong = { ...person, lastName: '', birthday: '2020-01-01', country: 'KP', city: 'x'.repeat(71), 'idDocument.number': 'A1' };
    const { status, html } = await browser.submit(details, 'details', wrong);
    expect(status).toBe(400);
    for (const text of ['Last name is required', 'Date of birth must be at least 18 years ago', 'City must be', 'Country is prohibited'])
      expect(html).toContain(text);
    expect(html).toContain('Identity document is required');
    expect(html).toContain('value="Laugavegur 1"');
    expect((await states(profile)).details).toBe('incomplete');

    const form = await browser.submit(details, 'details', person);
    const unanswered = await browser.submit(form, 'form', { ...personForm, usCitizen: '', occupation: '' });
    expect(unanswered.status).toBe(400);
    expect(unanswered.html).toContain('This answer is required');
    const unnamed = await browser.submit(form, 'form', { ...personForm, activityOther: '' });
    expect(unnamed.html).toContain('Something else, in your words is required with &quot;Something else&quot;');
    expect(unnamed.html).toMatch(/value="ACTIVITY_OTHER"\s+checked/);
    expect((await states(profile)).form).toBe('incomplete');
  });

  it('is offered no country from which nobody is served, and readable choices alone', async () => {
    const { browser, details } = await newcomer();
    expect(details.html).toContain('<option value="IS"');
    expect(details.html).not.toContain('<option value="KP"');
    const { html } = await browser.submit(details, 'details', person);
    expect(html).toContain('>10,000 to 50,000</option>');
    expect(html.replaceAll(/<[^>]*>/g, '')).not.toMatch(/[A-Z]+_[A-Z]+/);
  });

  it('is left out by skip_kyc in the sandbox, and not in production', async () => {
    expect((await createBrowser(api).signUp(clientId)).page.url.pathname).toBe('/authorize/consent');
    const production = await createOAuthApi({ MINTRAIL_ENVIRONMENT: 'production', ...mailServer });
    const { page } = await createBrowser(production).signUp(await production.client());
    expect(page.url.pathname).toBe('/authorize/details');
    await production.close();
  });
});

describe('documents', () => {
  it('of a wrong type, without a choice, or too many are refused, and nothing of them stays', async () => {
    const { browser, page, profile } = await withDetails();
    const verification = await browser.submit(page, 'form', personForm);
    const before = await stored();
    const script = new File(['MZ executable'], 'passport.pdf');
    const refused = await browser.upload(verification, 'verification', {}, [['front', script]]);
    expect(refused.status).toBe(400);
    expect(refused.html).toContain('Front, or the page with the photo must be a PDF, JPEG or PNG, by its content');
    const empty = await browser.upload(verification, 'verification', {}, [['front', new File([], '')]]);
    expect(empty.html).toContain('Document is required');
    expect(empty.html).toContain('Front, or the page with the photo is required');
    const face = await browser.visit(new URL(`${at(verification, 'verification').href}&of=facialSimilarity`));
    const many = Array.from({ length: 5 }, (): [string, File] => ['file', picture()]);
    expect((await browser.upload(face, 'verification', {}, many)).html).toContain('Files must be at most 4 files');
    expect(await stored()).toEqual(before);
    expect(new Set((await states(profile)).documents)).toEqual(new Set(['incomplete']));
  });

  it('are received only from a form of this browser, and from a signed-in user', async () => {
    const { browser, page } = await withDetails();
    const verification = await browser.submit(page, 'form', personForm);
    const forged = await browser.upload(verification, 'verification', { csrf: 'x', kind: 'passport' }, [['front', picture()]]);
    expect(forged.status).toBe(403);
    expect((await browser.upload(verification, 'verification', { csrf: 'x', kind: 'passport' }, [])).status).toBe(403);
    browser.cookies.delete('session');
    const stranger = await browser.upload(verification, 'verification', { kind: 'passport' }, [['front', picture()]]);
    expect(stranger.url.pathname).toBe('/authorize/sign-in');
  });
});

describe('a review', () => {
  it('that sends a profile back says what and why, and takes the second submission', async () => {
    const errors: [{ field: string; reason: string }, { field: string; reason: string }] = [
      { field: 'details.birthday', reason: 'does not match the passport' },
      { field: 'sourceOfFunds', reason: 'the payslip cannot be read' },
    ];
    const { browser, profile, progress: back } = await decided({ decision: 'incomplete', errors });
    expect(back.html).toContain('the payslip cannot be read');
    expect(back.html).toContain('does not match the passport');
    const details = await browser.visit(at(back, 'details'));
    expect(details.html).toContain('Date of birth was sent back: does not match the passport');
    const verification = await browser.submit(details, 'details', { ...person, birthday: '1991-05-01' });
    expect(verification.html).toContain('the payslip cannot be read');
    const again = await sendDocuments(browser, verification);
    expect(again.html).toContain('We are looking at it');
    expect(again.html).not.toContain('the payslip cannot be read');
    expect((await states(profile)).state).toBe('pending');
  });

  it('that rejects says why', async () => {
    const { progress } = await decided({ decision: 'rejected', reason: 'on a sanctions list' });
    expect(progress.html).toContain('on a sanctions list');
  });
});

describe('a company', () => {
  it('gives its details with persons who are added, changed and removed, its form and all documents', async () => {
    const { browser, profile, page } = await atCompany();
    const add = (from: Shown, role: string) => browser.submit(from, 'details', { ...company, action: `add ${role}` });
    const jane = { ...person, ...passport };
    let details = await browser.submit(await add(page, 'representatives'), 'person', jane);
    const [, janeId = ''] = /copy finalBeneficiaries ([0-9a-f-]{36})/.exec(details.html) ?? [];
    const copied = await browser.submit(details, 'details', { ...company, action: `copy finalBeneficiaries ${janeId}` });
    expect(copied.html).toContain('value="Laugavegur 1"');
    details = await browser.submit(copied, 'person', { ...jane, ownershipPercentage: '60' });
    details = await browser.submit(await add(details, 'finalBeneficiaries'), 'person', {
      ...person,
      firstName: 'Eve',
      ownershipPercentage: '40',
    });
    details = await browser.submit(await add(details, 'directors'), 'person', { ...person, firstName: 'Max' });
    const [, maxId = ''] = /remove directors ([0-9a-f-]{36})/.exec(details.html) ?? [];
    details = await browser.submit(details, 'details', { ...company, action: `remove directors ${maxId}` });
    expect(details.html).not.toContain('Max Doe');
    expect(details.html).toContain('value="Acme ehf."');

    const form = await browser.submit(details, 'details', { ...company, action: 'submit' });
    expect(form.url.pathname).toBe('/authorize/form');
    const drafts = await api.ledger.selectFrom('profileSections').where('profile', '=', profile).select('draft').execute();
    expect(drafts).toEqual([{ draft: null }, { draft: null }]);
    const progress = await sendDocuments(browser, await browser.submit(form, 'form', companyForm));
    expect(progress.html).toContain('Identity document: Eve Doe');
    const shown = await showProfile(api.ledger, profile);
    expect(shown).toMatchObject({ kind: 'corporate', name: 'Acme ehf.', state: 'pending' });
    expect(shown?.sections[0]?.data).toMatchObject({
      representatives: [{ id: janeId, firstName: 'Jane' }],
      finalBeneficiaries: [{ id: janeId, ownershipPercentage: '60' }, { firstName: 'Eve' }],
      directors: [],
    });
    expect(shown?.sections[1]?.data).toMatchObject({ service: 'Sells anvils. By post.' });
    expect(shown?.verifications.filter(({ kind }) => kind === 'idDocument')).toHaveLength(2);
  });

  it('is told what its details lack, at the fields and at the persons', async () => {
    const { browser, profile, page } = await atCompany();
    const empty = await browser.submit(page, 'details', { ...company, name: '', action: 'submit' });
    expect(empty.status).toBe(400);
    expect(empty.html).toContain('Name of the company is required');
    expect(empty.html).toContain('Representatives must name at least 1');
    const added = await browser.submit(page, 'details', { ...company, name: 'Ac\0me', action: 'add directors' });
    expect((await browser.submit(added, 'person', { ...person, birthday: '2020-01-01' })).html).toContain('must be at least 18 years ago');
    const details = await browser.submit(added, 'person', person);
    const [, id = ''] = /copy representatives ([0-9a-f-]{36})/.exec(details.html) ?? [];
    await browser.submit(details, 'details', { ...company, action: `copy representatives ${id}` });
    const lacking = await browser.submit(details, 'details', { ...company, action: 'submit' });
    expect(lacking.html).toContain('Identity document is required');
    expect(await states(profile)).toMatchObject({ state: 'created', details: 'incomplete' });
  });

  it('is a person again as long as nothing was submitted, and not afterwards', async () => {
    const { browser, profile, page } = await atCompany();
    const details = await browser.submit(page, 'kind', { kind: 'personal' });
    expect(details.html).toContain('About you');
    expect((await findProfile(api.ledger, profile))?.verifications).toHaveLength(4);
    await browser.submit(details, 'details', person);
    await browser.submit(details, 'kind', { kind: 'corporate' });
    expect((await findProfile(api.ledger, profile))?.kind).toBe('personal');
  });
});
/** What the page's script sends: the message of the page with the wallet's address, in lines as a form sends them. */
async function signed(page: { html: string }, wallet: Pick<PrivateKeyAccount, 'address' | 'signMessage'>): Promise<Record<string, string>> {
  const template = /data-message="([^"]*)"/.exec(page.html)?.[1] ?? '';
  const message = template.replace('{address}', wallet.address).replace('{chain}', 'chiado');
  const signature = await wallet.signMessage({ message });
  return { chain: 'chiado', address: wallet.address, message: message.replaceAll('\n', '\r\n'), signature };
}

describe('the page of the address', () => {
  it('links the address that a wallet signs for, and leads on to consent', async () => {
    const { browser, profile, page } = await atAddress();
    const wallet = createWallet();
    const next = await browser.submit(page, 'address', await signed(page, wallet));
    expect(next.url.pathname).toBe('/authorize/consent');
    expect((await listAddresses(api.ledger, profile)).rows).toEqual([
      { profile, address: wallet.address.toLowerCase(), chains: ['chiado'] },
    ]);
    const overview = await browser.come('/overview');
    expect(overview.html).toContain(`<span class="address">${wallet.address}</span> on chiado`);
    expect(overview.html).toContain('<a href="address">Link another address</a>');
    const another = await browser.submit(await browser.come('/addresses'), 'addresses', { remove: createWallet().address });
    expect(another.html).toContain(wallet.address);
    await ageProofs();
    const prove = await browser.submit(another, 'addresses', { remove: wallet.address });
    expect(prove.url.pathname).toBe('/account/prove');
    const proved = await browser.submit(prove, 'prove', { next: 'addresses', password });
    const removed = await browser.submit(proved, 'addresses', { remove: wallet.address });
    expect(removed.html).toContain('You have none yet.');
    expect((await listAddresses(api.ledger, profile)).rows).toEqual([]);
  });

  it('links nothing by a session that has ended since its request came', async () => {
    const { browser, page, profile } = await atAddress();
    const { owner } = await api.ledger.selectFrom('profiles').where('id', '=', profile).select('owner').executeTakeFirstOrThrow();
    const fields = await signed(page, createWallet());
    const { linking } = await inTransaction(api.ledger, async (tx) => {
      await signOutEverywhere(tx, owner ?? '');
      const submitted = browser.submit(page, 'address', fields);
      await untilWaiting(api.ledger);
      return { linking: submitted };
    });
    expect((await linking).url.pathname).toBe('/authorize/sign-in');
    expect(await listAddresses(api.ledger, profile)).toMatchObject({ rows: [] });
  });

  it('asks for the password again ten minutes after signing in, because an address signs its user in', async () => {
    const { browser, profile, page } = await atAddress();
    await ageProofs();
    const late = await browser.submit(page, 'address', await signed(page, createWallet()));
    expect(late.url.pathname).toBe('/authorize/prove');
    const proved = await browser.submit(late, 'prove', { next: 'address', password });
    expect(proved.url.pathname).toBe('/authorize/address');
    expect((await listAddresses(api.ledger, profile)).rows).toEqual([]);
  });

  it('says that the signature of a contract account is checked, when that takes longer', async () => {
    const { browser, profile, page } = await atAddress();
    const [owner, account] = [createWallet(), createWallet()];
    const signMessage = owner.signMessage.bind(owner);
    const checked = await browser.submit(page, 'address', await signed(page, { address: account.address, signMessage }));
    expect(checked.html).toContain('Your signature is being checked');
    expect(checked.html).toMatch(/<a class="button" href="consent\?[^"]*">Continue/);
    expect((await listAddresses(api.ledger, profile)).rows).toEqual([]);
  });

  it('says why an address is not linked: it is linked elsewhere, or nothing of it is sound', async () => {
    const { browser, profile, page } = await atAddress();
    const [wallet, other] = [createWallet(), await api.user()];
    const proof = { kind: 'message', signer: 'key', nonce: 'ofAnother', acceptedUntil: new Date().toISOString() } as const;
    await linkAddress(api.ledger, {
      profile: other.profile,
      address: lowerAddress(wallet.address),
      chain: 'chiado',
      user: other.id,
      proof,
    });
    const taken = await browser.submit(page, 'address', await signed(page, wallet));
    expect(taken.html).toContain('The address was not linked (address: already linked).');
    const sentence = await wallet.signMessage({ message: linkMessage });
    const fields = { chain: 'chiado', address: wallet.address, message: linkMessage, signature: sentence };
    expect((await browser.submit(page, 'address', fields)).html).toContain('message: is not the message of this page');
    const unsound = await browser.submit(page, 'address', { chain: 'mars', address: '0x', signature: '' });
    expect(unsound.status).toBe(400);
    expect((await listAddresses(api.ledger, profile)).rows).toEqual([]);
    expect(page.html.match(/<script[^>]*>/g)).toEqual(['<script src="wallet.js" defer>']);
    expect(page.html).toMatch(/<a class="button secondary" href="consent\?/);
  });
});
