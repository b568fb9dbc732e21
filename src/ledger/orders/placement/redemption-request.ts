import type { Actor } from '../../../platform/acting.ts';
import type { LowerAddress } from '../../../platform/addresses.ts';
import type { Chain } from '../../../platform/chains.ts';
import type { MintrailError } from '../../../platform/errors.ts';
import type { Currency, MinorUnits, TokenUnits } from '../../../platform/money.ts';
import type { Send } from '../../../platform/postgres/pipelined-transaction.ts';
import type { Caller } from '../../access/permissions.ts';
import type { OrderFacts } from '../events.ts';
import type { OpenRedemptions, TokenHolder } from '../pending-redemptions.ts';
import type { RedemptionDraft } from './insert-redemptions.ts';

/** A redemption as it was requested, of which nothing has been compared with the ledger yet. */
export interface RedemptionRequest {
  caller: Caller;
  /** Whom the audit log names. */
  actor: Actor;
  draft: Omit<RedemptionDraft, 'profile'>;
  /** Whether the signature is that of the address's key. Any other is for the address's contract to check. */
  isSignedByKey: boolean;
  /** What is wrong with the request itself. The message of a lost redemption, which the chain has carried out, may be as old as it is. */
  problems: { ofNew: MintrailError | undefined; ofLost: MintrailError | undefined };
  /** What the address held before its token was indexed, or why that is not known. */
  openingBalance: TokenUnits | MintrailError;
}

/** What became of a {@link RedemptionRequest}. */
export type PlacementResult =
  /** It is placed, or was by an identical earlier request. */
  | { kind: 'order'; order: OrderFacts; awaitsSignature: boolean; isNew: boolean }
  /** It meets every rule, and the contract of its address is to check its signature. */
  | { kind: 'to be signed'; draft: RedemptionDraft }
  /** It cannot be placed. With `hasSignatureRequest` an identical earlier one may still wait for its signature. */
  | { kind: 'error'; error: MintrailError; hasSignatureRequest: boolean };

/** What an address holds of a token by the indexed rows, and the sum of its open orders. */
export interface Holding extends Pick<TokenHolder, 'address' | 'currency'> {
  units: TokenUnits;
  reserved: MinorUnits;
}

/**
 * Which of a holder's open orders {@link Holding} sums up: all, which is quick and never too little; or those that are not burnt in the indexed
 * balance already.
 */
export type ReservedOrders = 'all' | 'not burnt';

/**
 * Reads holdings of one chain in one snapshot, open redemptions among them. Sends everything at once. Throws `indexer_not_ready`, after which the transaction can go on, and what fails
 * it: begun again, it is answered.
 */
export type ReadHoldings = (send: Send, request: HoldingsRequest) => Promise<Holding[]>;

/** What {@link ReadHoldings} reads. */
interface HoldingsRequest {
  chain: Chain;
  holders: readonly { address: LowerAddress; currency: Currency }[];
  reserved: ReservedOrders;
  openRedemptions: OpenRedemptions;
}

/** The key of a holder in a map. */
export function holderKey({ chain, address, currency }: TokenHolder): string {
  return `${chain} ${address} ${currency}`;
}

/** The key of a signed message in a map: it authorises one order of an address. */
export function messageKey({ address, digest }: Pick<RedemptionDraft, 'address' | 'digest'>): string {
  return `${address} ${digest}`;
}
