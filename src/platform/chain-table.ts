/** Blocks on top before an outcome counts, or the tag of the newest block that counts. */
export type ConfirmationPolicy = number | 'safe' | 'finalized';

/** Facts of a network, which an operator does not have to configure. */
export interface ChainFacts {
  /** EIP-155. */
  id: number;
  name: string;
  isTestnet: boolean;
  /** Currency in which gas is paid. */
  currency: { symbol: string; decimals: number };
  /** Usual seconds between blocks. */
  blockTimeSeconds: number;
  confirmations: ConfirmationPolicy;
  /** Seconds within which a block is `safe` or `finalized` unless something is wrong: afterwards an operator is to look. */
  finalitySeconds: number;
  /** Most gwei that a transaction offers for a gas unless the operator sets it: many times the usual price, near that of its worst hours. */
  feeCeilingGwei: number;
  /** Most that a transaction offers for its whole gas, in the currency of gas, unless the operator sets it: less than its nodes refuse to send. */
  transactionFeeCeiling: number;
  /** Which contract tells what publishing a transaction on Ethereum costs, where that is paid besides its gas (src/chain/l1-data-fee.ts). */
  l1FeeOracle?: 'op-stack' | 'scroll';
  /** Gas of a block; a lower bound where it varies. */
  blockGas: bigint;
  /** Most bytes of calldata that nodes and the sequencer accept. */
  transactionBytes: number;
  /** Most orders in one transaction: redemptions by keys, at most 50,000 gas and 190 bytes each, must fit (src/chain/gas-bounds.ts). */
  maxBatch: number;
  /** What orders of a profile may cost in a day unless the operator sets it, in the currency of gas (docs/operations/runbooks/gas_budget.md). */
  gasBudget: number;
  /** Most signature recoveries in a block, where they are bounded. A transaction with more is never mined. */
  blockRecoveries?: number;
  /** Gas that a token lets a contract account's signature check spend, where it is not 500,000. */
  signatureGas?: number;
  /** Whether a transaction's gas includes what its data costs on the first layer. */
  chargesL1DataInGas?: true;
  /** Without a slash at the end. */
  explorer: string;
}

const ether = { symbol: 'ETH', decimals: 18 };
const xdai = { symbol: 'xDAI', decimals: 18 };
const pol = { symbol: 'POL', decimals: 18 };

/** go-ethereum's nodes, and those that follow it, do not send what may cost more than one ether (`--rpc.txfeecap`). */
const etherCeiling = 0.9;

/** Polygon's nodes do not send what may cost more than 5 POL (`txfeecap`). */
const polCeiling = 4.5;

/** Some 160 redemptions by contract accounts at a base fee of 1 gwei, of which a batch offers twice as much, and 8 at 20 gwei. */
const ethereumBudget = 0.2;

/** Some 160 redemptions by contract accounts at 0.1 gwei, many times what rollups usually cost. */
const rollupBudget = 0.02;

/** Some 800 redemptions by contract accounts at 2 gwei. */
const gnosisBudget = 2;

/** Some 300 redemptions by contract accounts at 50 gwei. */
const polygonBudget = 20;

/** go-ethereum's pool accepts transactions of 128 KiB (`txMaxSize`), of which this much may be calldata. */
const poolBytes = 128_000;

/** Nitro's sequencer accepts 95,000 bytes by default, and Arbitrum's own tools configure 85,000 (`max-tx-data-size`). */
const arbitrumBytes = 85_000;

/** Linea's sequencer accepts 60,000 bytes of calldata in a transaction (`max-tx-calldata-size`), and a block is shared with others. */
const lineaBytes = 50_000;

/** A block of Scroll has 122,880 bytes for all transactions (`maxTxPayloadBytesPerBlock`). */
const scrollBytes = 60_000;

/** A block of Linea has room for 128 signature recoveries (`PRECOMPILE_ECRECOVER_EFFECTIVE_CALLS`), and is shared with others. */
const lineaRecoveries = 128;

/** Redemptions by keys take one recovery each: half a block. */
const lineaBatch = 60;

/** An account can recover 61 signatures with this, so that two that do nothing else still fit a block of Linea. A Safe of 20 signers passes. */
const lineaSignatureGas = 190_000;

/**
 * Every EVM network of the chain enumeration. On networks with real money an outcome counts when it is final, because a payout by a bank cannot
 * be undone after a reorganisation. On test networks a few blocks are enough: nothing is lost, and the finality of their rollups stalls for days.
 */
