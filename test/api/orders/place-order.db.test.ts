import { randomUUID } from 'node:crypto';
import { hashMessage, parseSignature, serializeCompactSignature, signatureToCompactSignature } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { RetryError } from '../../../src/platform/errors.ts';
import { misspelt } from '../support/misspelt.ts';
import { createTestApi, createWallet, type Partner } from '../support/test-api.ts';
import { bankOrder, chainOrder, contractRedeemer, payee, payeeIban, redeemer, type Redeemer } from './redeeming.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const api = forWholeFile(() => createTestApi({ env: { BANK_ADDRESS_PARTS: 'gbp:city+country+street' } }));

const errorsOf = async (caller: Pick<Partner, 'post'>, body: unknown) => {
  const { status, json } = await caller.post('/orders', body);
  return status === 400 ? json.errors : { status };
};

describe('POST /orders with the signature of a key', () => {
  it('places an order to a bank account and wakes its chain', async () => {
    const { wallet, profile, ...caller } = await redeemer(api);
    const given = { memo: 'Miete für Mai 🏠', referenceNumber: 'RF18 5390 0754 7034' };
    api.woken.length = 0;
    const { status, json } = await caller.post('/orders', await bankOrder(wallet, given));
    expect(status).toBe(200);
    expect(json).toEqual({
      id: expect.any(String),
      kind: 'redeem',
      profile,
      address: wallet.address,
      chain: 'chiado',
      currency: 'eur',
      amount: '10.50',
      counterpart: { identifier: { standard: 'iban', iban: payeeIban }, details: payee },
      ...given,
      state: 'placed',
      meta: { placedAt: expect.stringMatching(/Z$/) },
    });
    expect(api.woken).toEqual(['lane-chiado']);
    expect((await caller.get(`/orders/${json.id}`)).json).toEqual(json);
    const legs = await api.ledger.selectFrom('legs').where('orderId', '=', json.id).orderBy('position').select(['kind', 'state']).execute();
    expect(legs).toEqual([
      { kind: 'redeem', state: 'ready' },
      { kind: 'payout', state: 'waiting' },
    ]);
  });

  it('places an order to an address on another chain, whatever its details', async () => {
    const { wallet, ...caller } = await redeemer(api);
    const to = createWallet().address;
    const { status, json } = await caller.post('/orders', await chainOrder(wallet, to));
    expect(status).toBe(200);
    expect(json.counterpart).toEqual({ identifier: { standard: 'chain', address: to, chain: 'basesepolia' }, details: {} });
    const order = await chainOrder(wallet, to);
    const identifier = { standard: 'chain', address: to.toLowerCase(), chain: 'base sepolia' };
    expect((await caller.post('/orders', { ...order, counterpart: { identifier, details: 'any' } })).status).toBe(200);
  });

  it('keeps a compact signature (EIP-2098) in the 65 bytes that the token contract takes', async () => {
    const caller = await redeemer(api);
    const order = await caller.order();
    const signature = serializeCompactSignature(signatureToCompactSignature(parseSignature(order.signature as `0x${string}`)));
    const { status, json } = await caller.post('/orders', { ...order, signature });
    expect(status).toBe(200);
    const kept = api.ledger.selectFrom('orders').where('id', '=', json.id).select('signature');
    expect((await kept.executeTakeFirstOrThrow()).signature).toBe(order.signature);
  });

  it('takes a target with a wrong checksum only if it is linked to the caller: nothing else would catch a slip', async () => {
    const { wallet, ...caller } = await redeemer(api);
    const to = createWallet();
    const identifier = { standard: 'chain', address: misspelt(to.address), chain: 'basesepolia' };
    const order = await chainOrder(wallet, to.address, { counterpart: { identifier, details: {} }, address: misspelt(wallet.address) });
    expect(await errorsOf(caller, order)).toEqual({ 'counterpart.identifier.address': 'has a wrong checksum' });
    await caller.link(to);
    expect(await caller.post('/orders', order)).toMatchObject({ status: 200, json: { address: wallet.address } });
  });

  it('takes an order again that a restored ledger has lost, once: its message is old and its tokens are burnt', async () => {
    const caller = await redeemer(api, 0n);
    const message = `Send EUR 10.50 to ${payeeIban} at 2026-05-01T10:00:00Z`;
    const order = await caller.order({ message });
    expect(await errorsOf(caller, order)).toEqual({ message: 'timestamp is expired' });
    const burnt = { chain: 'chiado', kind: 'redeem', currency: 'eur', orderId: randomUUID(), amount: '1050' } as const;
    const [token, account] = [lowerAddress(`0x${'1'.repeat(40)}`), lowerAddress(caller.wallet.address)];
    const digest = hashMessage(message);
    await api.ledger
      .insertInto('unrecordedOutcomes')
      .values({ ...burnt, token, account, digest, txHash: `0x${'2'.repeat(64)}`, blockNumber: 7n })
      .execute();
    expect(await caller.post('/orders', order)).toMatchObject({ status: 200, json: { state: 'placed' } });
    expect(await errorsOf(caller, { ...order, memo: 'another order' })).toEqual({ message: 'already used' });
  });

  it('places no order under the id of an issue order that a restored ledger has lost, and that its chain shows to everybody', async () => {
    const caller = await redeemer(api);
    const order = await caller.order({ id: randomUUID() });
    const issued = { chain: 'chiado', kind: 'issue', currency: 'eur', orderId: order.id as string, amount: '5000', sequence: '1' } as const;
    const [token, account] = [lowerAddress(`0x${'1'.repeat(40)}`), lowerAddress(caller.wallet.address)];
    const outcome = { ...issued, token, account, txHash: `0x${'2'.repeat(64)}`, blockNumber: 7n } as const;
    const { id } = await api.ledger.insertInto('unrecordedOutcomes').values(outcome).returning('id').executeTakeFirstOrThrow();
    expect(await caller.post('/orders', order)).toMatchObject({ status: 409, json: { reason: 'order_conflict' } });
    await api.ledger.deleteFrom('unrecordedOutcomes').where('id', '=', id).execute();
    expect((await caller.post('/orders', order)).status).toBe(200);
  });

  it('takes the default memo, an empty reference for none, and compares amounts as numbers', async () => {
    const caller = await redeemer(api);
    const given = { referenceNumber: '', amount: '10', message: `Send EUR 10.00 to DE89...3000 at ${new Date().toISOString()}` };
    const { json } = await caller.post('/orders', await caller.order(given));
    expect(json).toMatchObject({ memo: 'Powered by Mintrail', amount: '10.00' });
    expect(json).not.toHaveProperty('referenceNumber');
  });
});

