import { type Address, createWalletClient, type Hex, http, parseUnits, publicActions } from 'viem';
import { eMoneyTokenAbi } from '../../abis/eMoneyToken.ts';
import { swapSettlementAbi } from '../../abis/swapSettlement.ts';
import { quoteIdOf } from '../../src/chain/swap-quote.ts';
import { MintrailApiError, type Schemas } from '../../client/index.ts';
import { accountOf, type DemoContext, compareBalance, followOrder, linkAddress, waitFor } from './shared-steps.ts';

const payer = { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' };
const amount = '50.00';

type Swaps = NonNullable<DemoContext['file']['swap']>;

/** Swap: one currency for another, by a price, a quote that the maker signs, and a contract. */
export async function demonstrateSwap(context: DemoContext, iban: string): Promise<void> {
  const { client, file, printer } = context;
  const { swap } = file;
  if (!swap) return;
  const { chain } = swap;
  const account = accountOf(context, 0);

  printer.step(`The customer receives 50 euro on ${chain}, and asks for their price in dollars`);
  await linkAddress(context, account, chain);
  const remittance = `${chain}:${account.address}`;
  const { order } = await client.post('/sandbox/credits', { body: { iban, amount, currency: 'eur', payer, remittance } });
  await followOrder(context, order?.id as string);
  const { chainId, tokens } = file.chains[chain] as { chainId: 421614; tokens: Record<'eur' | 'usd', Address> };
  const pair = { takerToken: tokens.eur, makerToken: tokens.usd, takerAmount: amount };
  const { makerAmount, price, priceImpact } = await client.post('/swap', { body: pair });
  printer.fact('quote', `${makerAmount} usd at ${price}, price impact ${priceImpact} %`);

  printer.step('The maker signs a quote, and the customer executes it on chain');
  const commit = () => client.post('/swap/commit', { body: { ...pair, taker: account.address, chainId } });
  const quote = await waitFor('A signed quote', () => commit().catch(ignoreShortage));
  printer.fact('committed', `${quote.id} with nonce ${quote.nonce}, valid until ${new Date(quote.expiry * 1_000).toISOString()}`);
  const holding = () =>
    client.get('/balances/{chain}/{address}', { path: { chain, address: account.address }, query: { currency: ['usd'] } });
  const before = (await holding()).balances[0]?.amount;
  printer.fact('transaction', await execute(context, swap, quote));
  await waitFor('The indexing of the swap', async () => ((await holding()).balances[0]?.amount === before ? undefined : true));
  await compareBalance(context, chain, account.address, 'usd');
}

/** Soon after the first start of a sandbox the maker has no tokens yet. */
function ignoreShortage(error: unknown): undefined {
  if (error instanceof MintrailApiError && error.status === 503) return undefined;
  throw error;
}

/** Approves the payment to the contract, and executes the quote. Returns the transaction's hash. */
async function execute(context: DemoContext, { chain, settlement }: Swaps, quote: Schemas['SwapCommittedQuote']): Promise<Hex> {
  const wallet = createWalletClient({
    account: accountOf(context, 0),
    transport: http(context.file.chains[chain]?.rpcUrl),
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
