import type { ColumnType } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import type { Currency, MinorUnits } from '../../platform/money.ts';
import type { Default, Json, NullableTime, Time } from './columns.ts';

/** The state of a transaction; `lost` when another transaction used its nonce. */
export type TransactionState = 'sent' | 'mined' | 'settled' | 'reverted' | 'lost';

/** Tables of transactions, and of what is known of the networks. */
export interface LaneTables {
  transactions: {
    id: Default<string>;
    chain: Chain;
    signer: LowerAddress;
    nonce: bigint;
    /** Null for `cancel`. */
    currency: Currency | null;
    kind: 'issue' | 'redeem' | 'cancel';
    gasLimit: bigint;
    state: Default<TransactionState>;
    hash: string | null;
    blockNumber: bigint | null;
    blockHash: string | null;
    gasUsed: bigint | null;
    /** Of its newest attempt. */
    sentAtBlock: bigint;
    /** Null is `sentAtBlock`. */
    firstSentAtBlock: bigint | null;
    refusals: Default<number>;
    refusedSinceBlock: bigint | null;
    createdAt: Time;
    minedAt: NullableTime;
  };
  transactionAttempts: {
    hash: string;
    transaction: string;
    /** 0 for the first attempt. */
    position: number;
    /** `null` some time after the transaction has ended. */
    raw: string | null;
    maxFeePerGas: ColumnType<string, bigint | string, never>;
    maxPriorityFeePerGas: ColumnType<string, bigint | string, never>;
    createdAt: Time;
  };
  profileGas: { chain: Chain; profile: string; day: ColumnType<string, string, string>; gas: bigint };
  /** `amount` and `used` are wei of gas money, or token units of a mint allowance. */
  signerAmounts: {
    chain: Chain;
    signer: LowerAddress;
    resource: 'gas' | Currency;
    day: ColumnType<string, string, never>;
    amount: ColumnType<string, string, string>;
    used: ColumnType<string, string, string>;
  };
  tokenOpenings: { chain: Chain; token: LowerAddress; currency: Currency; block: bigint; supply: MinorUnits; openedAt: Time };
  tokenSequences: { chain: Chain; token: LowerAddress; next: Default<bigint> };
  networks: { chain: Chain; chainId: bigint; genesisHash: string; seenAt: Time };
  heartbeats: {
    component: string;
    chain: Default<Chain | ''>;
    instance: Default<string>;
    facts: Json<Record<string, unknown>>;
    seenAt: Time;
  };
}
