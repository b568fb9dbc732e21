import * as fc from 'fast-check';
import { getAddress, verifyTypedData } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { beforeAll, describe, expect, it } from 'vitest';
import { quoteIdOf, swapQuoteTypedData } from '../../../src/chain/swap-quote.ts';
import { openSwapMaker } from '../../../src/api/swap-maker.ts';
import { RetryError } from '../../../src/platform/errors.ts';
import { tokenUnits } from '../../../src/platform/money.ts';
import { loadSettings } from '../../../src/platform/settings.ts';
import { createTestApi, createWallet, type Partner, type TestApi } from '../support/test-api.ts';
import { createTestMaker, rate, settlement, swapEnv, swapTokens } from './swap-maker.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const { eur, usd, gbp } = swapTokens;
const chainId = 421_614;
const desk = createTestMaker();

const api = forWholeFile(() => createTestApi({ swap: desk, env: swapEnv }));
let caller: Partner;
let taker: string;
beforeAll(async () => {
  caller = await api.partner();
  taker = (await caller.link(createWallet(), 'arbitrumsepolia')).address;
  stock(api, 1_000_000n);
});

function stock(target: TestApi, amount: bigint, maker = desk.signer.address): void {
  for (const currency of ['eur', 'usd']) target.fund(maker, amount, currency, 'arbitrumsepolia');
}

const sale = { takerToken: eur, makerToken: usd, takerAmount: '1000' };
const units = (decimal: string): bigint => rate(decimal);

describe('POST /swap', () => {
  it('quotes a sale: the mid rate less spread and impact, with its values in dollars', async () => {
    const { status, json } = await caller.post('/swap', sale);
    expect(status).toBe(200);
    expect(json).toEqual({
      takerToken: getAddress(eur),
      makerToken: getAddress(usd),
      takerAmount: '1000.00',
      // 1250 dollars, of which 1 % is kept, and of the rest 1250 in 1001250 by the impact.
      makerAmount: '1235.955056179775280898',
      price: '1.23595505617977528',
      priceImpact: '0.1249',
      takerAmountUsd: '1250.00',
      makerAmountUsd: '1235.955056',
    });
  });

  it('quotes a purchase: what is to be paid for an exact amount', async () => {
    const { json } = await caller.post('/swap', { takerToken: usd, makerToken: eur, makerAmount: '0.01' });
    expect(json).toMatchObject({ makerAmount: '0.01', takerAmount: '0.012626262785685137', makerAmountUsd: '0.0125' });
  });

  it('takes addresses in any case, ignores fields it does not know, and needs no linked address: a price commits nobody', async () => {
    const { post } = await api.partner('whitelabel');
    expect((await post('/swap', { ...sale, takerToken: getAddress(eur), slippage: 1, chainId: 1 })).status).toBe(200);
  });

  const unknownToken = 'is not a token of arbitrumsepolia: see GET /tokens';
  const oneAmount = 'exactly one of takerAmount and makerAmount is required';
  const malformed = 'must be digits with at most 18 decimals, such as 10.50';
  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['no token to pay', { takerToken: undefined }, { takerToken: expect.any(String) }],
    ['no token to get', { makerToken: undefined }, { makerToken: expect.any(String) }],
    ['no address', { takerToken: 'eur' }, { takerToken: 'must be an address: 0x and 40 hexadecimal digits' }],
    ['two unknown tokens', { takerToken: settlement, makerToken: settlement }, { takerToken: unknownToken, makerToken: unknownToken }],
    ['a token of another chain', { makerToken: '0xcb444e90d8198415266c6a2724b7900fb12fc56e' }, { makerToken: unknownToken }],
    ['the same token twice', { makerToken: eur }, { makerToken: 'is the same token as takerToken' }],
    ['no amount', { takerAmount: undefined }, { takerAmount: oneAmount, makerAmount: oneAmount }],
    ['both amounts', { makerAmount: '1' }, { takerAmount: oneAmount, makerAmount: oneAmount }],
    ['zero', { takerAmount: '0.000' }, { takerAmount: 'must be greater than zero' }],
    ['less than zero', { takerAmount: '-1' }, { takerAmount: malformed }],
    ['19 decimals', { takerAmount: '1.0000000000000000001' }, { takerAmount: malformed }],
    ['an exponent', { takerAmount: '1e3' }, { takerAmount: malformed }],
    ['more digits than there is money', { takerAmount: '9'.repeat(16) }, { takerAmount: malformed }],
    ['a number', { takerAmount: 10 }, { takerAmount: expect.any(String) }],
    [
      'more than the maker sells at once',
      { takerAmount: undefined, makerAmount: '990000' },
      { makerAmount: 'is more than the maker sells at once' },
    ],
  ])('refuses %s', async (_, change, errors) => {
    const { status, json } = await caller.post('/swap', { ...sale, ...change });
    expect(status).toBe(400);
    expect(json).toMatchObject({ message: 'Validation errors', errors });
  });

  it('refuses what is too small to be worth a token unit', async () => {
    const cheap = createTestMaker({ readRates: async () => ({ time: new Date(), usd: { eur: 1n, usd: rate('1') } }) });
    const other = await createTestApi({ swap: cheap, env: swapEnv, database: api.database });
    const { status, json } = await (await other.partner()).post('/swap', { ...sale, takerAmount: '0.1' });
    expect([status, json.errors]).toEqual([400, { takerAmount: 'is too small to be worth anything' }]);
    await other.close();
  });

  it('answers 503 for a currency without a rate', async () => {
    const { status, json, headers } = await caller.post('/swap', { ...sale, makerToken: gbp });
    expect([status, json.message]).toEqual([503, 'No price is available at the moment: try again later']);
    expect(headers.get('Retry-After')).toBe('5');
  });

  it('answers 503 while the rates cannot be used, and does not say where they lie', async () => {
    const outage = new RetryError({ code: 'price_unavailable', message: 'ENOENT /etc/rates.json' });
    const other = await createTestApi({
      swap: createTestMaker({ readRates: () => Promise.reject(outage) }),
      env: swapEnv,
      database: api.database,
    });
    const { status, text } = await (await other.partner()).post('/swap', sale);
    expect(status).toBe(503);
    expect(text).not.toContain('rates.json');
    await other.close();
  });

  it('answers 503 where swaps are not set up, and says what is missing', async () => {
    const other = await createTestApi({ database: api.database });
    const { status, json } = await (await other.partner()).post('/swap', sale);
    expect(status).toBe(503);
    expect(json.message).toMatch(/not configured here \(ARBITRUMSEPOLIA_TOKENS, SWAP_SIGNER, SWAP_SETTLEMENT, SWAP_RATES_FILE\)/);
    await other.close();
  });
});

