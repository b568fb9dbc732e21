import { listUnmatchedCredits } from '../../ledger/bank/unmatched/unmatched-credits.ts';
import { remediesOf } from '../../ledger/bank/unmatched/unmatched-remedies.ts';
import { formatTime, renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { withLedger } from '../with-ledger.ts';
import { amountText, payerText, withAmountText } from './credit-text.ts';
import { renderSuspected } from './repeats.ts';

/** `mintrail bank unmatched`. */
export async function listUnmatched(limit: number, json: boolean): Promise<void> {
  const credits = await withLedger((ledger) => listUnmatchedCredits(ledger, limit));
  if (json) {
    const wire = credits.map((credit) =>
      Object.assign(withAmountText(credit), {
        repeats: credit.repeats && withAmountText(credit.repeats),
        remedies: remediesOf(credit.railReason),
      }),
    );
    return print(renderJson(wire));
  }
  if (credits.length === 0) return print('No unmatched credits.');
  const rows = credits.map((credit) => [
    credit.reference,
    formatTime(credit.receivedAt),
    credit.iban ?? '',
    amountText(credit),
    credit.currency?.toUpperCase() ?? '',
    payerText(credit.payer),
    credit.reason ?? '',
    remediesOf(credit.railReason)[0] ?? '',
  ]);
  print(renderTable(['reference', 'received', 'IBAN', 'amount', 'currency', 'payer', 'reason', 'remedy'], rows));
  const suspected = credits.flatMap(({ repeats, ...credit }) => (repeats === null ? [] : [{ credit, recorded: repeats }]));
  if (suspected.length > 0) print(`\n${renderSuspected(suspected)}`);
  if (credits.length === limit) print(`Only the oldest ${limit} are shown; --limit shows more.`);
}
