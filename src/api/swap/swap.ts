import { createRoute } from '@hono/zod-openapi';
import { getAddress } from 'viem';
import type { Caller } from '../../ledger/access/permissions.ts';
import { quoteIdOf, swapQuoteTypedData } from '../../chain/swap-quote.ts';
import { findAddress } from '../../ledger/customers/addresses.ts';
import { requireApproved } from '../../ledger/customers/profiles.ts';
import { recordSwapQuote } from '../../ledger/orders/swap-quotes.ts';
import type { LowerAddress } from '../../platform/addresses.ts';
import { RetryError, StopError } from '../../platform/errors.ts';
import { currencies, type Currency, tokenUnits } from '../../platform/money.ts';
import type { Settings } from '../../platform/settings.ts';
import { type Price, pricePurchase, priceSale } from '../../swap/price.ts';
import type { ApiDependencies, AddRoutes } from '../api.ts';
import { invalid, notAllowed } from '../http/errors.ts';
import { bearerAccess, errorResponses, json, jsonBody } from '../http/responses.ts';
import {
  committedQuoteSchema,
  commitRequestSchema,
  priceBody,
  type SwapRequest,
  swapQuoteSchema,
  swapRequestSchema,
} from './swap-schema.ts';
import { swapChain } from '../../platform/chains.ts';
import { missingVariables, swapChainId, type SwapMaker } from '../swap-maker.ts';

const access = bearerAccess('Swap');

const priceErrors = ['price_unavailable', 'swap_not_configured'] as const;

const quoteRoute = {
  method: 'post',
  path: '/swap',
  ...access,
  operationId: 'readSwapPrice',
  summary: 'Read the price of a swap',
  description: 'A preview, in the sandbox only: what a swap of two currencies costs now. It binds nobody; `POST /swap/commit` does.',
  request: { body: jsonBody(swapRequestSchema, 'What to swap.') },
  responses: { 200: json(swapQuoteSchema, 'The quote.'), ...errorResponses(401, 403, 406, 413, 415, ...priceErrors) },
} as const;

const commitRoute = {
  method: 'post',
  path: '/swap/commit',
  ...access,
  operationId: 'commitSwap',
  summary: 'Request a signed quote',
  description:
    'A preview, in the sandbox only. The taker gives the settlement contract an allowance and calls its `swap` with the quote and its signature before `expiry`: both tokens move, or neither. ' +
    'Each request gets another quote; one that is not used expires.',
  request: { body: jsonBody(commitRequestSchema, 'What to swap, and for whom.') },
  responses: {
    200: json(committedQuoteSchema, 'The quote and its signature.'),
    ...errorResponses(401, 403, 406, 413, 415, ...priceErrors, 'profile_not_approved', 'maker_balance_too_low', 'indexer_not_ready'),
  },
} as const;

/** `/swap` (docs/api.md, Swap): a preview, in the sandbox only. */
export const addSwap: AddRoutes = (api, deps, guards) => {
  if (deps.settings.environment !== 'sandbox') return;
  api.openapi(createRoute({ ...quoteRoute, middleware: guards.caller }), async (context) => {
    const { price, ...pair } = await quote(deps, context.req.valid('json'));
    return context.json({ ...tokensBody(pair), ...priceBody(price) }, 200);
  });
  api.openapi(createRoute({ ...commitRoute, middleware: guards.caller }), async (context) => {
    const { taker, ...request } = context.req.valid('json');
    const { caller, correlationId } = context.var;
    const committed = await commit(deps, { caller, correlationId, taker, request });
    return context.json(committed, 200);
  });
};

interface Pair {
  taker: Token;
  maker: Token;
}

interface Token {
  currency: Currency;
  address: LowerAddress;
}

async function quote({ settings, swap }: ApiDependencies, request: SwapRequest): Promise<Pair & { swapMaker: SwapMaker; price: Price }> {
  const swapMaker = swap ?? notConfigured(settings);
  const pair = findPair(settings, request);
  const { usd } = await swapMaker.readRates();
  const { takerRate, makerRate } = { takerRate: usd[pair.taker.currency], makerRate: usd[pair.maker.currency] };
  if (takerRate === undefined || makerRate === undefined)
    throw noPrice(takerRate === undefined ? pair.taker.currency : pair.maker.currency);
  const market = { takerRate, makerRate, spreadBps: swapMaker.spreadBps, depthUsd: swapMaker.depthUsd };
  return { ...pair, swapMaker, price: priceOf(market, request) };
}

