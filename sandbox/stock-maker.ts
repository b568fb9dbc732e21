import { setTimeout as delay } from 'node:timers/promises';
import { swapChain } from '../src/platform/chains.ts';
import { type Address, createWalletClient, type Hex, http, maxUint256, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { eMoneyTokenAbi } from '../abis/eMoneyToken.ts';
import { type Client, createClient, linkMessage } from '../client/index.ts';
import { messageOf, RetryError } from '../src/platform/errors.ts';
import { type Currency, currencies } from '../src/platform/money.ts';
import { type Instance, makerKeys } from './instance.ts';

/** The maker's first tokens: about a million dollars of each currency. Tokens exist against money only, so a payer pays it in. */
const inventory: Record<Currency, string> = { eur: '1000000.00', usd: '1000000.00', gbp: '1000000.00', isk: '150000000.00' };
const payer = { name: 'Market Maker Treasury', iban: 'IS140159260076545510730339' };

/** The sandbox in which the maker is stocked. */
export interface MakerFacts {
  apiUrl: string;
  rpcUrl: string;
  /** Aborted when the sandbox ends. */
  stop: AbortSignal;
}

/** Pause between two attempts. */
const pauseMs = 5_000;

/** Stocks the maker, and tries again after a failure until it succeeds or the sandbox ends. */
export async function stockMakerUntilDone(instance: Instance, facts: MakerFacts, warn: (line: string) => void): Promise<void> {
  while (!facts.stop.aborted) {
    try {
      return await stockMaker(instance, facts);
    } catch (error) {
      if (!facts.stop.aborted) warn(`The maker of swaps has no tokens yet: ${messageOf(error)}`);
      await delay(pauseMs, undefined, { signal: facts.stop }).catch(() => {});
    }
  }
}

/**
 * Provides the maker with tokens as any customer: it links an address, gets an IBAN, and money arrives there. Every step can be repeated and
 * then changes nothing, because the credits have the same references. The settlement contract gets its allowance first, so that the tokens can
 * be swapped as soon as they are visible. Throws `not_possible_yet`, and the errors of the API's client.
 */
export async function stockMaker(instance: Instance, { apiUrl, rpcUrl, stop }: MakerFacts): Promise<void> {
  const { maker, networks } = instance;
  const { tokens = {}, settlement } = networks[swapChain] ?? {};
  if (!maker || !settlement) return;
  const account = privateKeyToAccount(makerKeys(instance).privateKey);
  await allow(rpcUrl, account, Object.values(tokens), settlement);
  const client = createClient({ baseUrl: apiUrl, ...maker });
  const signature = await account.signMessage({ message: linkMessage });
  await client.post('/addresses', { body: { address: account.address, chain: swapChain, message: linkMessage, signature } });
  await client.post('/ibans', { body: { address: account.address, chain: swapChain } });
  const iban = await awaitIban(client, stop);
  for (const currency of currencies) {
    const credit = { iban, amount: inventory[currency], currency, payer, reference: `swap-maker-${currency}` };
    await client.post('/sandbox/credits', { body: credit });
  }
}

/** Approves the settlement contract without a limit, once for each token. */
async function allow(
  rpcUrl: string,
  account: ReturnType<typeof privateKeyToAccount>,
  tokens: Address[],
  settlement: Address,
): Promise<void> {
  const wallet = createWalletClient({ account, transport: http(rpcUrl), pollingInterval: 100 }).extend(publicActions);
  const hashes: Hex[] = [];
  let nonce = await wallet.getTransactionCount({ address: account.address, blockTag: 'pending' });
  for (const address of tokens) {
    const token = { address, abi: eMoneyTokenAbi } as const;
    const allowance = await wallet.readContract({ ...token, functionName: 'allowance', args: [account.address, settlement] });
    if (allowance === maxUint256) continue;
    hashes.push(await wallet.writeContract({ ...token, functionName: 'approve', args: [settlement, maxUint256], chain: null, nonce }));
    nonce += 1;
  }
  for (const hash of hashes) await wallet.waitForTransactionReceipt({ hash, timeout: 60_000 });
}

async function awaitIban(client: Client, stop: AbortSignal): Promise<string> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await delay(200, undefined, { signal: stop })) {
    const { ibans } = await client.get('/ibans');
    const iban = ibans.find(({ state }) => state === 'approved')?.iban;
    if (iban !== undefined) return iban;
  }
  throw new RetryError({ code: 'not_possible_yet', message: 'The maker of swaps got no IBAN in a minute: see logs/worker.log' });
}
