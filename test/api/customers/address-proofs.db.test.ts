import type { PrivateKeyAccount } from 'viem/accounts';
import { beforeAll, describe, expect, it } from 'vitest';
import { linkMessageFor } from '../../../client/index.ts';
import { recordCredits } from '../../../src/ledger/bank/credits.ts';
import { assignIbans } from '../../support/assign-ibans.ts';
import { releaseAddress } from '../../../src/ledger/customers/release-address.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { creditTo } from '../../support/credits.ts';
import { createTestApi, createWallet, linkBody, type Partner } from '../support/test-api.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const api = forWholeFile(createTestApi);
let owner: Partner;
let stranger: Partner;

beforeAll(async () => {
  owner = await api.partner();
  stranger = await api.partner();
});

type Lines = Partial<Parameters<typeof linkMessageFor>[0]>;

/** The body of a request with a linking message for the owner's profile. */
async function proof(wallet: PrivateKeyAccount, change: Lines = {}) {
  const lines = { baseUrl: 'http://localhost:3000', profile: owner.profile, address: wallet.address, chain: 'chiado' as const, ...change };
  const message = linkMessageFor(lines);
  return { address: wallet.address, chain: lines.chain, message, signature: await wallet.signMessage({ message }) };
}

describe('a linking message', () => {
  it.each<[string, Lines, RegExp]>([
    ['another service', { baseUrl: 'https://ledger.example' }, /^Service must be localhost:3000$/],
    ['another profile', { profile: '7b0f3f0c-90de-4f37-a1a5-000000000000' }, /^Profile must be/],
    ['another address', { address: `0x${'ab'.repeat(20)}` }, /^Address must be/],
    ['the future', { at: new Date(Date.now() + 600_000) }, /^Issued At is in the future$/],
    ['two hours ago', { at: new Date(Date.now() - 7_200_000) }, /^Issued At is too long ago$/],
  ])('of %s is refused', async (_, change, problem) => {
    const wallet = createWallet();
    const { status, json } = await owner.post('/addresses', await proof(wallet, change));
    expect([status, json.errors]).toEqual([400, { message: expect.stringMatching(problem) }]);
  });

  it('of another chain is refused, and so is one with a line that does not belong there', async () => {
    const body = await proof(createWallet());
    const elsewhere = await owner.post('/addresses', { ...body, chain: 'basesepolia' });
    expect(elsewhere.json.errors).toEqual({ message: 'Chain must be basesepolia' });
    const longer = await owner.post('/addresses', { ...body, message: `${body.message}\nExtra: 1` });
    expect(longer.json.errors.message).toMatch(/^must be exactly/);
  });

  it('links, and links again with the same answer, and no other time: its nonce is used up', async () => {
    const wallet = createWallet();
    const body = await proof(wallet);
    const { status, json } = await owner.post('/addresses', body);
    expect([status, json.chains]).toEqual([201, ['chiado']]);
    expect(await owner.post('/addresses', body)).toMatchObject({ status: 201, json });
    await releaseAddress(api.ledger, lowerAddress(wallet.address), owner.profile);
    expect((await owner.post('/addresses', body)).json.errors).toEqual({ message: 'already used' });
    expect((await owner.post('/addresses', await proof(wallet))).status).toBe(201);
  });
});

describe('an address that a stranger linked by a signature of the sentence that circulates', () => {
  it('is taken back by its owner; payments to the IBAN of the stranger wait, and the stranger is told', async () => {
    const wallet = await stranger.link();
    await stranger.post('/ibans', { address: wallet.address, chain: 'chiado' });
    await assignIbans(api.ledger);
    const [iban] = (await stranger.get('/ibans')).json.ibans;
    expect(iban.linked).toBe(true);

    expect((await owner.post('/addresses', await linkBody(wallet))).json.errors).toEqual({ address: 'already linked' });
    expect((await owner.post('/addresses', await proof(wallet))).status).toBe(201);
    expect((await stranger.get(`/addresses/${wallet.address}`)).status).toBe(403);
    expect((await owner.get(`/addresses/${wallet.address}`)).json.profile).toBe(owner.profile);
    expect((await stranger.post('/addresses', await linkBody(wallet))).json.errors).toEqual({ address: 'already linked' });

    expect((await stranger.get('/ibans')).json.ibans).toEqual([{ ...iban, linked: false }]);
    const events = api.ledger.selectFrom('events').where('profile', '=', stranger.profile).where('type', '=', 'iban.updated');
    expect((await events.select('data').orderBy('id', 'desc').executeTakeFirst())?.data).toMatchObject({ iban: iban.iban, linked: false });
    const unlinked = api.ledger.selectFrom('auditLog').where('action', '=', 'address.unlink');
    expect(await unlinked.where('subject', '=', lowerAddress(wallet.address)).select(['actor', 'detail']).executeTakeFirst()).toMatchObject(
      {
        detail: { profile: stranger.profile },
      },
    );

    const credit = creditTo(iban.iban, 1_000n);
    const options = { source: 'statement.xml', defaultMemo: 'memo', tokens: ['chiado:eur'] };
    const [waits] = await recordCredits(api.ledger, [credit], options);
    expect(waits?.state).toBe('unmatched');
    const other = await stranger.link();
    expect((await stranger.patch(`/ibans/${iban.iban}`, { address: other.address, chain: 'chiado' })).json.linked).toBe(true);
    const [matched] = await recordCredits(api.ledger, [creditTo(iban.iban, 1_000n)], options);
    expect(matched?.state).toBe('matched');
  });

  it('on several chains is taken back from all of them by its key, and by a contract only if the stranger has it nowhere else', async () => {
    const [byKey, contract] = [createWallet(), createWallet()];
    const signature = `0x${'5afe'.repeat(60)}`;
    api.accounts.deploy(contract.address, () => 'valid');
    for (const chain of ['chiado', 'basesepolia']) {
      await stranger.link(byKey, chain);
      await stranger.post('/addresses', { address: contract.address, chain, signature });
    }
    expect((await owner.post('/addresses', await proof(byKey))).json.chains).toEqual(['chiado']);
    const body = { ...(await proof(contract)), signature };
    expect((await owner.post('/addresses', body)).json.errors).toEqual({ address: 'already linked' });
    await releaseAddress(api.ledger, lowerAddress(contract.address), stranger.profile);
    expect((await owner.post('/addresses', body)).status).toBe(201);
  });

  it('stays with a profile that has proved it by a linking message', async () => {
    const wallet = createWallet();
    await stranger.post('/addresses', await linkBody(wallet));
    expect((await stranger.post('/addresses', await proof(wallet, { profile: stranger.profile }))).status).toBe(201);
    expect((await owner.post('/addresses', await proof(wallet))).json.errors).toEqual({ address: 'already linked' });
  });
});

