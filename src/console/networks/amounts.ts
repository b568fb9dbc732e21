import { formatUnits } from 'viem';
import { formatAmount, toMinorUnits, type TokenUnits } from '../../platform/money.ts';

/** Digits after the point: nobody refills by less. */
const coinDigits = 6;

/** An amount of wei in whole coins, cut after six digits. */
export function formatCoins(wei: bigint, decimals: number): string {
  return cut(formatUnits(wei, decimals), coinDigits);
}

/** Wei in gwei, cut after four digits. */
export function formatGwei(wei: bigint): string {
  return cut(formatUnits(wei, 9), 4);
}

/** Tokens in whole units of their currency. */
export function formatTokenAmount(amount: TokenUnits): string {
  return formatAmount(toMinorUnits(amount));
}

function cut(decimal: string, digits: number): string {
  const [whole = '0', fraction = ''] = decimal.split('.');
  const kept = fraction.slice(0, digits).replace(/0+$/, '');
  return kept === '' ? whole : `${whole}.${kept}`;
}