function priceOf(market: Parameters<typeof priceSale>[0], { takerAmount, makerAmount = tokenUnits(0n) }: SwapRequest): Price {
  if (takerAmount === undefined) {
    const price = pricePurchase(market, makerAmount);
    if (!price) throw invalid({ makerAmount: 'is more than the maker sells at once' });
    return price;
  }
  const price = priceSale(market, takerAmount);
  if (price.makerAmount === 0n) throw invalid({ takerAmount: 'is too small to be worth anything' });
  return price;
}

/**
 * Commits the maker to a new quote with its own nonce; each request gets another quote, and an unused quote expires. The taker must be a
 * linked address, like everyone who receives e-money. The quote is recorded before it is signed, so no signature is without a record.
 */
async function commit(
  deps: ApiDependencies,
  { caller, correlationId, taker, request }: { caller: Caller; correlationId: string; taker: LowerAddress; request: SwapRequest },
) {
  const { ledger, readBalances } = deps;
  const { price, swapMaker, ...pair } = await quote(deps, request);
  const { signer, settlement } = swapMaker;
  const linked = await findAddress(ledger, caller, taker, swapChain);
  if (!linked) throw notAllowed(`The taker is not linked to a profile of the caller on ${swapChain}`);
  await requireApproved(ledger, linked.profile, 'swaps');
  const held = (await readBalances(swapChain, signer.address, [pair.maker.currency]))[pair.maker.currency] ?? tokenUnits(0n);
  const expiry = Math.floor(Date.now() / 1_000) + swapMaker.quoteSeconds;
  const terms = {
    taker,
    takerToken: pair.taker.address,
    makerToken: pair.maker.address,
    takerAmount: price.takerAmount,
    makerAmount: price.makerAmount,
  };
  const where = { chain: swapChain, settlement, maker: signer.address, profile: linked.profile };
  const { id, nonce } = await recordSwapQuote(ledger, { ...terms, ...where, expiry: new Date(expiry * 1_000), correlationId }, held);
  const typedData = swapQuoteTypedData(
    { ...terms, expiry: BigInt(expiry), nonce, quoteId: quoteIdOf(id) },
    { chainId: swapChainId, settlement },
  );
  const signature = await signer.signTypedData(typedData);
  return { ...tokensBody(pair), ...priceBody(price), id, chainId: swapChainId, nonce: Number(nonce), expiry, signature };
}

/** The two tokens. Throws `invalid_request` unless they are two different tokens of the chain. */
function findPair({ networks }: Settings, { takerToken, makerToken }: SwapRequest): Pair {
  const tokens = networks[swapChain]?.tokens ?? {};
  const tokenOf = (address: LowerAddress): Token | undefined => {
    const currency = currencies.find((name) => tokens[name] === address);
    return currency && { currency, address };
  };
  const [taker, maker] = [tokenOf(takerToken), tokenOf(makerToken)];
  const unknown = `is not a token of ${swapChain}: see GET /tokens`;
  if (!taker || !maker) throw invalid({ ...(taker ? {} : { takerToken: unknown }), ...(maker ? {} : { makerToken: unknown }) });
  if (taker.currency === maker.currency) throw invalid({ makerToken: 'is the same token as takerToken' });
  return { taker, maker };
}

function tokensBody({ taker, maker }: Pair) {
  return { takerToken: getAddress(taker.address), makerToken: getAddress(maker.address) };
}

function noPrice(currency: Currency): RetryError {
  return new RetryError({ code: 'price_unavailable', message: `No price is available now: there is no rate of ${currency}` });
}

function notConfigured(settings: Settings): never {
  const missing = missingVariables(settings);
  throw new StopError({
    code: 'swap_not_configured',
    message: `No price is available: swaps are not configured here (${missing.join(', ')})`,
  });
}