describe('POST /orders accepts', () => {
  let caller: Redeemer;
  beforeAll(async () => void (caller = await redeemer(api)));

  it.each([
    { memo: 'é'.repeat(5) },
    // An emoji is one character.
    { memo: `${'🎉'.repeat(139)}1` },
    { referenceNumber: 'R'.repeat(35) },
    { amount: '0.01' },
    { amount: '1.2' },
    { id: '0190a000-0000-7000-8000-000000000001' },
    { id: '18a000d8-db69-84df-b91a-47a14fbcf155' },
  ])('values at their bounds, and ids of any version: %j', async (given) => {
    const { status, json } = await caller.post('/orders', await caller.order(given));
    expect([status, json]).toEqual([200, expect.objectContaining({ ...given, ...(given.amount === '1.2' && { amount: '1.20' }) })]);
  });

  it.each([
    [payee, payee],
    [
      { companyName: 'Max GmbH', country: 'de', vat: 1 },
      { companyName: 'Max GmbH', country: 'DE' },
    ],
    [{ name: 'Max' }, { name: 'Max', country: 'DE' }],
    // Kosovo, which has no code of ISO 3166-1.
    [
      { name: 'Max', country: 'xk' },
      { name: 'Max', country: 'XK' },
    ],
    [{ ...payee, companyName: '', name: null }, payee],
  ])('the counterpart %j', async (details, kept) => {
    const counterpart = { identifier: { standard: 'iban', iban: 'de89 3704 0044 0532 0130 00', bic: 'X' }, details };
    const { json } = await caller.post('/orders', await caller.order({ counterpart }));
    expect(json.counterpart).toEqual({ identifier: { standard: 'iban', iban: payeeIban }, details: kept });
  });
});

