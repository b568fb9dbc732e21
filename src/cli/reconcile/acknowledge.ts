import { acknowledgeBreach, type Acknowledgement, openBreaches } from '../../ledger/reserve/breaches.ts';
import { operatorName } from '../operator.ts';
import { renderJson } from '../output.ts';
import { print } from '../print.ts';
import { withLedger } from '../with-ledger.ts';

/** Options of `mintrail reconcile acknowledge`. */
export interface AcknowledgeOptions extends Pick<Acknowledgement, 'comparison' | 'account' | 'reason'> {
  item: Acknowledgement['items'];
  book?: boolean;
  json?: boolean;
}

/** `mintrail reconcile acknowledge`. Throws `unknown_breach`, `ambiguous_breach`, `breach_not_explained`, `breach_not_bookable` and `recovery_not_ended`. */
export async function acknowledge(
  currency: string,
  { item: items, book: books, json = false, ...options }: AcknowledgeOptions,
): Promise<void> {
  const { breach, others } = await withLedger(async (ledger) => {
    const acknowledged = await acknowledgeBreach(ledger, { ...options, currency, items, books, operator: operatorName() });
    return { breach: acknowledged, others: (await openBreaches(ledger)).filter((other) => other.currency === currency) };
  });
  if (json) return print(renderJson({ acknowledged: breach, open: others.map(({ comparison, account }) => ({ comparison, account })) }));
  if (others.length === 0) print(`${currency} is issued again.`);
  else
    print(`The breach is acknowledged. ${currency} is still not issued: ${others.length} more are open, as \`mintrail reconcile\` shows.`);
}
