import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { Party } from '../../bank/credit.ts';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import type { Currency, MinorUnits } from '../../platform/money.ts';
import type { Default, Json, NullableTime, Time } from './columns.ts';

/** The payee or payer of an order, as the API shows it (docs/api.md, Counterpart). */
export interface Counterpart {
  identifier:
    | {
        standard: 'iban';
        /** Missing in orders of payers without an IBAN that were placed before there was `account`. */
        iban?: string;
      }
    | AccountIdentifier
    | { standard: 'chain'; address: LowerAddress; chain: Chain };
  details: Record<string, unknown>;
}
/** A payer's account that has no valid IBAN, as far as the bank identifies it. */
export interface AccountIdentifier extends Pick<Party, 'accountNumber' | 'bic' | 'clearingSystem' | 'clearingCode'> {
  standard: 'account';
}
/** The state of an order; `processed` and `rejected` are final (docs/architecture.md, Orders). */
export type OrderState = 'placed' | 'pending' | 'processed' | 'rejected';
/** The movement of a leg: `issue` and `redeem` happen on a chain, `payout` at the bank or as a dependent order, `return` at the bank. */
export type LegKind = 'issue' | 'redeem' | 'payout' | 'return';
/** The state of a leg; `waiting` for a signature or an earlier leg, `ready` to be sent, `void` because the leg before it was refused. */
export type LegState = 'waiting' | 'ready' | 'sent' | 'done' | 'refused' | 'void';
/** Whose signature authorises a leg: that of the account's key, that of its contract, or none. */
export type LegSigner = 'nobody' | 'key' | 'contract';

/** Tables of orders and their legs. */
export interface OrderTables {
  orders: {
    id: string;
    kind: 'issue' | 'redeem';
    profile: string;
    address: LowerAddress;
    chain: Chain;
    currency: Currency;
    amount: MinorUnits;
    counterpart: Json<Counterpart>;
    memo: string;
    referenceNumber: string | null;
    message: string | null;
    signature: string | null;
    state: Default<OrderState>;
    placedAt: Time;
    processedAt: NullableTime;
    rejectedAt: NullableTime;
    rejectedReason: string | null;
    supportingDocument: string | null;
    txHashes: Default<string[]>;
    correlationId: string | null;
    digest: string | null;
    sourceOrder: string | null;
    requestHash: Buffer | null;
    /** The order whose payout came back; this order gives its tokens back. */
    givesBack: Default<string | null>;
  };
  /** The orders that are placed or pending. Triggers on `orders` write it. */
  openOrders: { id: string; profile: string; state: 'placed' | 'pending'; placedAt: Date; address: LowerAddress; isDependent: boolean };
  legs: {
    id: Default<string>;
    orderId: string;
    kind: LegKind;
    position: number;
    chain: Chain | null;
    currency: Currency;
    account: LowerAddress | null;
    amount: MinorUnits;
    state: LegState;
    claimedBy: LowerAddress | null;
    token: LowerAddress | null;
    sequence: bigint | null;
    transaction: string | null;
    txHash: string | null;
    blockNumber: bigint | null;
    reason: string | null;
    createdAt: Time;
    /** Since when it could be carried out; a retry after a failure does not change it. */
    dueAt: Time;
    doneAt: NullableTime;
    afterBlock: bigint | null;
    /** Whose signature authorises it: a redemption's account, by its key or its contract. */
    signedBy: Default<LegSigner>;
    /** Most legs of a batch that carries it, after a batch with it reverted; 0 before. */
    batchLimit: Default<number>;
    /** Batches of it alone that reverted for no known reason. */
    loneReverts: Default<number>;
    /** The gas budget of its profile is used up until then. */
    heldUntil: NullableTime;
  };
  /** What the open redemptions of an account come to: `placed` less `ended`. Triggers on `legs` write it. */
  redemptionSums: { account: LowerAddress; chain: Chain; currency: Currency; side: 'placed' | 'ended'; amount: MinorUnits };
  legFailures: {
    id: Default<string>;
    leg: string;
    outcome: 'reverted' | 'lost' | 'cancelled' | 'refused' | 'number_used';
    transaction: string | null;
    txHash: string | null;
    blockNumber: bigint | null;
    reason: string | null;
    at: Time;
    /** Whether the reverted transaction carried no other leg. */
    alone: Default<boolean>;
  };
  accountBackoffs: { chain: Chain; account: LowerAddress; failures: number; untilBlock: bigint | null };
  signatureRequests: {
    id: Default<string>;
    kind: 'order' | 'linkAddress';
    profile: string;
    chain: Chain;
    address: LowerAddress;
    digest: string;
    signature: string;
    draft: Json<Record<string, unknown>>;
    orderId: string | null;
    state: Default<'pending' | 'valid' | 'invalid' | 'expired'>;
    reason: string | null;
    correlationId: string | null;
    createdAt: Time;
    decidedAt: NullableTime;
    signedAfter: NullableTime;
    checkAt: Time;
    /** What clients know the request by. */
    publicId: GeneratedAlways<string | null>;
  };
  swapQuotes: {
    id: Default<string>;
    nonce: Generated<bigint>;
    chain: Chain;
    settlement: LowerAddress;
    maker: LowerAddress;
    profile: string;
    taker: LowerAddress;
    takerToken: LowerAddress;
    makerToken: LowerAddress;
    takerAmount: ColumnType<string, bigint | string, never>;
    makerAmount: ColumnType<string, bigint | string, never>;
    expiry: Time;
    correlationId: string | null;
    createdAt: Time;
  };
}