describe('POST /orders refuses', () => {
  let refused: Redeemer;
  beforeAll(async () => void (refused = await redeemer(api)));
  const iban = { standard: 'iban', iban: payeeIban };
  const address = { street: 'Hauptstr.', city: 'Berlin', country: 'DE' };
  const inPounds = { currency: 'gbp', counterpart: { identifier: iban, details: { ...payee, address } } };
  const own = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
  it.each<readonly [Record<string, unknown>, Record<string, string>]>([
    [{ kind: 'issue' }, { kind: 'must be redeem' }],
    [{ kind: null }, { kind: 'is required' }],
    [{ id: '1' }, { id: 'must be a UUID' }],
    [{ amount: '0' }, { amount: 'must be greater than zero' }],
    [{ amount: '0.00' }, { amount: 'must be greater than zero' }],
    ...['1.', '-1', '1e2', ''].map(
      (amount) => [{ amount }, { amount: 'must be digits with at most two decimals, such as 10.50' }] as const,
    ),
    [{ amount: '1.005' }, { amount: 'must be digits with at most two decimals, such as 10.50' }],
    [{ amount: 10.5 }, { amount: 'must be a string' }],
    [{ currency: 'EUR' }, { currency: 'must be one of eur, usd, gbp, isk' }],
    [{ currency: 'usd' }, { currency: 'has no token on chiado' }],
    [{ chain: 'gnosis' }, { chain: 'is not configured here: must be one of chiado, basesepolia' }],
    [{ memo: '' }, { memo: 'must be 5 to 140 characters long' }],
    [{ memo: 'Rent' }, { memo: 'must be 5 to 140 characters long' }],
    [{ memo: '€'.repeat(141) }, { memo: 'must be 5 to 140 characters long' }],
    [{ memo: 'x'.repeat(1_000) }, { memo: 'must be 5 to 140 characters long' }],
    [{ memo: 'Rent\u0001May' }, { memo: 'must not contain control characters' }],
    [{ referenceNumber: '1'.repeat(36) }, { referenceNumber: 'must be at most 35 characters long' }],
    [{ message: 'I pay' }, { message: 'must read "Send {EUR|GBP|USD|ISK} {amount} to {IBAN} at {timestamp}"' }],
    [{ signature: undefined }, { signature: 'is required' }],
    [{ signature: '0xabc' }, { signature: 'must be bytes in hexadecimal with the prefix 0x, or 0x alone when signed on chain' }],
    [{ signature: `0x${'ff'.repeat(40)}${'6492'.repeat(16)}` }, { signature: 'is not a well-formed ERC-6492 signature' }],
    [{ counterpart: undefined }, { counterpart: 'is required' }],
    [
      { counterpart: { identifier: { standard: 'sort', iban: payeeIban }, details: payee } },
      { 'counterpart.identifier.standard': 'must be one of iban, chain' },
    ],
    [
      { counterpart: { identifier: { standard: 'iban', iban: 'DE88370400440532013000' }, details: payee } },
      { 'counterpart.identifier.iban': 'is not a valid IBAN' },
    ],
    [
      { counterpart: { identifier: iban } },
      {
        'counterpart.details.firstName': 'is required, or else companyName or name',
        'counterpart.details.lastName': 'is required, or else companyName or name',
      },
    ],
    [
      { counterpart: { identifier: { ...iban, iban: 'XK051212012345678906' }, details: { name: 'Max' } } },
      { 'counterpart.identifier.iban': 'cannot receive euro: XK is not in SEPA' },
    ],
    [
      { counterpart: { identifier: iban, details: { ...payee, firstName: 'M' } } },
      { 'counterpart.details.firstName': 'must be 2 to 70 characters long' },
    ],
    [
      { counterpart: { identifier: iban, details: { ...payee, firstName: 'J\uFFFDrg' } } },
      { 'counterpart.details.firstName': 'must not contain U+FFFD, which stands for a character that was lost before' },
    ],
    [
      { counterpart: { identifier: iban, details: { ...payee, firstName: 'M'.repeat(60) } } },
      { 'counterpart.details.lastName': 'must be at most 70 characters long together with firstName' },
    ],
    [
      { counterpart: { identifier: iban, details: { name: 'Max', country: 'Germany' } } },
      { 'counterpart.details.country': 'must be a two-letter country code' },
    ],
    [
      { counterpart: { identifier: iban, details: { name: 'Max', country: 'KP' } } },
      { 'counterpart.details.country': 'is prohibited: North Korea (KP) is not served (residency)' },
    ],
    [
      { counterpart: { identifier: iban, details: { name: 'Max', country: 'XX' } } },
      { 'counterpart.details.country': 'is not a country code of ISO 3166-1 alpha-2' },
    ],
    [
      { counterpart: { identifier: { ...iban, iban: 'RU0204452560040702810412345678901' }, details: payee } },
      { 'counterpart.identifier.iban': 'is restricted: Russia (RU) is not served (residency)' },
    ],
    [
      { address: own, counterpart: { identifier: { standard: 'chain', address: own, chain: 'chiado' } } },
      { 'counterpart.identifier.address': "must differ from the order's own address on the same chain" },
    ],
    [
      { counterpart: { identifier: { standard: 'chain', address: `0x${'0'.repeat(40)}`, chain: 'chiado' } } },
      { 'counterpart.identifier.address': 'cannot hold tokens' },
    ],
    [
      { currency: 'gbp', counterpart: { identifier: { standard: 'chain', address: own, chain: 'basesepolia' } } },
      { 'counterpart.identifier.chain': 'has no token of gbp' },
    ],
    [{ memo: '🏠🏠🏠🏠🏠' }, { memo: 'has no letter or digit that banks can transmit: Latin, Greek or Cyrillic' }],
    [{ referenceNumber: 'RF19539007547034' }, { referenceNumber: 'has wrong check digits for a creditor reference (ISO 11649)' }],
    [
      { currency: 'isk', amount: '1000.50' },
      { currency: 'has no token on chiado', amount: 'must be whole in a payment: ISK has no decimals' },
    ],
    [{ ...inPounds, amount: '1000000.01', supportingDocumentId: randomUUID() }, { amount: 'must be at most 1000000.00 GBP in a payment' }],
    [
      { counterpart: { identifier: { ...iban, iban: 'AE070331234567890123456' }, details: { name: '王小明', country: 'AE' } } },
      {
        'counterpart.identifier.iban': 'cannot receive euro: AE is not in SEPA',
        'counterpart.details.name': 'has no letter or digit that banks can transmit: Latin, Greek or Cyrillic',
      },
    ],
    [
      { counterpart: { identifier: iban, details: { companyName: '王小明', country: 'DE' } } },
      { 'counterpart.details.companyName': 'has no letter or digit that banks can transmit: Latin, Greek or Cyrillic' },
    ],
    [
      { counterpart: { identifier: iban, details: { firstName: '小明', lastName: '王王', country: 'DE' } } },
      { 'counterpart.details.lastName': 'has no letter or digit that banks can transmit: Latin, Greek or Cyrillic' },
    ],
    [{ currency: 'isk', amount: '15000' }, { currency: 'has no token on chiado' }],
    [{ amount: '15000' }, { supportingDocumentId: 'is required from 15000.00 EUR on' }],
    [{ ...inPounds, amount: '13000' }, { supportingDocumentId: 'is required from 13000.00 GBP on' }],
    [
      {
        counterpart: {
          identifier: iban,
          details: { ...payee, address: { street: 'x'.repeat(71), city: '', country: 'Germany', lines: 'Hof 1' } },
        },
      },
      {
        'counterpart.details.address.street': 'must be 1 to 70 characters long',
        'counterpart.details.address.city': 'must be 1 to 35 characters long',
        'counterpart.details.address.country': 'must be a two-letter country code',
        'counterpart.details.address.lines': 'must be an array',
      },
    ],
    [
      { counterpart: { identifier: iban, details: { name: 'Max', address: { city: '北京' } } } },
      { 'counterpart.details.address.country': 'is required, or else a country beside the address' },
    ],
    [
      { counterpart: { identifier: iban, details: { ...payee, address: { city: '北京' } } } },
      { 'counterpart.details.address.city': 'has no letter or digit that banks can transmit: Latin, Greek or Cyrillic' },
    ],
    [{ supportingDocumentId: randomUUID() }, { supportingDocumentId: 'is not a file that you uploaded' }],
    [{ amount: '100000.01', supportingDocumentId: randomUUID() }, { supportingDocumentId: 'is not a file that you uploaded' }],
  ])('%j', async (change, errors) => {
    expect(await errorsOf(refused, await refused.order(change))).toEqual(errors);
  });

  it('lacks everything', async () => {
    const fields = ['address', 'currency', 'chain', 'kind', 'amount', 'counterpart', 'message', 'signature'];
    const required = Object.fromEntries(fields.map((field) => [field, 'is required']));
    expect(await errorsOf(refused, { id: randomUUID() })).toEqual(required);
  });

  const inPoundsTo = async (at: unknown) =>
    errorsOf(refused, await refused.order({ ...inPounds, counterpart: { identifier: iban, details: { ...payee, address: at } } }));

  it("lacks the payee's address where the operator's bank needs it", async () => {
    const required = 'is required in a payment of GBP';
    const all = ['street', 'city', 'country'].map((part) => [`counterpart.details.address.${part}`, required]);
    expect(await inPoundsTo('Hauptstr. 1, Berlin')).toEqual(Object.fromEntries(all));
    expect(await inPoundsTo({ city: 'Berlin' })).toEqual({ 'counterpart.details.address.street': required });
  });

  it('an expired message', async () => {
    const message = `Send EUR 10.50 to DE89...3000 at ${new Date(Date.now() - 301_000).toISOString()}`;
    expect(await errorsOf(refused, await refused.order({ message }))).toEqual({ message: 'timestamp is expired' });
  });

  it("another key's signature", async () => {
    const order = await refused.order();
    const signature = await createWallet().signMessage({ message: order.message });
    expect(await errorsOf(refused, { ...order, signature })).toEqual({ signature: 'invalid signature' });
  });

  it('an address that is linked on another chain only', async () => {
    expect(await errorsOf(refused, await refused.order({ chain: 'basesepolia' }))).toEqual({
      address: 'is not linked to a profile of the caller on basesepolia',
    });
  });

  it('and has placed nothing of these', async () => {
    expect((await refused.get('/orders')).json.total).toBe(0);
  });

  it('more than the balance less what open orders will burn', async () => {
    const caller = await redeemer(api, 25n);
    expect(await errorsOf(caller, await caller.order({ amount: '25.01' }))).toEqual({ amount: 'insufficient balance' });
    expect((await caller.post('/orders', await caller.order({ amount: '10' }))).status).toBe(200);
    expect(await errorsOf(caller, await caller.order({ amount: '15.01' }))).toEqual({ amount: 'insufficient balance' });
    expect((await caller.post('/orders', await caller.order({ amount: '15' }))).status).toBe(200);
  });

  it('no order for tokens that an unconfirmed block has burnt: they are not counted twice', async () => {
    const caller = await redeemer(api, 100n);
    const { json } = await caller.post('/orders', await caller.order({ amount: '60' }));
    api.fund(caller.wallet.address, 40n);
    expect(await errorsOf(caller, await caller.order({ amount: '40' }))).toEqual({ amount: 'insufficient balance' });
    api.burnt.add(json.id);
    expect((await caller.post('/orders', await caller.order({ amount: '40' }))).status).toBe(200);
  });

  it('with 503, not for the balance, while the indexer has none to show', async () => {
    const notReady = new RetryError({ code: 'indexer_not_ready', message: 'not yet' });
    const api = await createTestApi({ readBalances: () => Promise.reject(notReady) });
    const caller = await redeemer(api);
    expect(await errorsOf(caller, await caller.order())).toEqual({ status: 503 });
    await api.close();
  });

  it('a message that was used before, also under another id', async () => {
    const caller = await redeemer(api);
    const order = await caller.order();
    expect((await caller.post('/orders', order)).status).toBe(200);
    for (const change of [{}, { id: randomUUID() }, { memo: 'Another' }])
      expect(await errorsOf(caller, { ...order, ...change })).toEqual({ message: 'already used' });
    expect((await caller.post('/orders', order)).json.details.message).toMatch(/a message with another time, which may differ by a second/);
  });
});

