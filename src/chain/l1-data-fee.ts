import { type Address, type Hex, parseAbi } from 'viem';
import { type Chain, chainFacts } from '../platform/chains.ts';
import { readIfSupported } from './contract.ts';
import type { Rpc } from './endpoints/rpc.ts';

/**
 * Contracts that every network of their kind has at the same address. OP Stack: specs.optimism.io, Predeploys, GasPriceOracle. Scroll:
 * docs.scroll.io, Transaction fees, L1GasPriceOracle. Arbitrum charges the publication as gas, and Linea by the price of gas.
 */
const oracles = {
  'op-stack': '0x420000000000000000000000000000000000000f',
  scroll: '0x5300000000000000000000000000000000000002',
} as const satisfies Record<string, Address>;

const oracleAbi = parseAbi([
  'function getL1FeeUpperBound(uint256 unsignedTransactionBytes) view returns (uint256)',
  'function getL1Fee(bytes transaction) view returns (uint256)',
]);

/** The price on Ethereum moves until a transaction is mined: within a minute it hardly doubles. */
const marginFactor = 2n;

/**
 * What the publication of a signed transaction of so many bytes on Ethereum costs at most, in wei: Base and Scroll charge it besides the gas. 0 on
 * other networks, and where the contract that tells it is missing, as on a local chain. Throws what the node throws.
 */
export async function l1DataFee(rpc: Rpc, chain: Chain, transactionBytes: number): Promise<bigint> {
  const { l1FeeOracle } = chainFacts(chain);
  if (!l1FeeOracle) return 0n;
  const contract = { address: oracles[l1FeeOracle], abi: oracleAbi } as const;
  const fee = await readIfSupported(rpc, () =>
    l1FeeOracle === 'op-stack'
      ? rpc.readContract({ ...contract, functionName: 'getL1FeeUpperBound', args: [BigInt(transactionBytes)] })
      : rpc.readContract({ ...contract, functionName: 'getL1Fee', args: [filler(transactionBytes)] }),
  );
  return (fee ?? 0n) * marginFactor;
}

/** Bytes that cost as much as any: a zero would be cheaper. */
function filler(bytes: number): Hex {
  return `0x${'ff'.repeat(bytes)}`;
}
