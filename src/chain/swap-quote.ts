import type { Address, Hex, TypedDataDefinition } from 'viem';
import type { TokenUnits } from '../platform/money.ts';
import { uuidToHex } from '../platform/uuid.ts';

/** A quote as the settlement contract executes it. Amounts are in token units, the expiry in seconds since 1970. */
export interface SwapQuote {
  taker: Address;
  takerToken: Address;
  makerToken: Address;
  takerAmount: TokenUnits;
  makerAmount: TokenUnits;
  expiry: bigint;
  nonce: bigint;
  quoteId: Hex;
}

/** The fields in the order of `QUOTE_TYPEHASH` in contracts/src/SwapSettlement.sol. */
const types = {
  Quote: [
    { name: 'taker', type: 'address' },
    { name: 'takerToken', type: 'address' },
    { name: 'makerToken', type: 'address' },
    { name: 'takerAmount', type: 'uint256' },
    { name: 'makerAmount', type: 'uint256' },
    { name: 'expiry', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'quoteId', type: 'bytes16' },
  ],
} as const;

/** The typed data that the maker signs (EIP-712): a quote for one settlement contract on one chain. */
export function swapQuoteTypedData(quote: SwapQuote, { chainId, settlement }: { chainId: number; settlement: Address }) {
  return {
    domain: { name: 'Mintrail Swap', version: '1', chainId, verifyingContract: settlement },
    types,
    primaryType: 'Quote',
    message: { ...quote },
  } as const satisfies TypedDataDefinition<typeof types, 'Quote'>;
}

/** A quote's id on chain: the 16 bytes of its UUID. */
export function quoteIdOf(uuid: string): Hex {
  return `0x${uuidToHex(uuid)}`;
}
