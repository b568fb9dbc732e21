import { expect, it } from 'vitest';
import { renderComparisons } from '../../../src/cli/reconcile/comparisons.ts';
import type { AcknowledgedBreach } from '../../../src/ledger/reserve/breaches.ts';
import type { RecordedComparison } from '../../../src/ledger/reserve/comparisons.ts';
import { minorUnits } from '../../../src/platform/money.ts';

const now = new Date('2026-05-06T03:00:00Z');
const compared = (account: string, difference: bigint): RecordedComparison => ({
  comparison: 'index',
  chain: '',
  currency: 'eur',
  account,
  expected: minorUnits(0n),
  actual: minorUnits(difference),
  items: [],
  difference: minorUnits(difference),
  comparedAt: now,
});

it('shows what differs above what was acknowledged, and that above what holds', () => {
  const known = compared('known', 100n);
  const acknowledged = { ...known, acknowledgedBy: 'anna', acknowledgedAt: now, reason: 'a fee' } as unknown as AcknowledgedBreach;
  const [table = ''] = renderComparisons([compared('fine', 0n), known, compared('new', 200n)], [acknowledged]);
  expect(table.split('\n').flatMap((line) => /DIFFERS|acknowledged|holds/.exec(line) ?? [])).toEqual(['DIFFERS', 'acknowledged', 'holds']);
});
