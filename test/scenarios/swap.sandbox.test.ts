import { beforeAll, describe, expect, it } from 'vitest';
import { type Address, createWalletClient, type Hex, http, parseUnits, publicActions } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { eMoneyTokenAbi } from '../../abis/eMoneyToken.ts';
import { swapSettlementAbi } from '../../abis/swapSettlement.ts';
import { quoteIdOf, type SwapQuote } from '../../src/chain/swap-quote.ts';
import type { SandboxFile } from '../../src/cli/running-sandbox.ts';
import { loadInstance } from '../../sandbox/instance.ts';
import { stockMaker } from '../../sandbox/stock-maker.ts';
import { type Client, createClient, linkMessage, type Schemas } from '../../client/index.ts';
import { tokenUnits } from '../../src/platform/money.ts';
import { until } from '../support/until.ts';
import { openIban } from './customers.ts';
import { expectReconciled } from './expect-reconciled.ts';
import { readBalance } from './token-logs.ts';
import { sharedSandbox } from './shared-sandbox.ts';

type Committed = Schemas['SwapCommittedQuote'];

const chain = 'arbitrumsepolia';
const payer = { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' };
const units = (decimal: string) => parseUnits(decimal, 18);

describe('a swap', () => {
  let dataDir: string;
  let file: SandboxFile;
  let client: Client;
  let taker: PrivateKeyAccount;

  beforeAll(async () => {
    ({ dataDir, file } = await sharedSandbox());
    client = createClient({ baseUrl: file.apiUrl, ...file.applications.private });
    taker = privateKeyToAccount(file.accounts[0]?.privateKey as Hex);
    const signature = await taker.signMessage({ message: linkMessage });
    await client.post('/addresses', { body: { address: taker.address, chain, signature } });
    const iban = await openIban(client, taker.address, chain);
    await client.post('/sandbox/credits', {
      body: { iban, amount: '500.00', currency: 'eur', payer, remittance: `${chain}:${taker.address}` },
    });
    await until('the taker holds euros', async () => (await held('eur', taker.address)) === units('500') || undefined);
    await until('the maker holds dollars', async () => (await held('usd', swapOf(file).maker)) === units('1000000') || undefined);
    await send('eur', 'approve', [swapOf(file).settlement, units('500')]);
  });

  const tokenOf = (currency: string) => file.chains[chain]?.tokens[currency] as Address;
  const held = (currency: string, account: Address) => readBalance(file, chain, currency, account);
  const rpc = () =>
    createWalletClient({ account: taker, transport: http(file.chains[chain]?.rpcUrl), pollingInterval: 100 }).extend(publicActions);
  const send = async (currency: string, functionName: 'approve' | 'transfer', args: readonly [Address, bigint]) => {
    const hash = await rpc().writeContract({ address: tokenOf(currency), abi: eMoneyTokenAbi, functionName, args, chain: null });
    return rpc().waitForTransactionReceipt({ hash });
  };
  const pair = () => ({ takerToken: tokenOf('eur'), makerToken: tokenOf('usd') });
  const commit = (takerAmount: string) =>
    client.post('/swap/commit', { body: { ...pair(), takerAmount, taker: taker.address, chainId: 421_614 } });
  const balances = async () => ({
    taker: { eur: await held('eur', taker.address), usd: await held('usd', taker.address) },
    maker: { eur: await held('eur', swapOf(file).maker), usd: await held('usd', swapOf(file).maker) },
  });

  /** Sends a quote to the contract. Resolves with what it says to it: `Swap`, or the name of the error. */
  const submit = async (quote: SwapQuote, signature: Hex): Promise<string> => {
    const call = {
      address: swapOf(file).settlement,
      abi: swapSettlementAbi,
      functionName: 'swap',
      args: argsOf(quote, signature),
    } as const;
    const reason = await rpc()
      .simulateContract(call)
      .then(() => 'Swap')
      .catch((error: Error) => /Error: (\w+)\(/.exec(error.message)?.[1] ?? error.message);
    // Sent even where it must fail, with gas of its own, because no node is asked then.
    const hash = await rpc().writeContract({ ...call, gas: 300_000n, chain: null });
    const { status } = await rpc().waitForTransactionReceipt({ hash });
    expect(status).toBe(reason === 'Swap' ? 'success' : 'reverted');
    return reason;
  };

  it('moves exactly the committed amounts between taker and maker, and is told on chain by the id of the quote', async () => {
    const before = await balances();
    const quoted = await client.post('/swap', { body: { ...pair(), takerAmount: '100.10' } });
    const committed = await commit('100.10');
    expect(committed).toMatchObject(quoted);
    expect(await submit(quoteOf(committed, taker.address), committed.signature as Hex)).toBe('Swap');
    const [paid, got] = [units('100.10'), units(committed.makerAmount)];
    expect(await balances()).toEqual({
      taker: { eur: before.taker.eur - paid, usd: before.taker.usd + got },
      maker: { eur: before.maker.eur + paid, usd: before.maker.usd - got },
    });
    const [told] = await rpc().getContractEvents({
      address: swapOf(file).settlement,
      abi: swapSettlementAbi,
      eventName: 'Swap',
      fromBlock: 0n,
      strict: true,
    });
    expect(told?.args.quoteId).toBe(quoteIdOf(committed.id));

    // Whatever else it is refused for is a test of contracts/test/SwapSettlement.t.sol.
    expect(await submit(quoteOf(committed, taker.address), committed.signature as Hex), 'a second time').toBe('NonceUsed');
    expect(await held('usd', taker.address)).toBe(before.taker.usd + got);
  });

  it('shows in the balances of the API', async () => {
    const [eur, usd] = [await held('eur', taker.address), await held('usd', taker.address)];
    await until('the indexer has the swap', async () => {
      const path = { chain, address: taker.address } as const;
      const { balances } = await client.get('/balances/{chain}/{address}', { path, query: { currency: ['eur', 'usd'] } });
      return (units(balances[0]?.amount ?? '') === eur && units(balances[1]?.amount ?? '') === usd) || undefined;
    });
  });

  it('leaves the reserve equation whole, and a second stocking of the maker changes nothing', async () => {
    const before = await balances();
    const rpcUrl = file.chains[chain]?.rpcUrl as string;
    await stockMaker(loadInstance(dataDir), { apiUrl: file.apiUrl, rpcUrl, stop: new AbortController().signal });
    await expectReconciled(dataDir);
    expect(await balances()).toEqual(before);
  });
});

function quoteOf(committed: Omit<Committed, 'signature'>, taker: Address): SwapQuote {
  return {
    taker,
    takerToken: committed.takerToken as Address,
    makerToken: committed.makerToken as Address,
    takerAmount: tokenUnits(units(committed.takerAmount)),
    makerAmount: tokenUnits(units(committed.makerAmount)),
    expiry: BigInt(committed.expiry),
    nonce: BigInt(committed.nonce),
    quoteId: quoteIdOf(committed.id),
  };
}

function argsOf(quote: SwapQuote, signature: Hex) {
  const { taker, takerToken, makerToken, takerAmount, makerAmount, expiry, nonce, quoteId } = quote;
  return [taker, takerToken, makerToken, takerAmount, makerAmount, expiry, nonce, quoteId, signature] as const;
}

function swapOf({ swap }: SandboxFile): NonNullable<SandboxFile['swap']> {
  if (!swap) throw new Error('the sandbox has no swaps');
  return swap;
}
