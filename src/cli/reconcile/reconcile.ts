import { listTokenOpenings } from '../../ledger/lanes/token-openings.ts';
import { type AcknowledgedBreach, acknowledgedBreaches, type Breach, openBreaches } from '../../ledger/reserve/breaches.ts';
import type { RecordedComparison } from '../../ledger/reserve/comparisons.ts';
import { comparisonRows, itemRow } from '../../operations/reserve/comparison-view.ts';
import { type Chain, chainsOf } from '../../platform/chains.ts';
import { RetryError } from '../../platform/errors.ts';
import { formatAmount, type MinorUnits, minorUnits, totalOf } from '../../platform/money.ts';
import { compareAll } from '../../reconciliation/compare-all.ts';
import { readReserve, type Reserve } from '../../reconciliation/reserve.ts';
import { cliSettings } from '../cli-settings.ts';
import { renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { exitCodes } from '../render-error.ts';
import { withLedger } from '../with-ledger.ts';
import { renderBreaches, renderComparisons } from './comparisons.ts';
import { openingJson, renderOpenings } from './openings.ts';

/** `mintrail reconcile`. Throws `indexer_not_ready` after it has shown what could be compared, where that holds. */
export async function reconcile(json: boolean): Promise<void> {
  const now = new Date();
  const state = await withLedger(async (ledger) => ({
    ...(await compareAll(ledger, Object.values(cliSettings().networks), now)),
    reserves: await readReserve(ledger),
    breaches: await openBreaches(ledger),
    acknowledged: await acknowledgedBreaches(ledger),
    openings: await listTokenOpenings(ledger),
  }));
  const { comparisons, notReady, reserves, breaches, acknowledged, openings } = state;
  const differs = breaches.length > 0 || comparisons.some(({ difference }) => difference !== 0n);
  if (json) print(renderJson({ ...reconciliationJson(state), openings: openings.map(openingJson), notReady }));
  else {
    // What stops issuing first.
    const sections = [
      ...renderBreaches(breaches),
      ...renderComparisons(comparisons, acknowledged),
      ...(reserves.length > 0 ? [renderReserves(reserves)] : []),
      ...renderOpenings(openings),
      ...(differs && notReady.length > 0 ? [notReadyError(notReady).message] : []),
    ];
    print(sections.length > 0 ? sections.join('\n\n') : 'Nothing has been booked yet.');
  }
  if (differs) process.exitCode = exitCodes.failed;
  else if (notReady.length > 0) throw notReadyError(notReady);
}

/** The error `indexer_not_ready`. */
export function notReadyError(chains: readonly Chain[]): RetryError {
  return new RetryError({
    code: 'indexer_not_ready',
    message: `The book is not compared with the index of ${chains.join(', ')}, whose newest rows may be missing: try again in a moment, or see \`mintrail status\``,
  });
}

/** A table of the reserve: what the book holds of each currency. What no currency has is left out. */
function renderReserves(reserves: readonly Reserve[]): string {
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

/** Comparisons, reserves and breaches for programs: the comparisons are the rows that the console has. */
function reconciliationJson(state: {
  comparisons: readonly RecordedComparison[];
  reserves: readonly Reserve[];
  breaches: readonly Breach[];
  acknowledged: readonly AcknowledgedBreach[];
}) {
  return {
    comparisons: comparisonRows(state.comparisons, state.acknowledged),
    reserves: state.reserves.map(reserveJson),
    breaches: state.breaches.map(breachJson),
    acknowledged: state.acknowledged.map((breach) => ({ ...breachJson(breach), items: breach.items.map(itemRow) })),
  };
}

function breachJson<Shown extends Breach>(breach: Shown): Omit<Shown, 'difference' | 'items'> & { difference: string } {
  return { ...breach, difference: formatAmount(breach.difference) };
}

function reserveJson({ currency, bank, circulation, underWay, openings, operator, claims, differences }: Reserve) {
  return {
    currency,
    bank: amountsJson(bank),
    circulation: amountsJson(circulation),
    underWay: amountsJson(underWay),
    ...amountsJson({ openings, operator, claims, differences }),
  };
}

function amountsJson(amounts: Readonly<Partial<Record<string, MinorUnits>>>): Record<string, string> {
  const known = Object.entries(amounts).filter((entry): entry is [string, MinorUnits] => entry[1] !== undefined);
  return Object.fromEntries(known.map(([name, amount]) => [name, formatAmount(amount)]));
}
