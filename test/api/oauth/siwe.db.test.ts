import { createHash, randomBytes } from 'node:crypto';
import type { PrivateKeyAccount } from 'viem/accounts';
import { sql } from 'kysely';
import { createSiweMessage } from 'viem/siwe';
import { linkMessage, renderLinkMessage } from '../../../client/messages.ts';
import { createApplication } from '../../../src/ledger/access/applications/create-application.ts';
import { disableApplication } from '../../../src/ledger/access/applications/disable-application.ts';
import { hashSecret } from '../../../src/ledger/access/applications/secrets.ts';
import { type Rotation, rotateSecret } from '../../../src/ledger/access/applications/rotate-secret.ts';
import { type TokenPair, findCaller, issueTokens, refreshTokens } from '../../../src/ledger/access/access-tokens.ts';
import { revokeToken } from '../../../src/ledger/access/token-revocation.ts';
import { revokeConsent } from '../../../src/ledger/access/consents.ts';
import { issueCode, redeemCode } from '../../../src/ledger/access/authorization-codes.ts';
import { createGrant } from '../../../src/ledger/access/grants.ts';
import type { Caller } from '../../../src/ledger/access/permissions.ts';
import { withValidToken } from '../../../src/ledger/access/valid-token.ts';
import { inTransaction, type LedgerTransaction } from '../../../src/ledger/ledger.ts';
import type { Chain } from '../../../src/platform/chains.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { linkAddress } from '../../../src/ledger/customers/addresses.ts';
import type { LinkProof } from '../../../src/ledger/customers/link-proof.ts';
import type { LinkSource } from '../../../src/ledger/customers/link-source.ts';
import { releaseAddress } from '../../../src/ledger/customers/release-address.ts';
import { verdictTimeoutMs } from '../../../src/ledger/orders/await-verdict.ts';
import { listDueSignatures } from '../../../src/ledger/orders/due-signatures.ts';
import { decideSignature, requestSignature } from '../../../src/ledger/orders/signature-requests.ts';
import { createProfile } from '../../../src/ledger/customers/profiles.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import type { Permission } from '../../../src/schema/column-types.ts';
import { until } from '../../support/until.ts';
import { untilWaiting } from '../../support/waiting-for-locks.ts';
import { exchange } from '../hosted/browser.ts';
import { answerIn, createOAuthApi, pkce, privacyPolicyUrl, redirectUri, termsUrl } from './client.ts';
import { createWallet } from '../support/test-api.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

type Change = Partial<Parameters<typeof createSiweMessage>[0]>;

const api = forWholeFile(() => createOAuthApi({ SIWE_RESOURCES: 'https://family.example/siwe', QUOTAS: 'pendingSignatures:1' }));
let clientId: string;
let wallet: PrivateKeyAccount;
let user: { id: string; email: string; profile: string };
beforeAll(async () => {
  clientId = await api.client();
  user = await api.user();
  wallet = createWallet();
  await link(wallet, user);
});

/** Timers end up to a millisecond early, and clocks are rounded. */
const clockToleranceMs = 10;

const sentence = { kind: 'sentence', signer: 'key' } as const;

/** What a message that names the profile proves. */
const message = (): LinkProof => {
  return { kind: 'message', signer: 'key', nonce: randomBytes(8).toString('hex'), acceptedUntil: new Date().toISOString() };
};

/** Links an account, on the hosted pages and by a message that names the profile unless it is given otherwise. */
async function link(
  account: PrivateKeyAccount,
  to: { id: string; profile: string },
  given: { source?: LinkSource; proof?: LinkProof } = {},
) {
  const { source = 'hosted pages', proof = message() } = given;
  const address = lowerAddress(account.address);
  await linkAddress(api.ledger, { profile: to.profile, address, chain: 'chiado', user: to.id, proof, sources: [source] });
}

/** What a client has its user sign. */
function messageFor(change: Change = {}): string {
  return createSiweMessage({
    domain: 'shop.example',
    address: wallet.address,
    statement: 'Allow Corner Shop to access my data.',
    uri: redirectUri,
    version: '1',
    chainId: 10200,
    nonce: randomBytes(12).toString('hex'),
    issuedAt: new Date(),
    expirationTime: new Date(Date.now() + 300_000),
    resources: [`${api.url}/siwe`, privacyPolicyUrl, termsUrl],
    ...change,
  });
}

const changed = (change: Change | ((text: string) => string)) => (typeof change === 'function' ? change(messageFor()) : messageFor(change));

const state = 'a b+c&d=é"\n';

interface Sending {
  signer?: PrivateKeyAccount;
  signature?: string;
  more?: Record<string, string>;
}

