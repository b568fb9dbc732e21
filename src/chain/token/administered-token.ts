import type { Address } from 'viem';
import type { Chain } from '../../platform/chains.ts';
import type { Currency } from '../../platform/money.ts';

/** A token that is administered. */
export interface AdministeredToken {
  chain: Chain;
  currency: Currency;
  address: Address;
}
