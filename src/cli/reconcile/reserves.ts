import { chainsOf } from '../../platform/chains.ts';
import { formatAmount, type MinorUnits, minorUnits, totalOf } from '../../platform/money.ts';
import type { Reserve } from '../../reconciliation/reserve.ts';
import { renderTable } from '../output.ts';

/** A table of the reserve: what the book holds of each currency. What no currency has is left out. */
export function renderReserves(reserves: readonly Reserve[]): string {
  const networks = [...new Set(reserves.flatMap(({ circulation }) => chainsOf(circulation)))];
  const columns: [string, (reserve: Reserve) => MinorUnits | undefined][] = [
    ['bank', ({ bank }) => totalOf(Object.values(bank))],
    ...networks.map((chain): (typeof columns)[number] => [`on ${chain}`, ({ circulation }) => circulation[chain]]),
    ['to be issued', ({ underWay }) => underWay.issue],
    ['to be paid out', ({ underWay }) => underWay.payout],
    ['to be returned', ({ underWay }) => underWay.return],
    ['unmatched', ({ underWay }) => underWay.suspense],
    ['at the bank', ({ underWay }) => underWay.payments],
    ['opening', ({ openings }) => openings],
    ['operator', ({ operator }) => operator],
    ['claims', ({ claims }) => claims],
    ['differences', ({ differences }) => differences],
  ];
  const shown = columns.filter(([name, amount]) => name === 'bank' || reserves.some((reserve) => (amount(reserve) ?? 0n) !== 0n));
  return renderTable(
    ['currency', ...shown.map(([name]) => name)],
    reserves.map((reserve) => [reserve.currency, ...shown.map(([, amount]) => formatAmount(amount(reserve) ?? minorUnits(0n)))]),
  );
}