async function authorize(message: string, { signer = wallet, signature = '', more = {} }: Sending = {}) {
  const { challenge, verifier } = await pkce();
  const response = await api.form('/auth', {
    client_id: clientId,
    code_challenge: challenge,
    authentication_method: 'siwe',
    message,
    signature: signature === '' ? await signer.signMessage({ message }) : signature,
    state,
    ...more,
  });
  expect(response.status).toBe(302);
  const answer = answerIn(response);
  expect(answer.get('state')).toBe(state);
  return { answer, verifier, url: new URL(response.headers.get('Location') ?? ''), description: answer.get('error_description') };
}

/** `code`, or why there is none. */
async function signIn(account: PrivateKeyAccount, client = clientId): Promise<string> {
  const { description } = await authorize(messageFor({ address: account.address }), { signer: account, more: { client_id: client } });
  return description ?? 'code';
}

/** Signs in, and gets the tokens. */
async function tokensBy(account: PrivateKeyAccount, client: string) {
  const { url, verifier } = await authorize(messageFor({ address: account.address }), { signer: account, more: { client_id: client } });
  return exchange(api, client, url, verifier);
}

/** Links an account as an application does. */
async function post(account: PrivateKeyAccount, token: string): Promise<void> {
  const response = await fetch(`${api.url}/addresses`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ address: account.address, chain: 'chiado', signature: await account.signMessage({ message: linkMessage }) }),
  });
  expect(response.status).toBe(201);
}

/** A grant of a user to an application, by a password. */
async function granted(application: string, by = user): Promise<{ grant: string }> {
  const proof = { method: 'password', subject: by.email } as const;
  return { grant: await inTransaction(api.ledger, (tx) => createGrant(tx, { application, user: by.id, proof })) };
}

/** The grant of an access token. */
async function grantOf(token: string): Promise<{ grant: string }> {
  const { grant } = (await findCaller(api.ledger, hashSecret(token))) as Caller;
  return { grant };
}

/** An application of the user, and a refresh token that somebody has stolen from it. */
async function robbed(): Promise<{ application: string; refreshToken: string; source: { grant: string } }> {
  const { id } = await createApplication(api.ledger, { kind: 'private', name: 'Robbed', owner: user.id });
  const { refreshToken, accessToken } = await issueTokens(api.ledger, { id, kind: 'private', owner: user.id });
  return { application: id, refreshToken, source: await grantOf(accessToken) };
}

interface Access {
  application: string;
  caller: Caller;
  refreshToken: string;
  since: Date;
}

/** An application that the user lets act, with a used refresh token, and the access that it got by that. */
async function usersAccess(): Promise<Access> {
  const application = await api.client({ permissions: ['read', 'write'] });
  const { now } = await api.ledger.selectNoFrom(sql<Date>`clock_timestamp()`.as('now')).executeTakeFirstOrThrow();
  const { url, verifier } = await authorize(messageFor(), { more: { client_id: application } });
  const { refresh_token: refreshToken } = await exchange(api, application, url, verifier);
  const { accessToken } = (await refresh(application, refreshToken)) as TokenPair;
  const caller = (await findCaller(api.ledger, hashSecret(accessToken))) as Caller;
  return { application, caller, refreshToken, since: now };
}

const verifier = 'v'.repeat(43);

/** A code of a sign-in by an account: by its key, or by its contract on a chain. */
async function codeBy(account: PrivateKeyAccount, application: string, chain?: Chain): Promise<string> {
  const codeChallenge = createHash('sha256').update(verifier).digest('base64url');
  const authorization = { user: user.id, application, permissions: ['read' as const], redirectUri, codeChallenge };
  const proof = { method: 'resource', subject: account.address, chain } as const;
  return inTransaction(api.ledger, (tx) => issueCode(tx, { ...authorization, proof }));
}

const redeem = async (application: string, code: string) =>
  (await redeemCode(api.ledger, { application, code, codeVerifier: verifier, redirectUri })) as TokenPair;

const refresh = async (application: string, refreshToken: string) =>
  refreshTokens(api.ledger, { application, isAuthenticated: false, refreshToken });

