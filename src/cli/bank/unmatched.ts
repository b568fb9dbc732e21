import type { Party } from '../../bank/credit.ts';
import { formatAmount, type MinorUnits } from '../../platform/money.ts';
import { listUnmatchedCredits, matchCredit, returnCredit } from '../../ledger/bank/unmatched-credits.ts';
import { creditOptions } from '../../statements/credit-options.ts';
import { cliSettings } from '../cli-settings.ts';
import { formatTime, renderJson, renderTable } from '../output.ts';
import { print, printable } from '../print.ts';
import { withLedger } from '../with-ledger.ts';

/** `mintrail bank unmatched`. */
export async function listUnmatched(limit: number, json: boolean): Promise<void> {
  const credits = await withLedger((ledger) => listUnmatchedCredits(ledger, limit));
  if (json) {
    const wire = credits.map(({ amount, ...credit }) => Object.assign(credit, { amount: amount === null ? null : formatAmount(amount) }));
    return print(renderJson(wire));
  }
  if (credits.length === 0) return print('No unmatched credits.');
  const rows = credits.map((credit) => [
    credit.reference,
    formatTime(credit.receivedAt),
    credit.iban ?? '',
    amountText(credit),
    credit.currency?.toUpperCase() ?? '',
    credit.payer.name ?? credit.payer.iban ?? credit.payer.accountNumber ?? '',
    credit.reason ?? '',
  ]);
  print(renderTable(['reference', 'received', 'IBAN', 'amount', 'currency', 'payer', 'reason'], rows));
  if (credits.length === limit) print(`Only the oldest ${limit} are shown; --limit shows more.`);
}

/** `mintrail bank return`: the rail pays the credit back, or where it cannot, the operator reads what to pay and to whom. */
export async function returnMoney(reference: string, json: boolean): Promise<void> {
  const returned = await withLedger((ledger) => returnCredit(ledger, reference));
  const { payer, currency, endToEndId, payment = null } = returned;
  const amount = amountText(returned);
  if (json) return print(renderJson({ reference, amount, currency, payer, endToEndId, payment, returnedAt: returned.returnedAt }));
  const lines = [
    payment === null
      ? `${reference} is marked as returned. Pay it back by hand, because the bank did not name all that a payment needs:`
      : `${reference} is returned to its payer by the payment ${payment}:`,
    `  amount  ${[amount || 'not known', currency?.toUpperCase()].filter(Boolean).join(' ')}`,
    `  to      ${printable(payer.name ?? 'the bank named no payer')}`,
    ...accountLines(payer),
    ...(endToEndId === null ? [] : [`  payer's reference  ${printable(endToEndId)}`]),
  ];
  print(lines.join('\n'));
}

function accountLines({ iban, accountNumber, bic, clearingSystem, clearingCode }: Party): string[] {
  if (iban !== undefined) return [`  IBAN    ${iban}`];
  const bank = [bic, [clearingSystem, clearingCode].filter(Boolean).join(' ')].filter(Boolean).join(', ');
  if (accountNumber === undefined && bank === '') return ['  IBAN    the bank named none: ask the bank'];
  return [
    `  account ${printable(accountNumber ?? 'the bank named no number: ask the bank')} (not a valid IBAN)`,
    ...(bank === '' ? [] : [`  at      ${printable(bank)}`]),
  ];
}

/** `mintrail bank match`. */
export async function matchAgain(reference: string, json: boolean): Promise<void> {
  const options = { ...creditOptions(cliSettings()), source: 'operator' };
  const matched = await withLedger((ledger) => matchCredit(ledger, reference, options));
  print(json ? renderJson(matched) : `${reference} became the order ${matched.orderId} on ${matched.chain}.`);
}

/** The amount, or the bank's own text where that is not an amount. */
function amountText({ amount, facts }: { amount: MinorUnits | null; facts: unknown }): string {
  return amount === null ? ((facts as { amountText?: string } | null)?.amountText ?? '') : formatAmount(amount);
}
