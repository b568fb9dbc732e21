import { randomUUID } from 'node:crypto';
import { getAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { swapTokens } from '../../api/swap/swap-maker.ts';
import { png } from '../../support/documents.ts';
import { type Accounts, createWallet, forms, openAccounts, payee, privacyPolicyUrl, redirectUri, termsUrl } from './accounts.ts';
import { secret } from '../service.ts';
import { linkSentence, paymentText, pkce, safeSignature } from './specification-client.ts';

const text = expect.any(String) as string;

const quoted = { takerToken: swapTokens.eur, makerToken: swapTokens.usd, takerAmount: '100' };

describe('in production mode a client of the specification', () => {
  let accounts: Accounts;
  beforeAll(async () => void (accounts = await openAccounts('production')));
  afterAll(() => accounts?.service.close());

  it('starts without a token, and reads countries and tokens', async () => {
    const { client, own, chain } = accounts;
    await client.start();
    await client.countries();
    expect(await own.caller.tokens()).toContainEqual(expect.objectContaining({ currency: 'eur', symbol: 'EURe', ticker: 'EUR', chain }));
  });

  it('gets tokens by its credentials, refreshes by its id and the refresh token alone, and acts on its own profile', async () => {
    const { client, own, operator, credentials } = accounts;
    const { refresh_token } = await credentials(own.clientId, own.clientSecret);
    const { access_token } = await client.refresh(own.clientId, refresh_token);
    const { defaultProfile, profiles } = await client.as(access_token).context();
    expect([defaultProfile, profiles.map(({ id }) => id)]).toEqual([own.profile, [own.profile]]);

    const stranger = await operator.register({ kind: 'private', owner: operator.newEmail() });
    const another = await credentials(own.clientId, own.clientSecret);
    const refreshed = client.refresh(stranger.id, another.refresh_token);
    await expect(refreshed).rejects.toMatchObject({ status: 400, message: 'Client id must be the same from previous token.' });
  });

  it.each(['personal', 'corporate'] as const)('onboards a %s customer, and is told of the approval', async (kind) => {
    const { partner, operator, submitCustomer, subscribe } = accounts;
    const { events } = await subscribe(partner);
    const id = await submitCustomer(kind);
    await operator.review(id);
    const profile = await partner.profiles.show(id);
    const states = new Set([profile, profile.details, profile.form, ...profile.verifications].map(({ state }) => state));
    expect(states).toEqual(new Set(['approved']));
    expect(await partner.profiles.list({ state: 'approved', kind })).toContainEqual(expect.objectContaining({ id, kind }));
    await expect(partner.profiles.submit(id, 'form', { [kind]: forms[kind] })).rejects.toMatchObject({ status: 409 });
    await expect(partner.profiles.create({ kind, id })).rejects.toMatchObject({ status: 409, message: 'Profile already exists' });
    const isTold = () => events().some((event) => event.type === 'profile.updated' && event.data.state === 'approved');
    await operator.tell(isTold);
  });

  it('is told why a customer was sent back', async () => {
    const { partner, operator, submitCustomer, subscribe } = accounts;
    const { events } = await subscribe(partner, ['profile.error']);
    const id = await submitCustomer('personal');
    await operator.review(id, { decision: 'incomplete', errors: [{ field: 'details.city', reason: 'does not exist' }] });
    await operator.tell(() => events().length > 1);
    expect(events()[1]).toMatchObject({ type: 'profile.error', data: { id, errors: [{ field: 'details.city' }] } });
  });

  it('links the address of a key chain by chain, in any case', async () => {
    const { own, chain, other, link, linked } = accounts;
    const { addresses } = own.caller;
    const wallet = await linked(own.caller);
    expect(await addresses.link({ ...(await link(wallet, other)), address: wallet.address.toLowerCase() })).toBe(201);
    const shown = await addresses.show(wallet.address);
    expect(shown).toMatchObject({ profile: own.profile, address: getAddress(wallet.address) });
    expect(shown.chains.toSorted()).toEqual([other, chain].toSorted());
    expect(await addresses.list({ chain: other, profile: own.profile })).toContainEqual(shown);
    const { signature } = await link(createWallet());
    const refused = { status: 400, message: 'Validation errors', errors: { signature: 'invalid signature' } };
    await expect(addresses.link({ ...(await link(wallet)), signature })).rejects.toMatchObject(refused);
  });

  it('links a Safe and pays from it by the signatures of its owners', async () => {
    const { own, service, operator, chain, chainId, payment } = accounts;
    const { addresses, orders } = own.caller;
    const [owner, { address }] = [createWallet(), createWallet()];
    const body = await payment(own.wallet, '10.50', { address });
    const signatures: string[] = [];
    for (const message of [linkSentence, body.message]) signatures.push(await safeSignature(owner, address, chainId, message));
    service.api.accounts.deploy(address, (signature) => (signatures.includes(signature) ? 'valid' : 'invalid'));
    service.api.fund(address, 100n, 'eur', chain);
    expect(await addresses.link({ address, chain, message: linkSentence, signature: signatures[0] })).toBe(201);
    const { id } = await orders.place({ ...body, signature: signatures[1] });
    await operator.carryOut();
    expect(await orders.show(id)).toMatchObject({ address: getAddress(address), state: 'processed' });
  });

  it('links a Safe and pays from it by what it signs on chain, and sees what it waits for', async () => {
    const { own, service, operator, chain, payment } = accounts;
    const { caller, profile } = own;
    const { address } = createWallet();
    let hasSigned = false;
    service.api.accounts.deploy(address, () => (hasSigned ? 'valid' : 'invalid'));
    service.api.fund(address, 100n, 'eur', chain);
    const sign = async (kind: 'linkAddress' | 'order') => {
      const { pending, total, header } = await caller.signatures({ address, chain, kind, profile });
      expect([pending.map((request) => request.kind), total, header]).toEqual([[kind], 1, '1']);
      hasSigned = true;
      await service.api.accounts.block(chain);
      hasSigned = false;
      expect((await caller.signatures({ address })).pending).toEqual([]);
    };
    expect(await caller.addresses.link({ address, chain, message: linkSentence, signature: '0x' })).toBe(202);
    await sign('linkAddress');
    expect((await caller.addresses.show(address)).chains).toEqual([chain]);
    const id = randomUUID();
    await caller.orders.placeUnsigned({ ...(await payment(own.wallet, '10.50', { address, id })), signature: '0x' });
    await sign('order');
    await operator.carryOut();
    expect(await caller.orders.show(id)).toMatchObject({ id, address: getAddress(address), state: 'processed' });
  });

  it('receives money at an IBAN, at the address to which it leads, and moves it', async () => {
    const { customer, operator, chain, linked, subscribe } = accounts;
    const { caller, wallet, profile } = customer;
    const { events } = await subscribe(caller, ['iban.updated', 'order.created', 'order.updated']);
    expect(await caller.ibans.request({ address: wallet.address, chain })).toBe(202);
    await operator.assignIbans();
    expect(await caller.ibans.request({ address: wallet.address, chain })).toBe(304);
    const [iban] = await caller.ibans.list({ profile, chain });
    expect(iban).toMatchObject({ profile, address: wallet.address, chain });
    const number = iban?.iban ?? '';
    expect(await caller.ibans.show(number.replaceAll(/(.{4})/g, '$1 '))).toEqual(iban);

    const id = await operator.credit(number, 12_345n, chain);
    await operator.carryOut();
    const order = await caller.orders.show(id);
    const { address } = wallet;
    expect(order).toMatchObject({ kind: 'issue', profile, address, chain, currency: 'eur', amount: '123.45', state: 'processed' });
    expect(order.meta.txHashes).toHaveLength(1);

    const next = await linked(caller, { profile });
    expect(await caller.ibans.move(number, { address: next.address, chain })).toBe(200);
    expect((await caller.ibans.show(number)).address).toBe(next.address);
    expect((await caller.orders.show(await operator.credit(number, 100n, chain))).address).toBe(next.address);
    await operator.tell(() => events().length > 5);
    const types = events().map(({ type }) => type);
    const told = { 'subscription.created': 1, 'iban.updated': 2, 'order.created': 2, 'order.updated': 1 };
    expect(types.toSorted()).toEqual(
      Object.entries(told)
        .flatMap(([type, times]) => Array.from({ length: times }, () => type))
        .toSorted(),
    );
  });

  it('reads balances, of euro where it names no currency', async () => {
    const { own, chain } = accounts;
    const { balances } = await own.caller.balance(chain, own.wallet.address.toLowerCase());
    expect(balances).toEqual([{ currency: 'eur', amount: '1000000.00' }]);
    const pounds = await own.caller.balance(chain, own.wallet.address, { currency: 'gbp' });
    expect(pounds.balances.map(({ currency }) => currency)).toEqual(['gbp']);
  });

  it('pays to a bank account, finds the order by each filter, and is told of its end', async () => {
    const { own, operator, payment, subscribe } = accounts;
    const { caller, wallet, profile } = own;
    const { events } = await subscribe(caller, ['order.created', 'order.updated']);
    const memo = `Miete für ${randomUUID()}`;
    const chosen = { id: randomUUID(), memo, referenceNumber: 'RF18539007547034' };
    const placed = await caller.orders.place(await payment(wallet, '10.5', chosen));
    expect(placed).toMatchObject({ ...chosen, kind: 'redeem', amount: '10.50', profile, state: 'placed', counterpart: payee });
    await operator.carryOut();
    const order = await caller.orders.show(placed.id);
    expect(order.state).toBe('processed');
    expect(Object.keys(order.meta)).toEqual(expect.arrayContaining(['placedAt', 'processedAt', 'txHashes']));
    for (const filter of [{ memo }, { txHash: order.meta.txHashes?.[0] }]) expect(await caller.orders.list(filter)).toEqual([order]);
    for (const filter of [{}, { address: wallet.address }, { profile }, { state: 'processed' }])
      expect(await caller.orders.list(filter)).toContainEqual(order);
    expect(await caller.orders.list({ memo, state: 'rejected' })).toEqual([]);
    await operator.tell(() => events().length > 2);
    expect(events().slice(1)).toMatchObject([
      { type: 'order.created', data: placed },
      { type: 'order.updated', data: order },
    ]);
  });

  it('sees why an order was rejected', async () => {
    const { own, operator, payment } = accounts;
    const { id } = await own.caller.orders.place(await payment(own.wallet));
    await operator.carryOut('insufficient balance');
    const rejected = { state: 'rejected', meta: { rejectedReason: 'insufficient balance' } };
    expect(await own.caller.orders.show(id)).toMatchObject(rejected);
  });

  it('pays to an address on another chain', async () => {
    const { own, operator, other, payment } = accounts;
    const { address } = createWallet();
    const counterpart = { identifier: { standard: 'chain', address, chain: other }, details: {} };
    const message = paymentText('eur', '10.50', `${address} on ${other}`);
    const { id } = await own.caller.orders.place(await payment(own.wallet, '10.50', { counterpart, message }));
    await operator.carryOut();
    const { state, meta, counterpart: to } = await own.caller.orders.show(id);
    expect([state, meta.txHashes?.length, to.identifier]).toEqual(['processed', 2, counterpart.identifier]);
  });

  it('adds a document to a payment of 15,000 euro and more', async () => {
    const { own, payment } = accounts;
    const { orders, upload } = own.caller;
    await orders.place(await payment(own.wallet, '14999.99'));
    const refused = { status: 400, errors: { supportingDocumentId: text } };
    await expect(orders.place(await payment(own.wallet, '15000'))).rejects.toMatchObject(refused);
    const { id: supportingDocumentId } = await upload('invoice.png', png);
    const { meta } = await orders.place(await payment(own.wallet, '15000', { supportingDocumentId }));
    expect(meta.supportingDocumentId).toBe(supportingDocumentId);
  });

  it('signs users in by a code with PKCE, and refreshes', async () => {
    const { client, signUp } = accounts;
    const { user, profile, page, back, grant } = await signUp('read');
    expect([`${back.origin}${back.pathname}`, back.searchParams.get('state')]).toEqual([redirectUri, 'opaque']);
    await expect(client.grant({ ...grant, code_verifier: pkce().verifier })).rejects.toMatchObject({ status: 400 });
    const { refresh_token } = await client.grant(grant);
    const { access_token } = await client.refresh(grant.client_id, refresh_token);
    expect((await client.as(access_token).context()).defaultProfile).toBe(profile);

    const { searchParams: denied } = await user.consent(page, 'deny');
    expect([denied.get('error'), denied.get('state')]).toEqual(['access_denied', 'opaque']);
  });

  it.each(['GET', 'POST'] as const)('signs in at once by a wallet that was linked by the fixed sentence, by %s', async (method) => {
    const { client, own, signInByWallet, resources } = accounts;
    const { grant } = await signInByWallet(method, own.wallet, resources);
    const { access_token } = await client.grant(grant);
    expect((await client.as(access_token).context()).defaultProfile).toBe(own.profile);
  });

  it('signs in the user of a wallet that another application linked', async () => {
    const { client, linked, signUp, signInByWallet, resources } = accounts;
    const user = await signUp('write');
    const wallet = await linked(client.as((await client.grant(user.grant)).access_token));
    const { grant } = await signInByWallet('POST', wallet, resources);
    const { access_token } = await client.grant(grant);
    expect((await client.as(access_token).context()).defaultProfile).toBe(user.profile);
  });

  it.each([
    ['no resources', undefined],
    ['resources without that of the service', [privacyPolicyUrl, termsUrl]],
  ])('is redirected with invalid_request for a wallet’s message with %s', async (_, named) => {
    const { own, signInByWallet } = accounts;
    const { answer } = await signInByWallet('POST', own.wallet, named);
    expect([answer.get('error'), answer.get('error_description'), answer.get('code')]).toEqual(['invalid_request', text, null]);
  });

  it('changes a subscription, and hears nothing while it is inactive', async () => {
    const { own, operator, payment, subscribe } = accounts;
    const { caller, wallet } = own;
    const { id, url, types, state, events } = await subscribe(caller, ['order.created']);
    expect([types, state]).toEqual([['order.created'], 'active']);
    expect((await caller.webhooks.change(id, { state: 'inactive' })).state).toBe('inactive');
    await caller.orders.place(await payment(wallet));
    await operator.carryOut();
    await operator.dispatch();
    const changed = { id, url, types: ['order.updated'], state: 'active' };
    expect(await caller.webhooks.change(id, { state: 'active', types: ['order.updated'] })).toEqual(changed);
    expect(await caller.webhooks.list()).toContainEqual(changed);
    const { id: heard } = await caller.orders.place(await payment(wallet));
    await operator.carryOut();
    await operator.tell(() => events().length > 1);
    expect(events().slice(1)).toMatchObject([{ type: 'order.updated', data: { id: heard } }]);
  });

  it('gets refusals in the documented shape', async () => {
    const { client, own, customer, partner, service, chain, payment } = accounts;
    const { caller, wallet } = own;
    const unaddressed = { ...(await payment(wallet)), address: undefined };
    const refusals: [() => Promise<unknown>, object][] = [
      [() => caller.orders.place(unaddressed), { status: 400, errors: { address: text } }],
      [() => caller.webhooks.subscribe({ url: service.hook('/refuses'), secret }), { status: 400, errors: { url: text } }],
      [() => client.as('wrong').context(), { status: 401, message: 'Not authenticated' }],
      [() => caller.orders.list({ profile: customer.profile }), { status: 403 }],
      [() => caller.balance(chain, customer.wallet.address), { status: 403 }],
      [() => caller.profiles.create({ kind: 'personal' }), { status: 403 }],
      // Of the sandbox alone.
      [
        () => partner.profiles.share(customer.profile, { provider: 'sumsub', personal: { token: 'ok' } }),
        { status: 400, errors: { provider: text } },
      ],
      [() => caller.swap.quote(quoted), { status: 404 }],
      [() => caller.webhooks.change(randomUUID(), { state: 'inactive' }), { status: 404 }],
    ];
    for (const [refused, expected] of refusals) await expect(refused()).rejects.toMatchObject(expected);
  });
});

describe('in sandbox mode a client of the specification', () => {
  let accounts: Accounts;
  beforeAll(async () => void (accounts = await openAccounts('sandbox')));
  afterAll(() => accounts?.service.close());

  it('shares a customer of an identity provider', async () => {
    const { partner, operator, subscribe } = accounts;
    const { events } = await subscribe(partner);
    const { id } = await partner.profiles.create({ kind: 'personal', id: randomUUID() });
    await partner.profiles.share(id, { provider: 'sumsub', personal: { token: 'ok' } });
    await operator.fillShares();
    const { details, form, verifications } = await partner.profiles.show(id);
    expect([details.state, form.state]).toEqual(['pending', 'incomplete']);
    expect(verifications.filter(({ state }) => state === 'incomplete').map(({ kind }) => kind)).toEqual(['sourceOfFunds']);
    await operator.tell(() => events().some((event) => event.type === 'profile.updated' && event.data.details.state === 'pending'));
  });

  it('swaps', async () => {
    const { own, link } = accounts;
    const { addresses, swap } = own.caller;
    const wallet = createWallet();
    await addresses.link(await link(wallet, 'arbitrumsepolia'));
    const { makerAmount } = await swap.quote(quoted);
    const committed = await swap.commit({ ...quoted, taker: wallet.address, chainId: 421_614 });
    expect(committed).toMatchObject({ chainId: 421_614, makerAmount });
  });
});