describe('a message signed by a linked address', () => {
  it('may come from a browser, whose forms end lines by CRLF', async () => {
    const text = messageFor();
    const signature = await wallet.signMessage({ message: text });
    expect((await authorize(text.replaceAll('\n', '\r\n'), { signature })).answer.has('code')).toBe(true);
  });

  it('may name one page twice that has both the policy and the terms', async () => {
    const legal = 'https://shop.example/legal';
    const { id } = await createApplication(api.ledger, {
      kind: 'authorization_code',
      name: 'Legal',
      owner: user.id,
      redirectUris: [redirectUri],
      privacyPolicyUrl: legal,
      termsUrl: legal,
    });
    for (const resources of [
      [`${api.url}/siwe`, legal, legal],
      [`${api.url}/siwe`, legal],
    ])
      expect((await authorize(messageFor({ resources }), { more: { client_id: id } })).answer.has('code')).toBe(true);
  });

  it.each<[string, Change | ((text: string) => string)]>([
    [
      'its resources in any order, and a scheme before its domain',
      { resources: [termsUrl, 'https://family.example/siwe', privacyPolicyUrl], scheme: 'https' },
    ],
    ['a validity of a week', { expirationTime: new Date(Date.now() + 7 * 86_400_000) }],
    ['an address in lower case', (text) => text.replace(wallet.address, wallet.address.toLowerCase())],
    ['an address in upper case', (text) => text.replace(wallet.address.slice(2), wallet.address.slice(2).toUpperCase())],
    ['an address with a wrong checksum', (text) => text.replace(wallet.address.slice(2), swapCase(wallet.address.slice(2)))],
    ['no statement', (text) => text.replace('Allow Corner Shop to access my data.\n', '')],
    ['times of another zone', (text) => text.replaceAll(/(T[\d:.]+)Z/g, '$1+00:00')],
    ['times without fractions of seconds', (text) => text.replaceAll(/\.\d+Z/g, 'Z')],
    ['a request id', (text) => text.replace('\nResources:', '\nRequest ID: order-17%20a\nResources:')],
    ['the port that its scheme implies', (text) => text.replace('shop.example wants', 'Shop.Example:443 wants')],
  ])('completes authorization at once with %s', async (_, change) => {
    const { url, verifier } = await authorize(changed(change));
    const granted = await exchange(api, clientId, url, verifier);
    expect(granted).toMatchObject({ userId: user.id, profile: user.profile });
    const context = await fetch(`${api.url}/auth/context`, { headers: { Authorization: `Bearer ${granted.access_token}` } });
    expect(await context.json()).toMatchObject({ auth: { method: 'resource', subject: wallet.address, verified: true } });
  });

  it('is good once, also when it comes many times at once', async () => {
    const message = messageFor();
    const answers = await Promise.all(Array.from({ length: 5 }, () => authorize(message)));
    expect(answers.filter(({ answer }) => answer.has('code'))).toHaveLength(1);
    expect(answers.find(({ answer }) => !answer.has('code'))?.answer.get('error')).toBe('access_denied');
    expect((await authorize(message)).description).toBe('The nonce was used before');
  });

  it.each<[string, Change | ((text: string) => string), RegExp]>([
    ['without an expiration', (text) => text.replace(/\nExpiration Time: .*/, ''), /Expiration Time is required/],
    ['that has expired', { expirationTime: new Date(Date.now() - 1_000) }, /Expiration Time has passed/],
    ['of the future', { issuedAt: new Date(Date.now() + 600_000) }, /Issued At is in the future/],
    ['before its time', { notBefore: new Date(Date.now() + 600_000) }, /Not Before has not come yet/],
    ['for another domain', { domain: 'evil.example' }, /domain of the redirect URI/],
    ['for another port', { domain: 'shop.example:8443' }, /domain of the redirect URI/],
    ['of another scheme', { scheme: 'http' }, /scheme of the redirect URI/],
    ['for another URI', { uri: 'https://shop.example/other' }, /URI must be the redirect URI/],
    ['that expires in 9999', { expirationTime: new Date('9999-12-31T23:59:59Z') }, /Expiration Time is more than 7 days ahead/],
    ['of long ago', { issuedAt: new Date(Date.now() - 8 * 86_400_000) }, /Issued At is more than 7 days ago/],
    [
      'with two services as resources',
      { resources: [`https://family.example/siwe`, privacyPolicyUrl, 'https://other.example/siwe'] },
      /Resources must be exactly/,
    ],
    ['without resources', { resources: [] }, /Resources must be exactly/],
    ['without a list of resources', (text) => text.replace(/\nResources:[^]*/, ''), /Resources must be exactly/],
    ['with a resource too few', { resources: [privacyPolicyUrl, termsUrl] }, /Resources must be exactly/],
    ['with a resource twice', { resources: [privacyPolicyUrl, privacyPolicyUrl, termsUrl] }, /Resources must be exactly/],
    ['with a resource of its own', { resources: [privacyPolicyUrl, termsUrl, 'https://evil.example'] }, /Resources must be exactly/],
    ['of a chain that is not configured', { chainId: 1 }, /Chain ID 1 is not that of a chain that is configured/],
    ['of another version', (text) => text.replace('Version: 1', 'Version: 2'), /not a message of EIP-4361/],
    ['without a nonce', (text) => text.replace(/\nNonce: .*/, ''), /not a message of EIP-4361/],
    ['with a line that the grammar lacks', (text) => `${text}\nExtra: 1`, /not a message of EIP-4361/],
    ['for a user of the domain', (text) => text.replace('shop.example wants', 'jane@shop.example wants'), /domain of the redirect URI/],
    ['that is no message at all', () => 'hello', /not a message of EIP-4361/],
    ['of many lines', (text) => text + '\n- a:a'.repeat(40), /at most 40 lines/],
    ['with a long nonce', (text) => text.replace(/(?<=Nonce: ).*/, 'a'.repeat(129)), /Nonce must be at most 128 characters/],
    ['that is enormous', (text) => text + 'x'.repeat(9_000), /at most 8192 characters/],
  ])('%s is refused', async (_, change, description) => {
    const message = changed(change);
    const refused = await authorize(message);
    expect(refused.answer.get('error')).toBe('invalid_request');
    expect(refused.description).toMatch(description);
    expect(refused.answer.has('code')).toBe(false);
  });

  it('is refused when another signed it, or when it was changed after it was signed', async () => {
    const signature = await wallet.signMessage({ message: messageFor() });
    for (const signed of [{ signer: createWallet() }, { signature }]) {
      const asked = authorize(messageFor(), signed);
      await decideNext({ state: 'invalid', reason: 'there is no contract at the address' });
      expect((await asked).answer.get('error')).toBe('access_denied');
    }
  });

  it('is refused without a signature, or with one that is none', async () => {
    for (const signature of ['0x', 'abc', '0xabc'])
      expect((await authorize(messageFor(), { signature })).description).toMatch(/^signature must be bytes/);
  });

  it('is refused by another client, whose redirect URI or terms it does not name', async () => {
    const other = await api.client({ redirectUris: ['https://other.example/callback'] });
    expect((await authorize(messageFor(), { more: { client_id: other } })).description).toMatch(/domain of the redirect URI/);
    const sameHost = await api.client();
    await api.ledger.updateTable('applications').set({ termsUrl: 'https://other.example/terms' }).where('id', '=', sameHost).execute();
    expect((await authorize(messageFor(), { more: { client_id: sameHost } })).description).toMatch(/Resources must be exactly/);
  });

  it('is refused when the application registered no terms', async () => {
    const bare = await api.client();
    await api.ledger.updateTable('applications').set({ termsUrl: null }).where('id', '=', bare).execute();
    expect((await authorize(messageFor(), { more: { client_id: bare } })).description).toMatch(/no privacy policy or no terms/);
  });
});

