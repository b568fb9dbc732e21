import { type Address, hashMessage, parseAbi } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proveAndLink } from '../../src/api/customers/prove-and-link.ts';
import { linkMessage, linkMessageFor } from '../../src/client/index.ts';
import type { RunningHead } from '../../src/chain/head.ts';
import { contestedLinks, decideContest } from '../../src/ledger/orders/contested-links.ts';
import { lowerAddress } from '../../src/platform/addresses.ts';
import { createCustomer, type TestCustomer } from '../support/customer.ts';
import { execute, fundedAccount } from '../support/chain/local-chain.ts';
import { approveWithSafe, createSafe, deploySafeSuite, type SafeSuite, signWithSafe } from '../support/chain/safe.ts';
import { deployWallet } from '../support/chain/wallets.ts';
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

/** `POST /addresses`, with the worker at work. */
async function link(by: TestCustomer, address: Address, message: string = linkMessage, signature: `0x${string}` = '0x') {
  const proof = { profile: by.profile, user: by.user, address: lowerAddress(address), chain: 'chiado' as const, message, signature };
  const answer = proveAndLink({ ledger: stage.ledger, settings: stage.network.settings }, proof, 'test');
  return answer.then(
    (linked) => (linked ? 'linked' : 'waits'),
    (error: { fields?: object }) => error.fields,
  );
}

const profilesAt = async (address: Address) => (await stage.links(address)).map(({ profile }) => profile);
const confirm = () => stage.mineAndLook(head, confirmations);

async function passHours(hours: number) {
  await stage.chain.increaseTime({ seconds: hours * 3_600 });
  await stage.mineAndLook(head, 1);
}

describe('a contract account that has signed the sentence on chain', () => {
  const tooEarly = { signature: expect.stringMatching(/too long before this request.* linking message/) };

  it('long before, for any service, is not linked to a stranger who asks', async () => {
    const safe = await newSafe();
    await approve(safe, linkMessage);
    await passHours(2);
    expect(await link(stranger, safe)).toEqual(tooEarly);
    await confirm();
    expect(await profilesAt(safe)).toEqual([]);
  });

  it('within the hour before is linked, and so is one that signs after the request', async () => {
    const [before, after] = [await newSafe(), await newSafe()];
    await approve(before, linkMessage);
    await passHours(0.9);
    expect([await link(owner, before), await link(owner, after)]).toEqual(['waits', 'waits']);
    await approve(after, linkMessage);
    await confirm();
    expect([await profilesAt(before), await profilesAt(after)]).toEqual([[owner.profile], [owner.profile]]);
  });

  it('and leaves no trace of when, is linked only if it did not count at the time of the request', async () => {
    const [early, late] = [await deployWallet(stage.chain, 'ApprovingWallet'), await deployWallet(stage.chain, 'ApprovingWallet')];
    const sign = (wallet: Address) =>
      execute(stage.chain, wallet, parseAbi(['function approve(bytes32 hash, bool approves)']), 'approve', [
        hashMessage(linkMessage),
        true,
      ]);
    await sign(early);
    await stage.mineAndLook(head, 1);
    expect([await link(stranger, early), await link(owner, late)]).toEqual([tooEarly, 'waits']);
    await sign(late);
    await confirm();
    expect([await profilesAt(early), await profilesAt(late)]).toEqual([[], [owner.profile]]);
  });

  it('while two profiles wait is linked to neither, until an operator decides', async () => {
    const safe = await newSafe();
    expect([await link(stranger, safe), await link(owner, safe)]).toEqual(['waits', 'waits']);
    await approve(safe, linkMessage);
    await confirm();
    expect(await profilesAt(safe)).toEqual([]);
    const [contest] = await contestedLinks(stage.ledger, 10);
    expect(contest).toMatchObject({ address: lowerAddress(safe), chain: 'chiado' });
    expect(contest?.profiles.toSorted()).toEqual([owner.profile, stranger.profile].toSorted());

    expect(await decideContest(stage.ledger, lowerAddress(safe), 'chiado', owner.profile)).toBe(1);
    await stage.mineAndLook(head, 1);
    expect(await profilesAt(safe)).toEqual([owner.profile]);
    expect(await contestedLinks(stage.ledger, 10)).toEqual([]);
  });
});

describe('a linking message', () => {
  it('signed on chain, decides between the profiles that wait', async () => {
    const safe = await newSafe();
    const message = messageOf(owner, safe);
    expect([await link(stranger, safe), await link(owner, safe), await link(owner, safe, message)]).toEqual(['waits', 'waits', 'waits']);
    await approve(safe, linkMessage);
    await approve(safe, message);
    await confirm();
    expect(await profilesAt(safe)).toEqual([owner.profile]);
  });

  it('signed off chain, takes a Safe back from who linked it by the sentence, with the orders that wait for its signature', async () => {
    const safe = await newSafe();
    const ofAnother = await signWithSafe(suite, safe, owners, linkMessage);
    expect(await link(stranger, safe, linkMessage, ofAnother)).toBe('linked');
    const { order } = await stage.order({ address: safe }, { profile: stranger.profile });
    const message = messageOf(owner, safe);
    expect(await link(owner, safe, message, await signWithSafe(suite, safe, owners, message))).toBe('linked');
    expect(await profilesAt(safe)).toEqual([owner.profile]);
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