export const chainTable = {
  // Two epochs, about 13 minutes.
  ethereum: {
    id: 1,
    name: 'Ethereum',
    isTestnet: false,
    currency: ether,
    blockTimeSeconds: 12,
    confirmations: 'finalized',
    finalitySeconds: 1_800,
    feeCeilingGwei: 300,
    transactionFeeCeiling: etherCeiling,
    blockGas: 45_000_000n,
    transactionBytes: poolBytes,
    maxBatch: 320,
    gasBudget: ethereumBudget,
    explorer: 'https://etherscan.io',
  },
  // Two epochs of 16 slots, about 3 minutes. The gas limit that validators vote is 17 million, less than the documentation tells.
  gnosis: {
    id: 100,
    name: 'Gnosis',
    isTestnet: false,
    currency: xdai,
    blockTimeSeconds: 5,
    confirmations: 'finalized',
    finalitySeconds: 600,
    feeCeilingGwei: 200,
    transactionFeeCeiling: etherCeiling,
    blockGas: 17_000_000n,
    transactionBytes: poolBytes,
    maxBatch: 165,
    gasBudget: gnosisBudget,
    explorer: 'https://gnosisscan.io',
  },
  // The tag follows milestones (PIP-11), a few seconds behind the head; a number of blocks would have to be hundreds to be as good.
  polygon: {
    id: 137,
    name: 'Polygon',
    isTestnet: false,
    currency: pol,
    blockTimeSeconds: 2,
    confirmations: 'finalized',
    finalitySeconds: 300,
    feeCeilingGwei: 2_000,
    transactionFeeCeiling: polCeiling,
    blockGas: 45_000_000n,
    transactionBytes: poolBytes,
    maxBatch: 320,
    gasBudget: polygonBudget,
    explorer: 'https://polygonscan.com',
  },
  // Final with the block of Ethereum that holds the batch, in 15 to 20 minutes; `safe` is the same with a safe block, some minutes earlier.
  // The header's gas limit of 2^50 is no limit: a block has 32 million.
  arbitrum: {
    id: 42161,
    name: 'Arbitrum One',
    isTestnet: false,
    currency: ether,
    blockTimeSeconds: 0.25,
    confirmations: 'finalized',
    finalitySeconds: 3_600,
    feeCeilingGwei: 20,
    transactionFeeCeiling: etherCeiling,
    blockGas: 32_000_000n,
    transactionBytes: arbitrumBytes,
    chargesL1DataInGas: true,
    maxBatch: 310,
    gasBudget: rollupBudget,
    explorer: 'https://arbiscan.io',
  },
  // Final when its proof is, hours later. There is no `safe`. Whoever trusts the sequencer, which never reorders, sets a number of blocks.
  linea: {
    id: 59144,
    name: 'Linea',
    isTestnet: false,
    currency: ether,
    blockTimeSeconds: 2,
    confirmations: 'finalized',
    finalitySeconds: 43_200,
    feeCeilingGwei: 20,
    transactionFeeCeiling: etherCeiling,
    blockGas: 24_000_000n,
    transactionBytes: lineaBytes,
    maxBatch: lineaBatch,
    gasBudget: rollupBudget,
    blockRecoveries: lineaRecoveries,
    signatureGas: lineaSignatureGas,
    explorer: 'https://lineascan.build',
  },
  // Final when its proof is, about an hour later; only nodes that verify the rollup have the tag, and none has `safe`.
  scroll: {
    id: 534352,
    name: 'Scroll',
    isTestnet: false,
    currency: ether,
    blockTimeSeconds: 3,
    confirmations: 'finalized',
    finalitySeconds: 10_800,
    feeCeilingGwei: 20,
    transactionFeeCeiling: etherCeiling,
    l1FeeOracle: 'scroll',
    blockGas: 10_000_000n,
    transactionBytes: scrollBytes,
    maxBatch: 95,
    gasBudget: rollupBudget,
    explorer: 'https://scrollscan.com',
  },
  // Final with the block of Ethereum that holds the batch, in 15 to 20 minutes; `safe` is when the batch is there, in a few.
  base: {
    id: 8453,
    name: 'Base',
    isTestnet: false,
    currency: ether,
    blockTimeSeconds: 2,
    confirmations: 'finalized',
    finalitySeconds: 3_600,
    feeCeilingGwei: 20,
    transactionFeeCeiling: etherCeiling,
    l1FeeOracle: 'op-stack',
    blockGas: 140_000_000n,
    transactionBytes: poolBytes,
    maxBatch: 320,
    gasBudget: rollupBudget,
    explorer: 'https://basescan.org',
  },
  sepolia: {
    id: 11155111,
    name: 'Sepolia',
    isTestnet: true,
    currency: ether,
    blockTimeSeconds: 12,
    confirmations: 3,
    finalitySeconds: 1_800,
    feeCeilingGwei: 300,
    transactionFeeCeiling: etherCeiling,
    blockGas: 36_000_000n,
    transactionBytes: poolBytes,
    maxBatch: 320,
    gasBudget: ethereumBudget,
    explorer: 'https://sepolia.etherscan.io',
  },
  chiado: {
    id: 10200,
    name: 'Gnosis Chiado',
    isTestnet: true,
    currency: xdai,
    blockTimeSeconds: 5,
    confirmations: 3,
    finalitySeconds: 600,
    feeCeilingGwei: 200,
    transactionFeeCeiling: etherCeiling,
    blockGas: 17_000_000n,
    transactionBytes: poolBytes,
    maxBatch: 165,
    gasBudget: gnosisBudget,
    explorer: 'https://blockscout.chiadochain.net',
  },
  amoy: {
    id: 80002,
    name: 'Polygon Amoy',
    isTestnet: true,
    currency: pol,
    blockTimeSeconds: 2,
    // A sprint of one producer is 16 blocks; reorganisations happen where producers change.
    confirmations: 16,
    finalitySeconds: 300,
    feeCeilingGwei: 2_000,
    transactionFeeCeiling: polCeiling,
    blockGas: 45_000_000n,
    transactionBytes: poolBytes,
    maxBatch: 320,
    gasBudget: polygonBudget,
    explorer: 'https://amoy.polygonscan.com',
  },
  arbitrumsepolia: {
    id: 421614,
    name: 'Arbitrum Sepolia',
    isTestnet: true,
    currency: ether,
    blockTimeSeconds: 0.25,
    confirmations: 8,
    finalitySeconds: 172_800,
    feeCeilingGwei: 20,
    transactionFeeCeiling: etherCeiling,
    blockGas: 32_000_000n,
    transactionBytes: arbitrumBytes,
    chargesL1DataInGas: true,
    maxBatch: 310,
    gasBudget: rollupBudget,
    explorer: 'https://sepolia.arbiscan.io',
  },
  lineasepolia: {
    id: 59141,
    name: 'Linea Sepolia',
    isTestnet: true,
    currency: ether,
    blockTimeSeconds: 2,
    confirmations: 3,
    finalitySeconds: 172_800,
    feeCeilingGwei: 20,
    transactionFeeCeiling: etherCeiling,
    blockGas: 24_000_000n,
    transactionBytes: lineaBytes,
    maxBatch: lineaBatch,
    gasBudget: rollupBudget,
    blockRecoveries: lineaRecoveries,
    signatureGas: lineaSignatureGas,
    explorer: 'https://sepolia.lineascan.build',
  },
  scrollsepolia: {
    id: 534351,
    name: 'Scroll Sepolia',
    isTestnet: true,
    currency: ether,
    blockTimeSeconds: 3,
    confirmations: 3,
    finalitySeconds: 172_800,
    feeCeilingGwei: 20,
    transactionFeeCeiling: etherCeiling,
    l1FeeOracle: 'scroll',
    blockGas: 10_000_000n,
    transactionBytes: scrollBytes,
    maxBatch: 95,
    gasBudget: rollupBudget,
    explorer: 'https://sepolia.scrollscan.com',
  },
  basesepolia: {
    id: 84532,
    name: 'Base Sepolia',
    isTestnet: true,
    currency: ether,
    blockTimeSeconds: 2,
    confirmations: 3,
    finalitySeconds: 172_800,
    feeCeilingGwei: 20,
    transactionFeeCeiling: etherCeiling,
    l1FeeOracle: 'op-stack',
    blockGas: 60_000_000n,
    transactionBytes: poolBytes,
    maxBatch: 320,
    gasBudget: rollupBudget,
    explorer: 'https://sepolia.basescan.org',
  },
} as const satisfies Record<string, ChainFacts>;
