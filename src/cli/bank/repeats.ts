import { payerOf, type UnmatchedCredit } from '../../operations/bank/credit-view.ts';
import { renderTable } from '../output.ts';

/** Each suspected repeat above the credit that it may repeat; nothing without one. */
export function renderSuspected(credits: readonly UnmatchedCredit[]): string | undefined {
  const pairs = credits.flatMap((credit) => (credit.repeats === null ? [] : [{ credit, recorded: credit.repeats }]));
  if (pairs.length === 0) return undefined;
  const rows = pairs.flatMap(({ credit, recorded }) => [
    Array.from({ length: 8 }, () => ''),
    sideOf(credit, 'waits'),
    sideOf(recorded, recorded.orderId === null ? recorded.state : `order ${recorded.orderId}`),
  ]);
  return [
    'Suspected repeats, each above the credit whose money it may be. Ask the bank how many payments it booked. Other money becomes an order by',
    '`mintrail bank match`, the same money ends by `mintrail bank repeat`.',
    renderTable(['reference', 'file', 'day', 'amount', 'payer', 'EndToEndId', 'UETR', 'became'], rows.slice(1)),
  ].join('\n');
}

type Side = Pick<UnmatchedCredit, 'reference' | 'source' | 'bookedOn' | 'amount' | 'currency' | 'payer' | 'endToEndId' | 'uetr'>;

function sideOf(side: Side & { amountText?: string | null }, end: string): string[] {
  const { reference, source, bookedOn, amount, amountText, currency, payer, endToEndId, uetr } = side;
  const money = `${amount ?? amountText ?? ''} ${currency?.toUpperCase() ?? ''}`.trim();
  return [reference, source, bookedOn ?? '', money, payerOf(payer), endToEndId ?? '', uetr ?? '', end];
}
