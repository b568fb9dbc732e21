import { parseSignature, serializeCompactSignature, signatureToCompactSignature } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { createProfile } from '../../../src/ledger/customers/profiles.ts';
import { misspelt } from '../support/misspelt.ts';
import { createTestApi, createWallet, linkBody, linkMessage, type Partner } from '../support/test-api.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const api = forWholeFile(createTestApi);

describe('POST /addresses', () => {
  it('links an address chain by chain, also by the names with a space, and answers who linked it when, again as before', async () => {
    const [caller, wallet] = [await api.partner(), createWallet()];
    const body = { ...(await linkBody(wallet)), message: linkMessage };
    const { status, json } = await caller.post('/addresses', body);
    expect(status).toBe(201);
    expect(json).toEqual({
      profile: caller.profile,
      address: wallet.address,
      chains: ['chiado'],
      state: 'linked',
      meta: { linkedBy: caller.user, linkedAt: expect.stringMatching(/Z$/) },
    });
    expect(await caller.post('/addresses', { ...body, address: body.address.toLowerCase() })).toMatchObject({ status: 201, json });
    const elsewhere = await caller.post('/addresses', await linkBody(wallet, 'base sepolia'));
    expect(elsewhere.json.chains).toEqual(['chiado', 'basesepolia']);
  });

  it('ends what waits for the account to confirm, which a key would never do', async () => {
    const [caller, wallet] = [await api.partner(), createWallet()];
    const body = await linkBody(wallet);
    expect((await caller.post('/addresses', { ...body, signature: '0x' })).status).toBe(202);
    expect((await caller.get('/signatures')).json).toMatchObject({ total: 1, pending: [{ address: wallet.address }] });
    expect((await caller.post('/addresses', body)).status).toBe(201);
    expect((await caller.get('/signatures')).json).toEqual({ pending: [], total: 0 });
  });

  it('refuses an address of another profile', async () => {
    const [first, second] = [await api.partner(), await api.partner()];
    const wallet = await first.link();
    for (const chain of ['chiado', 'basesepolia']) {
      const { status, json } = await second.post('/addresses', await linkBody(wallet, chain));
      expect(status).toBe(400);
      expect(json).toEqual({
        code: 400,
        status: 'Bad Request',
        message: 'Validation errors',
        reason: 'address_already_linked',
        errors: { address: 'already linked' },
        details: {
          address: expect.stringMatching(
            /takes it back by a signature of the sentence in a request; if by one in a request, by a linking message/,
          ),
        },
      });
    }
  });

  it('gives an address to one of two profiles that link it at the same time', async () => {
    const partners = [await api.partner(), await api.partner()];
    for (let round = 0; round < 5; round += 1) {
      const body = await linkBody(createWallet());
      const answers = await Promise.all(
        [0, 1, 0, 1, 0, 1, 0, 1].map(async (by) => ({ by, status: (await partners[by]?.post('/addresses', body))?.status })),
      );
      const winners = new Set(answers.filter(({ status }) => status === 201).map(({ by }) => by));
      expect(winners.size).toBe(1);
      expect(answers.filter(({ status }) => status === 400)).toHaveLength(4);
    }
  });

  it('takes a compact signature (EIP-2098), and a mixed-case address with a wrong checksum, which the signature proves', async () => {
    const caller = await api.partner();
    const body = await linkBody(createWallet());
    const signature = serializeCompactSignature(signatureToCompactSignature(parseSignature(body.signature)));
    const { status, json } = await caller.post('/addresses', { ...body, address: misspelt(body.address), signature });
    expect([status, json.address]).toEqual([201, body.address]);
  });

  let refused: Partner;
  beforeAll(async () => void (refused = await api.partner()));

  it("refuses another key's signature", async () => {
    const body = { ...(await linkBody(createWallet())), address: createWallet().address };
    const { json } = await refused.post('/addresses', body);
    expect(json.errors).toEqual({ signature: 'invalid signature' });
    expect(json.details).toEqual({ signature: 'The account does not recognise the signature.' });
  });

  const malformed = 'must be bytes in hexadecimal with the prefix 0x, or 0x alone when signed on chain';
  it.each<[object, object]>([
    [{ address: undefined }, { address: 'is required' }],
    [{ message: `${linkMessage} ` }, { message: expect.stringMatching(/^must be exactly: I hereby declare/) }],
    ...['0x1234', `0x${'ab'.repeat(130)}`, `0x${'ab'.repeat(100)}${'6492'.repeat(16)}`, `0x${'00'.repeat(65)}`].map(
      (signature): [object, object] => [{ signature }, { signature: 'invalid signature' }],
    ),
    ...['0x123', 'signed'].map((signature): [object, object] => [{ signature }, { signature: malformed }]),
    [{ signature: `0x${'ab'.repeat(16_385)}` }, { signature: 'must be at most 16384 bytes' }],
    [{ signature: undefined }, { signature: 'is required' }],
    [{ signature: 7 }, { signature: 'must be a string' }],
    ...['gnosis', 'noble', 'linea sepolia', 'noble grand'].map((chain): [object, object] => [
      { chain },
      { chain: 'is not configured here: must be one of chiado, basesepolia' },
    ]),
    ...['atlantis', 'constructor'].map((chain): [object, object] => [
      { chain },
      { chain: 'is not a chain: must be one of chiado, basesepolia' },
    ]),
  ])('refuses %.80j', async (change, errors) => {
    expect((await refused.post('/addresses', { ...(await linkBody(createWallet())), ...change })).json.errors).toEqual(errors);
  });

  it('links to a profile that the whitelabel application onboarded', async () => {
    const caller = await api.partner('whitelabel');
    const customer = await createProfile(api.ledger, {
      kind: 'personal',
      name: 'Max',
      state: 'approved',
      application: caller.clientId,
    });
    const { status, json } = await caller.post('/addresses', { ...(await linkBody(createWallet())), profile: customer.toUpperCase() });
    expect(status).toBe(201);
    expect(json.profile).toBe(customer);
  });
});

