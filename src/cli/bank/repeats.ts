import type { listUnmatchedCredits } from '../../ledger/bank/unmatched/unmatched-credits.ts';
import { renderTable } from '../output.ts';
import { amountText, payerText } from './credit-text.ts';

type Listed = Awaited<ReturnType<typeof listUnmatchedCredits>>[number];

/** Each suspected repeat above the credit that it may repeat. */
export function renderSuspected(pairs: readonly { credit: Omit<Listed, 'repeats'>; recorded: NonNullable<Listed['repeats']> }[]): string {
  const sideOf = (listed: Omit<NonNullable<Listed['repeats']>, 'state' | 'orderId'>, end: string) => [
    listed.reference,
    listed.source,
    listed.bookedOn ?? '',
    `${amountText({ facts: null, ...listed })} ${listed.currency?.toUpperCase() ?? ''}`.trim(),
    payerText(listed.payer),
    listed.endToEndId ?? '',
    listed.uetr ?? '',
    end,
  ];
  const rows = pairs.flatMap(({ credit, recorded }, index) => [
    ...(index === 0 ? [] : [Array.from({ length: 8 }, () => '')]),
    sideOf(credit, 'waits'),
    sideOf(recorded, recorded.orderId === null ? recorded.state : `order ${recorded.orderId}`),
  ]);
  return [
    'Suspected repeats, each above the credit whose money it may be. Ask the bank how many payments it booked. Other money becomes an order by',
    '`mintrail bank match`, the same money ends by `mintrail bank repeat`.',
    renderTable(['reference', 'file', 'day', 'amount', 'payer', 'EndToEndId', 'UETR', 'became'], rows),
  ].join('\n');
}