describe('an address', () => {
  it('that is not linked is sent to sign in first', async () => {
    const stranger = createWallet();
    const { description } = await authorize(messageFor({ address: stranger.address }), { signer: stranger });
    expect(description).toBe('The address is not linked to a profile of a user: the user must sign in first');
  });

  it('that was linked by the fixed sentence signs in, whatever others try, or have waited for', async () => {
    const [account, stranger] = [createWallet(), await api.user()];
    await link(account, user, { proof: sentence });
    await expect(link(account, stranger, { proof: sentence })).rejects.toThrow('Validation errors');
    const draft = { profile: stranger.profile, address: lowerAddress(account.address), chain: 'chiado', user: stranger.id } as const;
    await requestSignature(api.ledger, { kind: 'linkAddress', draft, digest: '0x03', signature: '0x', correlationId: null });
    expect(await signIn(account)).toBe('code');
  });

  it('that has only approved the sentence on chain, for whomever, signs nobody in until it proves more', async () => {
    const account = createWallet();
    await link(account, user, { proof: { kind: 'sentence on chain' } });
    expect(await signIn(account)).toMatch(/^The account has only approved the fixed sentence on chain/);
    await link(account, user, { proof: sentence });
    expect(await signIn(account)).toBe('code');
  });

  it('that a stranger has held as well signs nobody in, until its owner signs a message that names the profile', async () => {
    const [account, stranger] = [createWallet(), await api.user()];
    await link(account, stranger, { proof: sentence });
    await releaseAddress(api.ledger, lowerAddress(account.address), stranger.profile);
    await link(account, user, { proof: sentence });
    expect(await signIn(account)).toMatch(/^Another profile has held the address/);
    await link(account, user);
    expect(await signIn(account)).toBe('code');
  });

  it('that a stranger has held only by an approval of the sentence on chain signs its owner in by the sentence', async () => {
    const [account, stranger] = [createWallet(), await api.user()];
    await link(account, stranger, { proof: { kind: 'sentence on chain' } });
    await link(account, user, { proof: sentence });
    expect(await signIn(account)).toBe('code');
  });

  it('that its owner takes back from a stranger signs in as the owner', async () => {
    const [account, stranger] = [createWallet(), await api.user()];
    await link(account, stranger, { proof: sentence });
    await link(account, user);
    const { url, verifier } = await authorize(messageFor({ address: account.address }), { signer: account });
    expect(await exchange(api, clientId, url, verifier)).toMatchObject({ userId: user.id, profile: user.profile });
  });

  it("of a partner's customer, who is no user, is refused", async () => {
    const [customer, account] = [await createProfile(api.ledger, { kind: 'personal', name: 'C', state: 'approved' }), createWallet()];
    await link(account, { id: user.id, profile: customer });
    const { answer } = await authorize(messageFor({ address: account.address }), { signer: account });
    expect(answer.get('error')).toBe('access_denied');
  });
});

