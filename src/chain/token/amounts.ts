import { formatUnits } from 'viem';
import {
  type Currency,
  formatAmount,
  toMinorUnits,
  tokenDecimals,
  tokenSymbol,
  type TokenUnits,
  toTokenUnits,
} from '../../platform/money.ts';

/** An amount of tokens for people, such as `1,000,000.00 EURe`; with more than two decimals only where it has a fraction of a cent. */
export function formatTokens(amount: TokenUnits, currency: Currency): string {
  return formatTokensAs(amount, tokenSymbol(currency));
}

/** The same with the symbol that a contract has. */
export function formatTokensAs(amount: TokenUnits, symbol: string): string {
  const [integer = '', fraction = ''] = formatTokenAmount(amount).split('.');
  return `${integer.replaceAll(/\B(?=(\d{3})+$)/g, ',')}.${fraction} ${symbol}`;
}

/** An amount in units of the currency, for programs: with two decimals as the API writes amounts, or as many as it has. */
export function formatTokenAmount(amount: TokenUnits): string {
  const minor = toMinorUnits(amount);
  return toTokenUnits(minor) === amount ? formatAmount(minor) : formatUnits(amount, tokenDecimals);
}