describe('POST /addresses of a contract account', () => {
  const signature = `0x${'5afe'.repeat(60)}`;

  it.each([
    ['off chain', signature],
    ['with 65 bytes', `0x${'5a'.repeat(65)}`],
    ['before it is deployed (ERC-6492)', `0x${'ab'.repeat(96)}${'6492'.repeat(16)}`],
  ])('links at once when it signs %s', async (_, signature) => {
    const caller = await api.partner();
    const { address } = createWallet();
    api.accounts.deploy(address, (given) => (given === signature ? 'valid' : 'invalid'));
    const { status, json } = await caller.post('/addresses', { address, chain: 'chiado', signature });
    expect(status).toBe(201);
    expect(json).toMatchObject({ profile: caller.profile, address, chains: ['chiado'], state: 'linked', meta: { linkedBy: caller.user } });
    expect((await caller.get('/signatures')).json.total).toBe(0);
    expect(await caller.post('/addresses', { address, chain: 'chiado', signature })).toMatchObject({ status: 201, json });
  });

  it('answers 202 when it signs on chain, and links when it has', async () => {
    const caller = await api.partner();
    const { address } = createWallet();
    const body = { address, chain: 'chiado', signature: '0x' };
    const signed = { onChain: false };
    api.accounts.deploy(address, () => (signed.onChain ? 'valid' : 'invalid'));
    for (let time = 0; time < 3; time += 1)
      expect(await caller.post('/addresses', body)).toMatchObject({ status: 202, json: { code: 202, status: 'Accepted' } });
    const { headers, json } = await caller.get('/signatures');
    expect(headers.get('X-Total-Count')).toBe('1');
    expect(json).toEqual({
      pending: [{ id: expect.any(String), kind: 'linkAddress', chain: 'chiado', address, createdAt: expect.stringMatching(/Z$/) }],
      total: 1,
    });
    await api.accounts.block('chiado');
    expect((await caller.get(`/addresses/${address}`)).status).toBe(403);
    signed.onChain = true;
    await api.accounts.block('chiado');
    expect((await caller.get(`/addresses/${address}`)).json.chains).toEqual(['chiado']);
    expect((await caller.get('/signatures')).json).toEqual({ pending: [], total: 0 });
    expect((await caller.post('/addresses', body)).status).toBe(201);
  });

  it('answers 202 when no verdict comes within 3 seconds, and once more when asked again', async () => {
    const caller = await api.partner();
    const { address } = createWallet();
    api.accounts.deploy(address, () => 'unavailable');
    const post = () => caller.post('/addresses', { address, chain: 'chiado', signature });
    expect((await Promise.all([post(), post()])).map(({ status }) => status)).toEqual([202, 202]);
    api.accounts.deploy(address, () => 'valid');
    expect((await post()).status).toBe(201);
  });

  it('says that another profile has linked it to who proves to own it or would wait for its approval, and by no wrong signature', async () => {
    const [first, second] = [await api.partner(), await api.partner()];
    const { address } = await first.link();
    const post = (signature: string) => second.post('/addresses', { address, chain: 'chiado', signature });
    api.accounts.deploy(address, (given) => (given === signature ? 'valid' : 'invalid'));
    expect((await post('0x1234')).json.errors).toEqual({ signature: 'invalid signature' });
    expect((await post('0x')).json.errors).toEqual({ address: 'already linked' });
    expect((await post(signature)).json.errors).toEqual({ address: 'already linked' });
  });
});

describe('GET /addresses', () => {
  it("lists the caller's addresses with their chains and the total", async () => {
    const caller = await api.partner();
    const wallet = await caller.link();
    const second = await caller.link(undefined, 'basesepolia');
    expect((await caller.get('/addresses')).json).toEqual({
      addresses: [
        { profile: caller.profile, address: wallet.address, chains: ['chiado'] },
        { profile: caller.profile, address: second.address, chains: ['basesepolia'] },
      ],
      total: 2,
    });
    expect((await caller.get('/addresses?chain=base%20sepolia')).json.addresses).toMatchObject([{ address: second.address }]);
  });
});

describe('GET /addresses/{address}', () => {
  it('answers an address in any case, in its checksum form', async () => {
    const caller = await api.partner();
    const wallet = await caller.link();
    for (const spelling of [wallet.address.toLowerCase(), misspelt(wallet.address)]) {
      const { json } = await caller.get(`/addresses/${spelling}`);
      expect(json).toEqual({ profile: caller.profile, address: wallet.address, chains: ['chiado'] });
    }
    expect((await caller.get('/addresses/0x12')).json.errors).toEqual({ address: 'must be an address: 0x and 40 hexadecimal digits' });
  });
});