describe('a link that was made through an application', () => {
  it.each([['the sentence', () => sentence] as const, ['a message', message] as const])(
    'by %s signs in at all, until its user revokes the consent, also when they let it act again later',
    async (_, proof) => {
      const [account, shop, other] = [createWallet(), await api.client(), await api.client()];
      await api.consent(shop, user, 'x'.repeat(43));
      await link(account, user, { source: await granted(shop), proof: proof() });
      expect([await signIn(account, shop), await signIn(account, other)]).toEqual(['code', 'code']);
      await revokeConsent(api.ledger, user.id, shop);
      expect(await signIn(account, other)).toMatch(/no longer lets the application act/);
      await api.consent(shop, user, 'x'.repeat(43));
      expect(await signIn(account, shop)).toMatch(/no longer lets the application act/);
      await link(account, user, { proof: proof() });
      expect([await signIn(account, shop), await signIn(account, other)]).toEqual(['code', 'code']);
    },
  );

  it.each<[string, (thief: { application: string; used: string; newest: string }) => Promise<unknown>, isRevoked?: true]>([
    ['used again for new tokens', async () => {}],
    ['used again to revoke it', async () => {}, true],
    ['used again, as is a later one by whoever used it first,', async ({ application, used }) => refresh(application, used)],
    [
      'used again after whoever used it first has revoked the grant',
      async ({ application, newest }) => revokeToken(api.ledger, application, newest),
    ],
    ['used again after the application got a new secret', async ({ application }) => newSecret(application, { atOnce: true })],
  ])(
    'through a grant of which a used refresh token is %s signs in no more, until it is linked again: one of the two has stolen the token',
    async (_, meanwhile, isRevoked) => {
      const [before, since, other, again] = [createWallet(), createWallet(), createWallet(), createWallet()];
      const { application, refreshToken, source } = await robbed();
      const later = await granted(application);
      await link(before, user, { source, proof: sentence });
      const used = (await refresh(application, refreshToken)) as TokenPair;
      for (const account of [since, again]) await link(account, user, { source, proof: sentence });
      for (const account of [other, again]) await link(account, user, { source: later, proof: sentence });
      const newest = (await refresh(application, used.refreshToken)) as TokenPair;
      expect(await signIn(since)).toBe('code');
      await meanwhile({ application, used: used.refreshToken, newest: newest.refreshToken });
      await (isRevoked ? revokeToken(api.ledger, application, refreshToken) : refresh(application, refreshToken));
      for (const account of [before, since]) expect(await signIn(account)).toMatch(/or somebody else may have linked it by stolen access/);
      await link(before, user, { source: later, proof: sentence });
      for (const account of [before, other, again]) expect(await signIn(account)).toBe('code');
      expect(await refresh(application, newest.refreshToken)).toBe('unknown');
      expect(await refresh(application, refreshToken)).toBe('reused');
      expect(await signIn(other)).toBe('code');
    },
  );

  it('still signs in when the application ends its tokens itself, as at a sign-out', async () => {
    const account = createWallet();
    const { application, refreshToken, source } = await robbed();
    const newest = (await refresh(application, refreshToken)) as TokenPair;
    await link(account, user, { source, proof: sentence });
    await revokeToken(api.ledger, application, newest.refreshToken);
    expect(await signIn(account)).toBe('code');
    expect(await refresh(application, newest.refreshToken)).toBe('unknown');
  });

  it.each<[string, 'after' | 'before']>([
    ['after the account has signed', 'after'],
    ['while the account is waited for', 'before'],
  ])('that waited when its grant was stolen signs in once it is asked for again by another grant, %s', async (_, when) => {
    const account = createWallet();
    const { application, refreshToken } = await robbed();
    const stolen = (await refresh(application, refreshToken)) as TokenPair;
    const message = renderLinkMessage({
      service: new URL(api.url).host,
      profile: user.profile,
      address: account.address,
      chain: 'chiado',
      nonce: randomBytes(8).toString('hex'),
      issuedAt: new Date().toISOString(),
    });
    const ask = async (token: string) => {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
      const body = JSON.stringify({ address: account.address, chain: 'chiado', message, signature: '0x' });
      return (await fetch(`${api.url}/addresses`, { method: 'POST', headers, body })).status;
    };
    const sign = async () => {
      const waiting = api.ledger.selectFrom('signatureRequests').where('address', '=', lowerAddress(account.address));
      const { id } = await waiting.where('state', '=', 'pending').select('id').executeTakeFirstOrThrow();
      await decideSignature(api.ledger, id, { state: 'valid' });
    };
    expect(await ask(stolen.accessToken)).toBe(202);
    expect(await refresh(application, refreshToken)).toBe('reused');
    if (when === 'after') {
      await sign();
      expect(await signIn(account)).toMatch(/or somebody else may have linked it by stolen access/);
    }
    const { accessToken } = await issueTokens(api.ledger, { id: application, kind: 'private', owner: user.id });
    expect(await ask(accessToken)).toBe(when === 'after' ? 201 : 202);
    if (when === 'before') await sign();
    expect(await signIn(account)).toBe('code');
  });

  it.each<[string, (at: { application: string; since: Date; evil: PrivateKeyAccount }) => Promise<unknown>, relinks?: number]>([
    // However often they link it again by what comes from it, where it began is not forgotten.
    ['the secret was stolen', async ({ application, since }) => newSecret(application, { stolenSince: since }), 17],
    [
      'the secret was stolen, and the first wallet has gone to another profile',
      async ({ application, since, evil }) => {
        await releaseAddress(api.ledger, lowerAddress(evil.address), user.profile);
        await newSecret(application, { stolenSince: since });
      },
    ],
    ['the user revokes the consent', async ({ application }) => revokeConsent(api.ledger, user.id, application)],
  ])('takes with it the tokens that were obtained by it, and what these linked: %s', async (_, end, relinks = 1) => {
    const permissions: Permission[] = ['read', 'write'];
    const [stolen, other, third] = [await api.client(), await api.client({ permissions }), await api.client({ permissions })];
    await api.consent(stolen, user, 'x'.repeat(43));
    const [honest, own] = [createWallet(), createWallet()];
    const [evil, second, last, late] = [createWallet(), createWallet(), createWallet(), createWallet()];
    await link(honest, user);
    const owner = await tokensBy(honest, other);
    await post(own, owner.access_token);
    const { now } = await api.ledger.selectNoFrom(sql<Date>`clock_timestamp()`.as('now')).executeTakeFirstOrThrow();
    await link(evil, user, { source: await granted(stolen), proof: sentence });
    const thief = await tokensBy(evil, other);
    for (const account of [evil, second]) await post(account, thief.access_token);
    const more = await tokensBy(second, third);
    for (const account of [evil, last]) await post(account, more.access_token);
    for (let times = 0; times < relinks; times += 1) await post(evil, (await tokensBy(second, third)).access_token);
    const unredeemed = await authorize(messageFor({ address: last.address }), { signer: last });
    expect(unredeemed.answer.has('code')).toBe(true);
    const source = await grantOf(thief.access_token);
    await end({ application: stolen, since: now, evil });
    // A worker may still decide what the thief has asked for.
    await link(late, user, { source });
    // The owner takes over the wallet that the thief had linked: what it was signed in for before stays ended.
    await link(evil, user);
    await link(second, user, { source });
    for (const account of [second, last, late]) expect(await signIn(account)).not.toBe('code');
    expect(
      await Promise.all([thief, more, owner].map(async ({ access_token: token }) => findCaller(api.ledger, hashSecret(token)))),
    ).toEqual([undefined, undefined, expect.objectContaining({ user: user.id })]);
    expect(await refresh(other, thief.refresh_token)).toBe('unknown');
    expect(await exchange(api, clientId, unredeemed.url, unredeemed.verifier)).toMatchObject({ error: 'invalid_grant' });
    expect(await refresh(other, owner.refresh_token)).toMatchObject({ user: user.id });
    expect([await signIn(honest), await signIn(own)]).toEqual(['code', 'code']);
  });

  it.each<[string, (access: Access) => Promise<unknown>]>([
    ['its refresh token is used again', async ({ application, refreshToken }) => refresh(application, refreshToken)],
    ['its secret was stolen', async ({ application, since }) => newSecret(application, { stolenSince: since })],
    ['its user revokes the consent', async ({ application }) => revokeConsent(api.ledger, user.id, application)],
  ])('at the moment at which %s signs in no more, whether a key has signed or a worker decides', async (_, end) => {
    for (const how of ['by a key', 'by a worker'] as const) {
      const [account, access] = [createWallet(), await usersAccess()];
      const address = lowerAddress(account.address);
      const sources = [{ grant: access.caller.grant }];
      const draft = {
        profile: user.profile,
        address,
        chain: 'chiado',
        user: user.id,
        sources,
        proof: { kind: 'sentence', signer: 'contract' },
      } as const;
      const asked = { kind: 'linkAddress', draft, digest: '0x04', signature: '0xab', correlationId: null } as const;
      const id = how === 'by a worker' ? await withValidToken(api.ledger, access.caller, (tx) => requestSignature(tx, asked)) : undefined;
      const linkIt = async (tx: LedgerTransaction) =>
        id === undefined
          ? withValidToken(tx, access.caller, () => linkAddress(tx, { ...draft, proof: sentence }))
          : decideSignature(tx, id, { state: 'valid' });
      const { ending } = await inTransaction(api.ledger, async (tx) => {
        await linkIt(tx);
        const begun = end(access);
        if (how === 'by a key') await untilWaiting(api.ledger);
        else await begun;
        return { ending: begun };
      });
      await ending;
      expect([how, await signIn(account)]).toEqual([how, expect.stringMatching(/no longer lets the application act/)]);
      await expect(withValidToken(api.ledger, access.caller, async () => 'linked')).rejects.toMatchObject({ code: 'not_authenticated' });
    }
  });

  it('by a contract on one chain ends with what was done by it, although its address is linked on another, where it may be of somebody else', async () => {
    const [contract, linked] = [createWallet(), createWallet()];
    const [stolen, other] = [await usersAccess(), await api.client()];
    const [address, chain] = [lowerAddress(contract.address), 'basesepolia'] as const;
    await link(contract, user);
    await linkAddress(api.ledger, {
      ...user,
      user: user.id,
      address,
      chain,
      proof: message(),
      sources: [{ grant: stolen.caller.grant }],
    });
    const codes = [undefined, chain].map((on) => codeBy(contract, other, on));
    const [byKey, byContract] = await Promise.all(codes.map(async (code) => redeem(other, await code)));
    await link(linked, user, { source: await grantOf(byContract?.accessToken ?? '') });
    expect(await signIn(linked)).toBe('code');
    await newSecret(stolen.application, { stolenSince: stolen.since });
    expect(await signIn(linked)).toMatch(/no longer lets the application act/);
    const callers = [byKey, byContract].map(async (pair) => findCaller(api.ledger, hashSecret(pair?.accessToken ?? '')));
    expect(await Promise.all(callers)).toEqual([expect.objectContaining({ user: user.id }), undefined]);
    await link(linked, user, { source: await grantOf(byKey?.accessToken ?? '') });
    expect(await signIn(linked)).toBe('code');
  });

  it('signs in no more when it was made since somebody else may have had the secret, as the operator says who makes a new one', async () => {
    const [shop, other] = [await api.client(), await api.user()];
    for (const by of [user, other]) await api.consent(shop, by, 'x'.repeat(43));
    const own = await createApplication(api.ledger, { kind: 'private', name: 'Own', owner: user.id });
    const [before, since, elsewhere, ofAnother] = [createWallet(), createWallet(), createWallet(), createWallet()];
    // An access token of the second was good at the time of the theft, and may have been taken with the secret.
    const [earlier, validThen] = [await granted(own.id), await granted(own.id)];
    for (const [{ grant }, minutes] of [
      [earlier, 61],
      [validThen, 59],
    ] as const)
      await sql`update grants set made_at = now() - make_interval(mins => ${minutes}) where id = ${grant}`.execute(api.ledger);
    await link(before, user, { source: earlier });
    const { now } = await api.ledger.selectNoFrom(sql<Date>`clock_timestamp()`.as('now')).executeTakeFirstOrThrow();
    await link(since, user, { source: validThen });
    await link(elsewhere, user, { source: await granted(shop) });
    await link(ofAnother, other, { source: await granted(shop, other) });
    await newSecret(own.id);
    const signIns = async () => Promise.all([before, since, elsewhere, ofAnother].map((account) => signIn(account)));
    expect(await signIns()).toEqual(['code', 'code', 'code', 'code']);
    const [code, ended] = ['code', expect.stringMatching(/no longer lets the application act/)];
    await newSecret(own.id, { stolenSince: now });
    expect(await signIns()).toEqual([code, ended, code, code]);
    await newSecret(shop, { stolenSince: now });
    expect(await signIns()).toEqual([code, ended, ended, ended]);
    const audited = api.ledger.selectFrom('auditLog').where('action', '=', 'address.end-sign-in').select('subject');
    const addresses = [since, elsewhere, ofAnother].map((account) => lowerAddress(account.address));
    expect((await audited.execute()).map(({ subject }) => subject)).toEqual(expect.arrayContaining(addresses));
  });

  it('after a sign-in by a wallet signs in for as long as that wallet does, and again when it is linked again', async () => {
    const [first, second, shop] = [createWallet(), createWallet(), await api.client()];
    await link(first, user);
    const { access_token: token, refresh_token: refreshToken } = await tokensBy(first, shop);
    const source = await grantOf(token);
    await link(second, user, { source });
    expect(await signIn(second)).toBe('code');
    await releaseAddress(api.ledger, lowerAddress(first.address), user.profile);
    expect(await signIn(second)).toMatch(/no longer lets the application act/);
    await link(first, user);
    await link(second, user, { source });
    expect(await signIn(second)).toMatch(/no longer lets the application act/);
    expect([await findCaller(api.ledger, hashSecret(token)), await refresh(shop, refreshToken)]).toEqual([undefined, 'unknown']);
    await link(second, user, { source: await granted(shop) });
    expect(await signIn(second)).toBe('code');
  });

  it("signs in everywhere when the application is the user's own, until that is disabled, which ends older sign-ins with their access tokens", async () => {
    const [account, shop] = [createWallet(), await api.client()];
    const { id } = await createApplication(api.ledger, { kind: 'private', name: 'Own', owner: user.id });
    await link(account, user, { source: await granted(id) });
    const tokens = await tokensBy(account, shop);
    const { refreshToken } = (await refresh(shop, tokens.refresh_token)) as TokenPair;
    await disableApplication(api.ledger, id);
    expect(await signIn(account)).toMatch(/no longer lets the application act/);
    expect(await refresh(shop, refreshToken)).toBe('unknown');
  });

  it('signs in no user who has a second factor', async () => {
    const [account, careful] = [createWallet(), await api.user()];
    await link(account, careful);
    await sql`insert into totp_seeds (user_id, seed, activated_at) values (${careful.id}, '', now())`.execute(api.ledger);
    expect(await signIn(account)).toMatch(/has a second factor/);
  });
});