const wait = (partner: Partner, address: string, message?: string) =>
  partner.post('/addresses', { address, chain: 'chiado', signature: '0x', message });

describe('an account for whose sentence on chain two approved profiles wait', () => {
  it('is told to each of them, and ends for both when the account signs a linking message, which is told to the other', async () => {
    const { address } = createWallet();
    const message = linkMessageFor({ baseUrl: 'http://localhost:3000', profile: owner.profile, address, chain: 'chiado' });
    const listed = async (partner: Partner) => (await partner.get(`/signatures?address=${address}`)).json;
    const contests = async (partner: Partner) => (await listed(partner)).pending.map(({ contest }: { contest?: string }) => contest);
    expect((await wait(stranger, address)).json).toEqual({ code: 202, status: 'Accepted' });
    expect(await contests(stranger)).toEqual([undefined]);
    const told = expect.stringMatching(/^Another profile waits for the same account .* signs a linking message/);
    expect((await wait(owner, address)).json).toEqual({ code: 202, status: 'Accepted', contest: told });
    expect([await contests(stranger), await contests(owner)]).toEqual([[told], [told]]);

    api.accounts.deploy(address, () => 'valid');
    await api.accounts.block('chiado');
    expect([await contests(stranger), await contests(owner)]).toEqual([[told], [told]]);
    expect((await owner.post('/addresses', { address, chain: 'chiado', message, signature: '0x5afe' })).status).toBe(201);
    await api.accounts.block('chiado');
    expect([await contests(stranger), await contests(owner)]).toEqual([[], []]);
    expect((await owner.get(`/addresses/${address}`)).json.profile).toBe(owner.profile);
    const ended = { kind: 'linkAddress', chain: 'chiado', address, state: 'invalid', reason: 'already linked' };
    expect((await listed(stranger)).ended).toMatchObject([ended]);
    expect(await listed(owner)).toEqual({ pending: [], total: 0 });
  });
});

describe('a link by an approval on chain', () => {
  it.each(['a message', 'the sentence', 'an approval of it on chain'])(
    'of an address that another profile has linked by %s is refused until that is released',
    async (proved) => {
      const [wallet, anybody] = [createWallet(), await api.partner()];
      await api.ledger.updateTable('profiles').set({ state: 'incomplete' }).where('id', '=', anybody.profile).execute();
      if (proved === 'a message') await owner.post('/addresses', await proof(wallet));
      else if (proved === 'the sentence') await owner.link(wallet);
      else {
        api.accounts.deploy(wallet.address, () => 'valid');
        await wait(owner, wallet.address);
        await api.accounts.block('chiado');
      }
      expect((await wait(owner, wallet.address)).status).toBe(201);
      for (const other of [stranger, anybody]) {
        const { status, json } = await wait(other, wallet.address);
        expect([status, json.errors]).toEqual([400, { address: 'already linked' }]);
      }
      await releaseAddress(api.ledger, lowerAddress(wallet.address), owner.profile);
      expect((await wait(anybody, wallet.address)).json).toEqual({ code: 202, status: 'Accepted' });
    },
  );

  it('is taken over by a signature of the sentence: of a key for all chains, of a contract only where it is linked nowhere else', async () => {
    const [byKey, contract] = [createWallet(), createWallet()];
    for (const { address } of [byKey, contract]) {
      api.accounts.deploy(address, () => 'valid');
      for (const chain of ['chiado', 'basesepolia'] as const) {
        await stranger.post('/addresses', { address, chain, signature: '0x' });
        await api.accounts.block(chain);
      }
    }
    expect((await owner.post('/addresses', await linkBody(byKey))).json.chains).toEqual(['chiado']);
    const body = { ...(await linkBody(contract)), signature: `0x${'5afe'.repeat(60)}` };
    expect((await owner.post('/addresses', body)).json.errors).toEqual({ address: 'already linked' });
  });

  it('of a linking message waits where that takes the address back', async () => {
    const wallet = await stranger.link();
    expect((await wait(owner, wallet.address, (await proof(wallet)).message)).status).toBe(202);
  });
});
