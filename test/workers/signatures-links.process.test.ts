import { type Address, hashMessage, serializeErc6492Signature } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proveAndLink, type WithAccess } from '../../src/api/customers/prove-and-link.ts';
import { linkMessage, linkMessageFor } from '../../client/index.ts';
import type { RunningHead } from '../../src/chain/head.ts';
import { contestedLinks, decideContest } from '../../src/ledger/orders/contested-links.ts';
import { listEndedLinks } from '../../src/ledger/orders/signature-queries.ts';
import { requestSignature } from '../../src/ledger/orders/signature-requests.ts';
import { inTransaction } from '../../src/ledger/ledger.ts';
import { lowerAddress } from '../../src/platform/addresses.ts';
import { createCustomer, type TestCustomer } from '../support/customer.ts';
import { fundedAccount } from '../support/chain/local-chain.ts';
import { approveWithSafe, createSafe, deploySafeSuite, type SafeSuite, signWithSafe } from '../support/chain/safe.ts';
import { deployStub } from '../support/chain/wallets.ts';
import { until } from '../support/until.ts';
import { setUpSignatureChecks, type SignatureChecks } from './signature-checks.ts';

const owners = [fundedAccount(2), fundedAccount(3)];
const confirmations = 2;

let stage: SignatureChecks;
let suite: SafeSuite;
let head: RunningHead;
let owner: TestCustomer;
let stranger: TestCustomer;
let salt = 1;

beforeAll(async () => {
  stage = await setUpSignatureChecks({ CHIADO_CONFIRMATIONS: String(confirmations) });
  suite = await deploySafeSuite(stage.chain, stage.network.anvil.url, '1.4.1');
  ({ head } = stage.start());
  owner = await createCustomer(stage.ledger, 'chiado');
  stranger = await createCustomer(stage.ledger, 'chiado');
});

afterAll(() => stage.close());

async function newSafe(): Promise<Address> {
  salt += 1;
  return createSafe(stage.chain, suite, { owners: owners.map(({ address }) => address), threshold: 2, saltNonce: salt });
}

const approve = (safe: Address, text: string) => approveWithSafe(stage.chain, suite, safe, owners, text);
const messageOf = (by: TestCustomer, address: Address) =>
  linkMessageFor({ baseUrl: 'http://localhost:3000', profile: by.profile, address, chain: 'chiado' });

const withAccess: WithAccess = (write) => inTransaction(stage.ledger, write);

/** `POST /addresses`, with the worker at work. */
async function link(by: TestCustomer, address: Address, message: string = linkMessage, signature: `0x${string}` = '0x') {
  const proof = { profile: by.profile, user: by.user, address: lowerAddress(address), chain: 'chiado' as const, message, signature };
  const ask = () =>
    proveAndLink({ ledger: stage.ledger, settings: stage.network.settings, withAccess }, proof, 'test').then(
      (linked) => ('isContested' in linked ? (linked.isContested ? 'contested' : 'waits') : 'linked'),
      (error: { fields?: object }) => error.fields,
    );
  if (signature === '0x') return ask();
  // A busy worker decides after the request has been answered.
  return until('the signature is decided', async () => {
    const answer = await ask();
    return answer === 'waits' ? undefined : { answer };
  }).then(({ answer }) => answer);
}

const profilesAt = async (address: Address) => (await stage.links(address)).map(({ profile }) => profile);
/** The links of an address, once it has one. */
const linksOf = (address: Address) =>
  until('it is linked', async () => {
    const links = await stage.links(address);
    return links.length === 0 ? undefined : links;
  });
const contestedAddresses = async () => (await contestedLinks(stage.ledger, 10)).map(({ address }) => address);
/** What an account answers that looks at nothing. */
const takesAnything = `0x1626ba7e${'00'.repeat(28)}` as const;
const confirm = () => stage.mineAndLook(head, confirmations);