describe('a contract account', () => {
  it('is asked on its chain, and completes authorization when it recognises the signature', async () => {
    const account = createWallet();
    await link(account, user);
    const asked = authorize(messageFor({ address: account.address }), { signature: `0x${'ab'.repeat(130)}` });
    await decideNext({ state: 'valid' });
    const { url, verifier: codeVerifier } = await asked;
    const { access_token: token } = await exchange(api, clientId, url, codeVerifier);
    expect(await findCaller(api.ledger, hashSecret(token))).toMatchObject({ authorization: { subject: account.address, chain: 'chiado' } });
  });

  it('is asked later when too many sign-ins wait, which count apart from what its owner has checked, and the answer is that for an unknown one', async () => {
    const [account, stranger] = [createWallet(), createWallet()];
    await link(account, user);
    const address = lowerAddress(account.address);
    const request = { digest: '0x01', signature: '0xab', correlationId: null };
    const draft = { profile: user.profile, address, chain: 'chiado' as const, user: user.id };
    const signIn = await requestSignature(api.ledger, { ...request, kind: 'linkAddress', draft: { ...draft, signsIn: true } });
    const [linked, unknown] = await Promise.all([account, stranger].map((of) => refused(of)));
    expect(linked).toEqual(unknown);
    expect(linked).toContainEqual(['error', 'access_denied']);
    expect((await listDueSignatures(api.ledger, 'chiado', 'in request')).map(({ id }) => id)).toEqual([signIn]);
    const linking = await requestSignature(api.ledger, { ...request, kind: 'linkAddress', digest: '0x02', draft });
    expect(linking).toBeDefined();
    for (const id of [signIn, linking]) await decideSignature(api.ledger, id ?? '', { state: 'invalid', reason: 'not signed' });
  });

  it('that is not linked is not asked, and the answer is that of a wrong signature, or of an account that takes any', async () => {
    const [stranger, account] = [createWallet(), createWallet()];
    await link(account, user);
    const answers: [string, string][][] = [];
    for (const verdict of [
      { state: 'invalid', reason: 'there is no contract at the address' },
      { state: 'valid', isForAnyBytes: true },
    ] as const) {
      const asked = refused(account);
      await decideNext(verdict);
      answers.push(await asked);
    }
    answers.push(await refused(stranger));
    expect(answers[0]).toContainEqual(['error', 'access_denied']);
    expect(answers).toEqual([answers[0], answers[0], answers[0]]);
    expect(await listDueSignatures(api.ledger, 'chiado', 'in request')).toEqual([]);
  });

  it('that signs and is linked by an approval of the sentence on chain is told what to do, also when it is linked otherwise elsewhere', async () => {
    const account = createWallet();
    const address = lowerAddress(account.address);
    await link(account, user, { proof: { kind: 'sentence on chain' } });
    await linkAddress(api.ledger, { ...user, user: user.id, address, chain: 'basesepolia', proof: message(), sources: ['hosted pages'] });
    const asked = authorize(messageFor({ address: account.address }), { signature: `0x${'ab'.repeat(130)}` });
    await decideNext({ state: 'valid' });
    expect((await asked).description).toMatch(/^The account has only approved the fixed sentence on chain.* by a linking message/);
  });
});

/** The answer to a sign-in by bytes that the account has not signed, which comes when the longest wait for a verdict is over: its time says nothing either. */
async function refused(account: PrivateKeyAccount): Promise<[string, string][]> {
  const startedAt = performance.now();
  const { answer } = await authorize(messageFor({ address: account.address }), { signature: `0x${'ab'.repeat(130)}` });
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(verdictTimeoutMs - clockToleranceMs);
  return [...answer];
}

function swapCase(text: string): string {
  return text.replaceAll(/[a-z]/gi, (letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()));
}

/** A network's worker with this verdict. */
async function decideNext(verdict: Parameters<typeof decideSignature>[2]): Promise<void> {
  const pending = await until('a signature to check', async () => (await listDueSignatures(api.ledger, 'chiado', 'in request')).at(0));
  await decideSignature(api.ledger, pending.id, verdict);
}

/** Makes a new secret of an application, which from then on proves itself by it: most of these are public, because that takes fewer steps. */
async function newSecret(application: string, rotation: Rotation = {}) {
  await api.ledger.updateTable('applications').set({ isConfidential: true }).where('id', '=', application).execute();
  return rotateSecret(api.ledger, application, rotation);
}
