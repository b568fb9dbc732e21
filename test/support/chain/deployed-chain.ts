import type { Address } from 'viem';
import { type Chain, chainIds } from '../../../src/platform/chains.ts';
import type { Currency } from '../../../src/platform/money.ts';
import { type Anvil, type AnvilOptions, startAnvil } from './anvil.ts';
import { connectLocalChain, type LocalChain } from './local-chain.ts';
import { deployToken } from './token.ts';

/** A local chain with tokens, which mines nothing by itself. */
export interface DeployedChain {
  anvil: Anvil;
  rpc: LocalChain;
  tokens: Partial<Record<Currency, Address>>;
  /** Leaves it to a later test. Nothing may ask it any more. */
  leave: () => Promise<void>;
}

interface DeployedChainOptions {
  chain: Chain;
  currencies: readonly Currency[];
  /** Who issues and redeems. */
  operator: Address;
  anvil?: AnvilOptions | undefined;
  mintAllowance?: bigint | undefined;
}

interface LeftChain {
  key: string;
  chain: DeployedChain;
}

/** What earlier tests of this process have left. Each takes memory. */
const left: LeftChain[] = [];
const mostLeft = 2;

/** A chain of its own for who asks: one that an earlier test left, back at the block after the tokens were deployed, which takes a tenth of the time of a new one. */
export async function takeDeployedChain(options: DeployedChainOptions): Promise<DeployedChain> {
  const key = JSON.stringify(options, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  const index = left.findIndex((one) => one.key === key);
  const [found] = index < 0 ? [] : left.splice(index, 1);
  return found?.chain ?? deploy(key, options);
}

async function deploy(
  key: string,
  { chain, currencies, operator, mintAllowance, anvil: given }: DeployedChainOptions,
): Promise<DeployedChain> {
  const anvil = await startAnvil({ chainId: chainIds[chain], ...given });
  const rpc = connectLocalChain(anvil.url, chainIds[chain]);
  const tokens: DeployedChain['tokens'] = {};
  for (const currency of currencies) {
    const deployed = await deployToken(rpc, {
      currency: currency.toUpperCase(),
      operator,
      ...(mintAllowance === undefined ? {} : { mintAllowance }),
    });
    tokens[currency] = deployed.toLowerCase() as Address;
  }
  const { hash } = await rpc.getBlock();
  const { baseFeePerGas } = await rpc.getBlock({ blockTag: 'pending' });
  let snapshot = await rpc.snapshot();
  const deployedChain: DeployedChain = {
    anvil,
    rpc,
    tokens,
    async leave() {
      await rpc.request({ method: 'anvil_dropAllTransactions', params: [] } as never);
      await rpc.revert({ id: snapshot });
      snapshot = await rpc.snapshot();
      // A reorganisation that went below it has put another block there.
      if ((await rpc.getBlock()).hash !== hash || left.length >= mostLeft) return anvil.stop();
      // What a revert does not bring back: the price of the next block, and the time.
      await rpc.setNextBlockBaseFeePerGas({ baseFeePerGas: baseFeePerGas ?? 0n });
      await rpc.request({ method: 'evm_setTime', params: [Date.now()] } as never);
      left.push({ key, chain: deployedChain });
    },
  };
  return deployedChain;
}