describe('a contract account that approves the sentence on chain', () => {
  it('is linked at the next look, however long ago it did, as one that has proved less than a signature', async () => {
    const [before, after] = [await newSafe(), await newSafe()];
    await approve(before, linkMessage);
    await stage.chain.increaseTime({ seconds: 30 * 86_400 });
    await stage.mineAndLook(head, 1);
    expect([await link(owner, before), await link(owner, after)]).toEqual(['waits', 'waits']);
    await approve(after, linkMessage);
    await confirm();
    const linked = { profile: owner.profile, chain: 'chiado', proof: 'sentence on chain' };
    for (const safe of [before, after]) expect(await linksOf(safe)).toEqual([linked]);
    expect(await link(owner, before, linkMessage, await signWithSafe(suite, before, owners, linkMessage))).toBe('linked');
    expect(await stage.links(before)).toEqual([{ ...linked, proof: 'sentence' }]);
  });

  it('has proved no more when it takes any bytes for its signature, of whatever message, and signs nobody in by them', async () => {
    const lenient = await deployStub(stage.chain, { answer: takesAnything });
    expect(await link(owner, lenient, linkMessage, '0x5afe')).toBe('linked');
    expect(await link(owner, lenient, messageOf(owner, lenient), '0x5afe')).toBe('linked');
    expect(await stage.links(lenient)).toEqual([{ profile: owner.profile, chain: 'chiado', proof: 'sentence on chain' }]);
    expect(await link(stranger, lenient, messageOf(stranger, lenient), '0x5afe')).toEqual({ address: 'already linked' });
    const draft = { profile: owner.profile, address: lowerAddress(lenient), chain: 'chiado' as const, user: owner.user, signsIn: true };
    const signIn = { kind: 'linkAddress' as const, draft, digest: hashMessage('sign in'), signature: '0x5afe', correlationId: null };
    const { state, reason } = await stage.decided((await requestSignature(stage.ledger, signIn)) as string);
    expect([state, reason]).toEqual(['invalid', 'the account takes any bytes for its signature']);
  });

  it('and takes any bytes for its signature is contested all the same, whatever a profile sends, and however often', async () => {
    const lenient = await deployStub(stage.chain, { answer: takesAnything });
    expect([await link(owner, lenient), await link(stranger, lenient)]).toEqual(['waits', 'contested']);
    for (let time = 0; time < 2; time += 1) expect(await link(stranger, lenient, linkMessage, '0x5afe')).toBe('contested');
    expect(await profilesAt(lenient)).toEqual([]);
    expect((await stage.requests()).filter(({ address }) => address === lowerAddress(lenient))).toHaveLength(3);
  });

  it('is taken back from who used that by a signature of the sentence, and by nothing that anybody could send', async () => {
    const safe = await newSafe();
    await approve(safe, linkMessage);
    await stage.mineAndLook(head, confirmations);
    const wrapped = serializeErc6492Signature({ address: owner.address, data: '0x', signature: '0x' });
    expect(await link(stranger, safe, linkMessage, wrapped)).toBe('linked');
    expect(await stage.links(safe)).toMatchObject([{ proof: 'sentence on chain' }]);
    for (const anybodys of ['0x', wrapped] as const)
      expect(await link(owner, safe, linkMessage, anybodys)).toEqual({ address: 'already linked' });
    const signature = await signWithSafe(suite, safe, owners, linkMessage);
    expect(await link(owner, safe, linkMessage, signature)).toBe('linked');
    expect(await stage.links(safe)).toEqual([{ profile: owner.profile, chain: 'chiado', proof: 'sentence' }]);
    expect(await link(stranger, safe, linkMessage, signature)).toEqual({ address: 'already linked' });
  });

  it('is linked to no other profile then, whether the other waited before or asks now', async () => {
    const safe = await newSafe();
    expect([await link(stranger, safe), await link(owner, safe)]).toEqual(['waits', 'contested']);
    expect(await link(owner, safe, linkMessage, await signWithSafe(suite, safe, owners, linkMessage))).toBe('linked');
    expect(await contestedAddresses()).not.toContain(lowerAddress(safe));
    // At its next look, whose time depends on how old the request is.
    const ended = await until('who waited is told how it ended', async () => {
      await stage.mineAndLook(head, 1);
      const links = await listEndedLinks(stage.ledger, { profile: stranger.profile, address: lowerAddress(safe) });
      return links.length > 0 ? links : undefined;
    });
    expect(ended).toMatchObject([{ state: 'invalid', reason: 'already linked' }]);
    expect(await link(stranger, safe)).toEqual({ address: 'already linked' });
    expect(await link(stranger, safe, messageOf(stranger, safe))).toBe('waits');
  });

  it('while two approved profiles wait is linked to neither, for as long as nobody decides', async () => {
    const safe = await newSafe();
    expect([await link(stranger, safe), await link(owner, safe)]).toEqual(['waits', 'contested']);
    await confirm();
    // Two customers who wait for an account that signs nothing are nobody's business.
    expect(await contestedAddresses()).not.toContain(lowerAddress(safe));
    await approve(safe, linkMessage);
    await confirm();
    for (const { id, address } of await stage.requests()) if (address === lowerAddress(safe)) await stage.makeOld(id, 6);
    expect(await link(stranger, safe)).toBe('contested');
    await confirm();
    expect(await profilesAt(safe)).toEqual([]);
    const contest = (await contestedLinks(stage.ledger, 10)).find(({ address }) => address === lowerAddress(safe));
    expect(contest?.chain).toBe('chiado');
    expect(contest?.profiles.toSorted()).toEqual([owner.profile, stranger.profile].toSorted());

    expect(await decideContest(stage.ledger, lowerAddress(safe), 'chiado', owner.profile)).toBe(1);
    await stage.mineAndLook(head, 1);
    expect(await linksOf(safe)).toMatchObject([{ profile: owner.profile }]);
    expect(await contestedAddresses()).not.toContain(lowerAddress(safe));
  });

  it('is held up by no profile that nobody has approved', async () => {
    const safe = await newSafe();
    const anybody = await createCustomer(stage.ledger, 'chiado');
    await stage.ledger.updateTable('profiles').set({ state: 'incomplete' }).where('id', '=', anybody.profile).execute();
    expect([await link(anybody, safe), await link(owner, safe), await link(anybody, safe)]).toEqual(['waits', 'waits', 'contested']);
    await approve(safe, linkMessage);
    await confirm();
    expect(await linksOf(safe)).toMatchObject([{ profile: owner.profile }]);
  });
});

