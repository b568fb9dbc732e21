import { type Address, createWalletClient, type Hex, http, parseUnits, publicActions } from 'viem';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { swapSettlementAbi } from '../../../abis/swapSettlement.ts';
import { quoteIdOf } from '../../chain/swap-quote.ts';
import { MintrailApiError, type Schemas } from '../../client/index.ts';
import { accountOf, type Actors, compareBalance, followOrder, linkAddress, waitFor } from './actors.ts';

const payer = { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' };
const amount = '50.00';

/** One currency for another: a price, a quote that the maker signs, and the contract that carries it out. */
export async function tellSwapStory(actors: Actors, iban: string): Promise<void> {
  const { client, file, narrator } = actors;
  const { chain } = file.swap;
  const account = accountOf(actors, 0);

  narrator.step(`The customer gets 50 euro on ${chain}, and asks what they are in dollars`);
  await linkAddress(actors, account, chain);
  const remittance = `${chain}:${account.address}`;
  const { order } = await client.post('/sandbox/credits', { body: { iban, amount, currency: 'eur', payer, remittance } });
  await followOrder(actors, order?.id as string);
  const { chainId, tokens } = file.chains[chain] as { chainId: 421614; tokens: Record<'eur' | 'usd', Address> };
  const asked = { takerToken: tokens.eur, makerToken: tokens.usd, takerAmount: amount };
  const { makerAmount, price, priceImpact } = await client.post('/swap', { body: asked });
  narrator.fact('quote', `${makerAmount} usd, ${price} each, ${priceImpact} % of price impact`);

  narrator.step('The maker signs a quote, and the customer carries it out on chain');
  const commit = () => client.post('/swap/commit', { body: { ...asked, taker: account.address, chainId } });
  const quote = await waitFor('a maker with tokens', () => commit().catch(ignoreShortage));
  narrator.fact('committed', `${quote.id} with nonce ${quote.nonce}, good until ${new Date(quote.expiry * 1_000).toISOString()}`);
  const holding = () =>
    client.get('/balances/{chain}/{address}', { path: { chain, address: account.address }, query: { currency: ['usd'] } });
  const before = (await holding()).balances[0]?.amount;
  narrator.fact('transaction', await carryOut(actors, quote));
  await waitFor('the indexer to see it', async () => ((await holding()).balances[0]?.amount === before ? undefined : true));
  await compareBalance(actors, chain, account.address, 'usd');
}

/** Right after the first start the maker has not got its tokens yet. */
function ignoreShortage(error: unknown): undefined {
  if (error instanceof MintrailApiError && error.status === 503) return undefined;
  throw error;
}

/** Gives the contract the allowance for what is paid, and the quote. Returns the hash. */
async function carryOut(actors: Actors, quote: Schemas['SwapCommittedQuote']): Promise<Hex> {
  const { chain, settlement } = actors.file.swap;
  const wallet = createWalletClient({
    account: accountOf(actors, 0),
    transport: http(actors.file.chains[chain]?.rpcUrl),
    pollingInterval: 100,
  }).extend(publicActions);
  const [taker, takerToken, makerToken] = [wallet.account.address, quote.takerToken as Address, quote.makerToken as Address];
  const [takerAmount, makerAmount] = [parseUnits(quote.takerAmount, 18), parseUnits(quote.makerAmount, 18)];
  const approval = await wallet.writeContract({
    address: takerToken,
    abi: eMoneyTokenAbi,
    functionName: 'approve',
    args: [settlement, takerAmount],
    chain: null,
  });
  await wallet.waitForTransactionReceipt({ hash: approval });
  const [expiry, nonce, signature] = [BigInt(quote.expiry), BigInt(quote.nonce), quote.signature as Hex];
  const hash = await wallet.writeContract({
    address: settlement,
    abi: swapSettlementAbi,
    functionName: 'swap',
    args: [taker, takerToken, makerToken, takerAmount, makerAmount, expiry, nonce, quoteIdOf(quote.id), signature],
    chain: null,
  });
  await wallet.waitForTransactionReceipt({ hash });
  return hash;
}
