import { listRecalls, type OpenRecall } from '../../ledger/bank/recalls/recalls.ts';
import { formatAmount } from '../../platform/money.ts';
import { printable } from '../../platform/printable.ts';
import { recallBody } from '../../statements/recalls/recall-body.ts';
import { renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { withLedger } from '../with-ledger.ts';

/** `mintrail bank recalls`. */
export async function showRecalls(limit: number, json: boolean): Promise<void> {
  const recalls = await withLedger((ledger) => listRecalls(ledger, limit));
  if (json) return print(renderJson(recalls.map(recallBody)));
  if (recalls.length === 0) return print('No recalls.');
  const rows = recalls.map((open) => [
    open.id,
    open.answerBy,
    open.recall.amount === undefined ? '' : formatAmount(open.recall.amount),
    open.recall.currency?.toUpperCase() ?? '',
    printable(open.recall.payerName ?? open.recall.payerIban ?? ''),
    printable(open.recall.reason ?? ''),
    creditsText(open),
  ]);
  print(renderTable(['recall', 'answer by', 'amount', 'currency', 'payer', 'reason', 'credit'], rows));
  if (recalls.length === limit) print(`Only the oldest ${limit} are shown; --limit shows more.`);
}

function creditsText({ credits }: OpenRecall): string {
  if (credits.length === 0) return 'not known here: refuse it with NOOR, or import the statement that has it';
  return credits
    .map(({ reference, state, orderId, isNamed, problem }) => {
      const facts = [state, ...(orderId === null ? [] : [`order ${orderId}`]), ...(isNamed ? [] : ['perhaps'])];
      return `${reference} (${facts.join(', ')})${problem === undefined ? '' : `: ${problem}`}`;
    })
    .join('; ');
}

/** What accepting a recall has led to. */
export function acceptedText({ credit, file }: { credit: { reference: string; orderId: string | null } | null; file: string }): string {
  return `The bank may take the credit ${credit?.reference ?? ''} back: ${file} goes to the outbox. ${whatFollows(credit?.orderId ?? null)}`;
}

function whatFollows(orderId: string | null): string {
  if (orderId === null) return "It is returned by the bank's debit: pay nothing back yourself.";
  return `It became the order ${orderId}, so what the bank takes back after its tokens are issued is a claim: see \`mintrail bank claims\`.`;
}