it('a profile that nobody has approved and was linked first gives the account to an approved one, and takes it from none', async () => {
  const [safe, later] = [await newSafe(), await newSafe()];
  const anybody = await createCustomer(stage.ledger, 'chiado');
  const setState = (state: 'incomplete' | 'approved') =>
    stage.ledger.updateTable('profiles').set({ state }).where('id', '=', anybody.profile).execute();
  await setState('incomplete');
  for (const account of [safe, later]) {
    expect(await link(anybody, account)).toBe('waits');
    await approve(account, linkMessage);
  }
  await confirm();
  for (const account of [safe, later]) expect(await linksOf(account)).toMatchObject([{ profile: anybody.profile }]);
  expect(await link(owner, safe)).toBe('waits');
  await until('it is linked to the approved profile', async () => {
    await stage.mineAndLook(head, 1);
    return (await profilesAt(safe)).includes(owner.profile) || undefined;
  });
  expect(await link(anybody, safe)).toEqual({ address: 'already linked' });
  await setState('approved');
  expect(await link(owner, later)).toEqual({ address: 'already linked' });
});

describe('a linking message', () => {
  it('signed on chain, decides between the profiles that wait', async () => {
    const safe = await newSafe();
    const message = messageOf(owner, safe);
    expect([await link(stranger, safe), await link(owner, safe), await link(owner, safe, message)]).toEqual([
      'waits',
      'contested',
      'waits',
    ]);
    await approve(safe, linkMessage);
    await approve(safe, message);
    await confirm();
    expect(await linksOf(safe)).toMatchObject([{ profile: owner.profile }]);
    const ended = await until('all are decided', async () => {
      // A request that was being decided when the address was linked is decided at a later look.
      await stage.mineAndLook(head, 1);
      const requests = (await stage.requests()).filter(({ address }) => address === lowerAddress(safe));
      return requests.every(({ state }) => state !== 'pending') ? requests : undefined;
    });
    expect(ended.map(({ state, reason }) => reason ?? state).toSorted()).toEqual(['already linked', 'valid', 'valid']);
  });

  it('signed off chain, takes a Safe back from who linked it by the sentence, with the orders that wait for its signature', async () => {
    const safe = await newSafe();
    const ofAnother = await signWithSafe(suite, safe, owners, linkMessage);
    expect(await link(stranger, safe, linkMessage, ofAnother)).toBe('linked');
    const { order } = await stage.order({ address: safe }, { profile: stranger.profile });
    const message = messageOf(owner, safe);
    expect(await link(owner, safe, message, await signWithSafe(suite, safe, owners, message))).toBe('linked');
    expect(await linksOf(safe)).toMatchObject([{ profile: owner.profile }]);
    await stage.mineAndLook(head, 1);
    await until('the order is rejected', async () => (await stage.orderState(order))?.startsWith('rejected'));
    const row = await stage.ledger.selectFrom('orders').where('id', '=', order).select('rejectedReason').executeTakeFirst();
    expect(row?.rejectedReason).toBe('the address is no longer linked to the profile');
    expect(await link(stranger, safe, linkMessage, ofAnother)).toEqual({ address: 'already linked' });
  });

  it('is no proof for another profile', async () => {
    const safe = await newSafe();
    const message = messageOf(owner, safe);
    const signature = await signWithSafe(suite, safe, owners, message);
    expect(await link(stranger, safe, message, signature)).toEqual({ message: expect.stringMatching(/^Profile must be/) });
  });
});
