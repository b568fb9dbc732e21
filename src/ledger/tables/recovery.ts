import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import type { Currency } from '../../platform/money.ts';
import type { Default, NullableTime, Time } from './columns.ts';

/** Tables of what a restored ledger has lost. */
export interface RecoveryTables {
  unrecordedOutcomes: {
    id: Default<string>;
    chain: Chain;
    kind: 'issue' | 'redeem';
    token: LowerAddress;
    currency: Currency;
    orderId: string;
    account: LowerAddress;
    /** Minor units in decimal digits: a forged amount exceeds every amount of the ledger. */
    amount: string;
    /** Decimal digits: the contract counts further than the ledger. */
    sequence: string | null;
    digest: string | null;
    message: string | null;
    signature: string | null;
    refused: string | null;
    txHash: string;
    blockNumber: bigint;
    state: Default<'open' | 'applied' | 'set_aside'>;
    reason: string | null;
    decidedBy: string | null;
    foundAt: Time;
    decidedAt: NullableTime;
  };
  outcomeAudits: { chain: Chain; block: bigint; comparedAt: NullableTime };
  recoveries: { id: Default<string>; beganAt: Time; beganBy: string; endedAt: NullableTime; endedBy: Default<string | null> };
}
