import { randomUUID } from 'node:crypto';
import type { Address } from 'viem';
import { encodeIssue } from '../../src/chain/token/calls.ts';
import { lowerAddress } from '../../src/platform/addresses.ts';
import { chainIds } from '../../src/platform/chains.ts';
import { minorUnits } from '../../src/platform/money.ts';
import { startAnvil } from '../support/chain/anvil.ts';
import { connectLocalChain, fundedAccount, transact } from '../support/chain/local-chain.ts';
import { type Provider, startProvider } from '../support/chain/provider.ts';
import { createSafe, deploySafeSuite } from '../support/chain/safe.ts';
import { deployToken } from '../support/chain/token.ts';

/** What stands for Gnosis, live: Safes of two versions, a token in circulation, and a height of 10,000 blocks. */
export interface LiveNetwork {
  provider: Provider;
  token: Address;
  /** How many sequence numbers the token has used. */
  issued: number;
  /** Each holds 1,000.00 eur. */
  safes: [Address, Address];
  head: number;
  stop(): Promise<void>;
}

/** Starts the network and a provider with a limit of 25 calls a second. */
export async function startLiveNetwork(): Promise<LiveNetwork> {
  // Its blocks have high numbers from the beginning: to mine 10,000 takes Anvil half a minute, because each takes longer than the one before.
  // Without the states of old blocks, as full nodes are.
  const anvil = await startAnvil({ chainId: chainIds.gnosis, args: ['--number', '10000', '--prune-history', '64'] });
  const chain = connectLocalChain(anvil.url, chainIds.gnosis);
  const operator = fundedAccount(1);
  const token = await deployToken(chain, { operator: operator.address });
  const owners = [fundedAccount(2), fundedAccount(3), fundedAccount(4)].map(({ address }) => address);
  const safes: Address[] = [];
  for (const version of ['1.3.0', '1.4.1'] as const) {
    const suite = await deploySafeSuite(chain, anvil.url, version);
    safes.push(await createSafe(chain, suite, { owners, threshold: 2 }));
  }
  const holders = [...safes, fundedAccount(5).address];
  const items = holders.map((account, index) => ({
    orderId: randomUUID(),
    account: lowerAddress(account),
    amount: minorUnits(100_000n),
    sequence: BigInt(index),
  }));
  await transact(chain, { from: operator, to: token, data: encodeIssue(items) });
  // Deeper than a reorganisation may go.
  await chain.mine({ blocks: 16 });
  const provider = await startProvider(anvil.url, 25);
  return {
    provider,
    token,
    issued: items.length,
    safes: safes as [Address, Address],
    head: Number(await chain.getBlockNumber()),
    async stop() {
      await provider.close();
      await anvil.stop();
    },
  };
}