function commit(change: Record<string, unknown> = {}, by = caller) {
  return by.post('/swap/commit', { ...sale, taker, chainId, ...change });
}

describe('POST /swap/commit', () => {
  it('answers the quote with what the contract wants, signed by the maker', async () => {
    const before = Math.floor(Date.now() / 1_000);
    const { status, json } = await commit();
    expect(status).toBe(200);
    const { id, nonce, expiry, signature, ...quoted } = json;
    expect(quoted).toEqual({ ...(await caller.post('/swap', sale)).json, chainId });
    expect(expiry - before).toBeGreaterThanOrEqual(60);
    expect(expiry - before).toBeLessThanOrEqual(62);
    const message = {
      taker: taker as `0x${string}`,
      takerToken: eur,
      makerToken: usd,
      takerAmount: tokenUnits(units(json.takerAmount)),
      makerAmount: tokenUnits(units(json.makerAmount)),
      expiry: BigInt(expiry),
      nonce: BigInt(nonce),
      quoteId: quoteIdOf(id),
    };
    const typedData = swapQuoteTypedData(message, { chainId, settlement });
    expect(await verifyTypedData({ ...typedData, address: desk.signer.address, signature })).toBe(true);
  });

  it('records what it committed to', async () => {
    const { json } = await commit();
    const row = await api.ledger.selectFrom('swapQuotes').where('id', '=', json.id).selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({
      nonce: BigInt(json.nonce),
      taker: taker.toLowerCase(),
      maker: desk.signer.address,
      settlement,
      takerAmount: String(units(json.takerAmount)),
      makerAmount: String(units(json.makerAmount)),
    });
    const audit = api.ledger.selectFrom('auditLog').where('subject', '=', json.id).selectAll();
    expect(await audit.executeTakeFirst()).toMatchObject({ action: 'swap.commit', actor: caller.clientId });
  });

  it('gives every quote a nonce of its own, also when they come together', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => commit({ takerAmount: '1' })));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ json }) => json.nonce)).size).toBe(12);
    expect(new Set(answers.map(({ json }) => json.id)).size).toBe(12);
  });

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['no taker', { taker: undefined }, { taker: expect.any(String) }],
    ['a taker that is no address', { taker: 'me' }, { taker: 'must be an address: 0x and 40 hexadecimal digits' }],
    ['no chain', { chainId: undefined }, { chainId: 'must be 421614, the only chain with swaps' }],
    ['another chain', { chainId: 10_200 }, { chainId: 'must be 421614, the only chain with swaps' }],
    ['both amounts', { makerAmount: '1' }, { takerAmount: expect.any(String), makerAmount: expect.any(String) }],
    ['the same token twice', { makerToken: eur }, { makerToken: 'is the same token as takerToken' }],
  ])('refuses %s', async (_, change, errors) => {
    const { status, json } = await commit(change);
    expect([status, json.errors]).toEqual([400, errors]);
  });

  it('refuses a taker that is linked on another chain only, as it does one of nobody', async () => {
    const elsewhere = await caller.link(createWallet(), 'chiado');
    const answers = [await commit({ taker: createWallet().address }), await commit({ taker: elsewhere.address })];
    expect(answers.map(({ status }) => status)).toEqual([403, 403]);
    expect(answers[0]?.text).toBe(answers[1]?.text);
  });

  it('refuses a taker whose profile is not approved', async () => {
    const other = await api.partner();
    const { address } = await other.link(createWallet(), 'arbitrumsepolia');
    await api.ledger.updateTable('profiles').set({ state: 'pending' }).where('id', '=', other.profile).execute();
    const { status, json } = await commit({ taker: address }, other);
    expect([status, json.message]).toEqual([403, expect.stringMatching(/Only an approved profile swaps/)]);
  });

  it('commits the maker to no more than it holds, also when requests come together, and to more once quotes have lapsed', async () => {
    const { other, holder, address } = await poorDesk();
    const ask = () => commit({ taker: address, takerAmount: undefined, makerAmount: '30' }, holder);
    const answers = await Promise.all(Array.from({ length: 8 }, ask));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.toSorted((one, two) => one - two)).toEqual([200, 200, 200, 503, 503, 503, 503, 503]);
    const refused = answers.find(({ status }) => status === 503);
    expect(refused?.json.message).toMatch(/maker holds too little of makerToken/);
    // What can still be carried out, or was and is not yet indexed, counts on.
    await lapse(other, 10);
    expect((await ask()).status).toBe(503);
    await lapse(other, 20);
    expect((await ask()).status).toBe(200);
    await other.close();
  });

  it('leaves other tokens alone that are quoted', async () => {
    const { other, holder, address } = await poorDesk();
    const pair = (takerToken: string, makerToken: string) =>
      commit({ taker: address, takerToken, makerToken, takerAmount: undefined, makerAmount: '90' }, holder);
    expect((await pair(eur, usd)).status).toBe(200);
    expect((await pair(usd, eur)).status).toBe(200);
    expect((await pair(eur, usd)).status).toBe(503);
    await other.close();
  });
});