describe('POST /orders with an id', () => {
  it('answers the same order to the same body, also when its message has expired or its amount is written otherwise', async () => {
    const caller = await redeemer(api, 11n);
    const order = await caller.order({ id: randomUUID().toUpperCase() });
    const first = await caller.post('/orders', order);
    expect(first.json.id).toBe((order.id as string).toLowerCase());
    expect(await caller.post('/orders', { ...order, amount: '10.5', unknown: 1 })).toMatchObject({ status: 200, json: first.json });
    expect((await caller.get('/orders')).json.total).toBe(1);
  });

  it('refuses another body, and an id of somebody else, alike', async () => {
    const [first, second] = [await redeemer(api), await redeemer(api)];
    const order = await first.order({ id: randomUUID() });
    await first.post('/orders', order);
    const answers = [
      await first.post('/orders', { ...order, memo: 'Another' }),
      await first.post('/orders', await first.order({ id: order.id })),
      await second.post('/orders', order),
      await second.post('/orders', await second.order({ id: order.id })),
    ];
    for (const { status, json } of answers) {
      expect(status).toBe(409);
      expect(json).toEqual({ code: 409, status: 'Conflict', message: 'The id is taken by another order', reason: 'order_conflict' });
    }
  });
});

describe('POST /orders of a contract account', () => {
  it('places the order when the account recognises its signature', async () => {
    const caller = await contractRedeemer(api);
    const { status, json } = await caller.post('/orders', caller.order());
    expect(status).toBe(200);
    expect(json).toMatchObject({ state: 'placed', amount: '10.00', address: caller.address });
  });

  it('refuses a signature that it does not recognise, and keeps the message free', async () => {
    const caller = await contractRedeemer(api);
    const order = caller.order({ id: randomUUID() });
    caller.account.says = () => 'invalid';
    const { json } = await caller.post('/orders', order);
    expect(json).toMatchObject({
      errors: { signature: 'invalid signature' },
      details: { signature: 'The account does not recognise the signature.' },
    });
    expect((await caller.get('/orders')).json.total).toBe(0);
    caller.account.says = () => 'valid';
    expect((await caller.post('/orders', order)).status).toBe(200);
  });

  it('answers 202 when no verdict comes within 3 seconds: the order waits for it', async () => {
    const caller = await contractRedeemer(api);
    caller.account.says = () => 'unavailable';
    const order = caller.order({ id: randomUUID() });
    const answers = await Promise.all(Array.from({ length: 4 }, () => caller.post('/orders', order)));
    for (const answer of answers) expect(answer).toMatchObject({ status: 202, json: { code: 202, status: 'Accepted' } });
    expect((await caller.get('/signatures')).json.total).toBe(1);
    expect((await caller.post('/orders', order)).status).toBe(202);
    caller.account.says = () => 'valid';
    api.accounts.wake('signatures-chiado');
    await api.accounts.settled();
    expect(await caller.post('/orders', order)).toMatchObject({ status: 200, json: { id: order.id, state: 'placed' } });
    expect((await caller.get('/orders')).json.total).toBe(1);
  });

  it('answers 202 to 0x, shows what has to be signed, and goes on when it is', async () => {
    const caller = await contractRedeemer(api);
    caller.account.says = () => 'unavailable';
    const order = caller.order({ id: randomUUID(), signature: '0x' });
    const answers = await Promise.all(Array.from({ length: 6 }, () => caller.post('/orders', order)));
    for (const answer of answers) expect(answer).toMatchObject({ status: 202, json: { code: 202, status: 'Accepted' } });
    const { headers, json } = await caller.get('/signatures');
    expect(headers.get('X-Total-Count')).toBe('1');
    expect(json).toEqual({
      pending: [
        {
          id: order.id,
          kind: 'order',
          chain: 'chiado',
          address: caller.address,
          amount: '10.00',
          currency: 'eur',
          counterpart: { identifier: { standard: 'iban', iban: payeeIban }, details: payee },
          message: order.message,
          createdAt: expect.stringMatching(/Z$/),
        },
      ],
      total: 1,
    });
    caller.account.says = () => 'valid';
    await api.accounts.block('chiado');
    expect((await caller.post('/orders', order)).status).toBe(200);
    expect((await caller.get('/signatures')).json.total).toBe(0);
  });

  it('counts what waits for a signature as spoken for', async () => {
    const caller = await contractRedeemer(api);
    const order = (amount: string) =>
      caller.order({ signature: '0x', amount, message: `Send EUR ${amount} to DE89...3000 at ${new Date().toISOString()}` });
    expect((await caller.post('/orders', order('999'))).status).toBe(202);
    expect(await errorsOf(caller, order('2'))).toEqual({ amount: 'insufficient balance' });
  });

  it('takes no more orders at once than the account holds, however they are signed', async () => {
    const caller = await contractRedeemer(api);
    const amount = '300.00';
    const orders = Array.from({ length: 6 }, (_, index) =>
      caller.order({
        id: randomUUID(),
        amount,
        message: `Send EUR ${amount} to ${payeeIban} at ${new Date(Date.now() + index).toISOString()}`,
        ...(index % 2 === 0 && { signature: '0x' }),
      }),
    );
    const answers = await Promise.all(orders.map((order) => caller.post('/orders', order)));
    expect(answers.filter(({ json }) => json.errors?.amount === 'insufficient balance')).toHaveLength(3);
    expect((await caller.get('/orders')).json.total).toBe(3);
    for (const [index, { status }] of answers.entries())
      if (status < 300) expect((await caller.post('/orders', orders[index])).status).toBe(status);
  });

  it('places one order for identical requests at once', async () => {
    const caller = await contractRedeemer(api);
    const order = caller.order({ id: randomUUID() });
    const answers = await Promise.all(Array.from({ length: 6 }, () => caller.post('/orders', order)));
    expect(answers.map(({ status, json }) => [status, json.id])).toEqual(Array.from({ length: 6 }, () => [200, order.id]));
    expect((await caller.get('/orders')).json.total).toBe(1);
  });
});

describe('GET /signatures', () => {
  it('is narrowed by address, chain and kind', async () => {
    const caller = await contractRedeemer(api);
    const { address } = createWallet();
    await caller.post('/orders', caller.order({ signature: '0x' }));
    await caller.post('/addresses', { address, chain: 'basesepolia', signature: '0x' });
    const kinds = async (query: string) =>
      ((await caller.get(`/signatures?${query}`)).json.pending as { kind: string }[]).map(({ kind }) => kind).sort();
    expect(await kinds('')).toEqual(['linkAddress', 'order']);
    expect(await kinds('kind=order')).toEqual(['order']);
    expect(await kinds('chain=base%20sepolia')).toEqual(['linkAddress']);
    expect(await kinds(`address=${address}`)).toEqual(['linkAddress']);
    expect(await kinds(`address=${address}&kind=order`)).toEqual([]);
    expect((await caller.get('/signatures?kind=x&chain=y')).json.errors).toEqual({
      kind: 'must be one of order, linkAddress',
      chain: 'is not a chain: must be one of chiado, basesepolia',
    });
  });
});
