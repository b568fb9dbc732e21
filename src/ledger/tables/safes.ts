import type { ColumnType } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import type { Currency } from '../../platform/money.ts';
import type { Default, NullableTime, Time } from './columns.ts';

/**
 * The state of a Safe's transaction: `open` until the Safe has used its nonce; `scheduled` waits in a timelock; `replaced` lost its nonce to another
 * transaction; `cancelled` was taken out of the timelock; `withdrawn` is no longer offered for signing.
 */
export type SafeTransactionState = 'open' | 'scheduled' | 'executed' | 'replaced' | 'cancelled' | 'withdrawn';

/** Tables of the transactions of Safes that administer tokens. */
export interface SafeTables {
  safeTransactions: {
    id: Default<string>;
    chain: Chain;
    currency: Currency;
    token: LowerAddress;
    safe: LowerAddress;
    safeVersion: string;
    nonce: bigint;
    callTo: LowerAddress;
    callData: `0x${string}`;
    hash: `0x${string}`;
    block: bigint;
    reason: string | null;
    preparedBy: string;
    preparedAt: Time;
    state: Default<SafeTransactionState>;
    executionHash: ColumnType<string | null, string | null | undefined, string | null>;
    executionBlock: ColumnType<bigint | null, bigint | null | undefined, bigint | null>;
    readyAt: NullableTime;
    endedAt: NullableTime;
  };
  safeSignatures: { transaction: string; signer: LowerAddress; data: `0x${string}`; addedBy: string; addedAt: Time };
}