/** A desk with 100 of each token, and who asks it. */
async function poorDesk() {
  const poor = createTestMaker();
  const other = await createTestApi({ swap: poor, env: swapEnv, database: api.database });
  const holder = await other.partner();
  stock(other, 100n, poor.signer.address);
  return { other, holder, ...(await holder.link(createWallet(), 'arbitrumsepolia')) };
}

async function lapse({ ledger }: TestApi, seconds: number): Promise<void> {
  await ledger
    .updateTable('swapQuotes')
    .set({ expiry: new Date(Date.now() - seconds * 1_000) })
    .execute();
}

function settingsOf(env: Record<string, string>) {
  return loadSettings({ DATABASE_URL: 'postgres://nowhere', MINTRAIL_ENVIRONMENT: 'sandbox', ...env });
}

describe('the desk of a process', () => {
  const privateKey = `0x${'11'.repeat(32)}`;
  const configured = { ...swapEnv, SWAP_SIGNER: privateKey, SWAP_SETTLEMENT: getAddress(settlement), SWAP_RATES_FILE: '/nonexistent' };

  it('is what the settings say, with the maker that they name', async () => {
    const opened = await openSwapMaker(settingsOf(configured));
    expect(opened).toMatchObject({ settlement, spreadBps: 20n, depthUsd: 10_000_000n, quoteSeconds: 60 });
    expect(opened?.signer.address).toBe(privateKeyToAddress(privateKey as `0x${string}`).toLowerCase());
    await expect(opened?.readRates()).rejects.toMatchObject({ code: 'price_unavailable' });
  });

  it.each(['ARBITRUMSEPOLIA_TOKENS', 'SWAP_SIGNER', 'SWAP_SETTLEMENT', 'SWAP_RATES_FILE'])('is not opened without %s', async (name) => {
    expect(await openSwapMaker(settingsOf({ ...configured, [name]: '' }))).toBeUndefined();
  });

  it('is not opened in production', async () => {
    expect(await openSwapMaker(settingsOf({ ...configured, MINTRAIL_ENVIRONMENT: 'production' }))).toBeUndefined();
  });
});

describe('any amount', () => {
  it('is answered exactly: the wire amounts are those of the price, to the last token unit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.bigInt(1n, 10n ** 24n), async (given) => {
        const text = `${given / 10n ** 18n}.${(given % 10n ** 18n).toString().padStart(18, '0')}`;
        const { json } = await caller.post('/swap', { ...sale, takerAmount: text });
        expect(units(json.takerAmount)).toBe(given);
        expect(units(json.makerAmount) * 100n).toBeLessThan(given * 125n);
      }),
      { numRuns: 30 },
    );
  });
});
