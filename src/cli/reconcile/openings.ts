import type { TokenOpening } from '../../ledger/lanes/token-openings.ts';
import { formatAmount } from '../../platform/money.ts';

/** An opening for programs. */
export function openingJson({ block, supply, ...opening }: TokenOpening) {
  return { ...opening, block: block.toString(), supply: formatAmount(supply) };
}

/** A line for each token that was in circulation before this ledger issued it. */
export function renderOpenings(openings: readonly TokenOpening[]): string[] {
  return openings.map(
    ({ chain, currency, token, block, supply }) =>
      `opening: ${formatAmount(supply)} ${currency} of the token ${token} were in circulation on ${chain} behind block ${block}, where these books begin. The money behind them was not received here.`,
  );
}
