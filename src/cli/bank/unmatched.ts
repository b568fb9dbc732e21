import type { Settlement } from '../../ledger/bank/settle-credit.ts';
import type { Party } from '../../bank/credit.ts';
import { matchToPayment, type PaymentMatch, planPaymentMatch } from '../../ledger/bank/returns/payment-match.ts';
import { isReturnedPayment, listUnmatchedCredits, matchCredit, returnCredit, settleCredit } from '../../ledger/bank/unmatched-credits.ts';
import { remediesOf } from '../../ledger/bank/unmatched-remedies.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { StopError } from '../../platform/errors.ts';
import { formatAmount, type MinorUnits, minorUnits } from '../../platform/money.ts';
import { creditOptions } from '../../statements/credit-options.ts';
import { cliSettings } from '../cli-settings.ts';
import { confirmOrStop, requireYesWithJson } from '../confirmation.ts';
import { operatorName } from '../operator.ts';
import { formatTime, renderJson, renderTable } from '../output.ts';
import { printable } from '../../platform/printable.ts';
import { print } from '../print.ts';
import { amountText, payerText, withAmountText } from './credit-text.ts';
import { renderSuspected } from './repeats.ts';
import { withLedger } from '../with-ledger.ts';

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

/** Options of `mintrail bank return`. */
export interface ReturnOptions {
  toIban?: string;
  toName?: string;
  json?: boolean;
}

/** `mintrail bank return`: the rail pays the credit back, or where it cannot, the operator reads what to pay and to whom. Throws `invalid_payee`. */
export async function returnMoney(reference: string, { toIban, toName, json = false }: ReturnOptions): Promise<void> {
  if ((toIban === undefined) !== (toName === undefined))
    throw new StopError({ code: 'invalid_payee', message: '--to-iban and --to-name belong together' });
  const to = toIban === undefined || toName === undefined ? undefined : { name: toName, iban: toIban.replaceAll(/\s/g, '').toUpperCase() };
  const returned = await withLedger((ledger) => returnCredit(ledger, reference, to));
  const { payer, currency, endToEndId, payment = null } = returned;
  const amount = amountText(returned);
  if (json) return print(renderJson({ reference, amount, currency, payer, endToEndId, payment, returnedAt: returned.returnedAt }));
  const lines = [
    payment === null
      ? `${reference} is marked as returned. Pay it back by hand, because the bank did not name all that a payment needs:`
      : `${reference} is returned by the payment ${payment}:`,
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

/** Options of `mintrail bank match`. */
export interface MatchOptions {
  payment?: string;
  yes?: boolean;
  json?: boolean;
}

/** `mintrail bank match`. */
export async function matchAgain(reference: string, { payment, yes = false, json = false }: MatchOptions): Promise<void> {
  const options = { ...creditOptions(cliSettings()), source: 'operator' };
  await withLedger(async (ledger) => {
    if (payment !== undefined || (await isReturnedPayment(ledger, reference)))
      return matchPayment(ledger, { reference, payment, yes, json });
    const matched = await matchCredit(ledger, reference, options);
    print(json ? renderJson(matched) : `${reference} became the order ${matched.orderId} on ${matched.chain}.`);
  });
}

interface PaymentRequest {
  reference: string;
  payment: string | undefined;
  yes: boolean;
  json: boolean;
}

/** Shows what matching a credit to a payment does, and does it once it is confirmed. Where nothing is added there is nothing to confirm. */
async function matchPayment(ledger: Ledger, { reference, payment, yes, json }: PaymentRequest): Promise<void> {
  const plan = await planPaymentMatch(ledger, reference, payment);
  if (plan.addedByOperator !== 0n) {
    requireYesWithJson({ json, yes });
    if (!json) print(describePlan(plan));
    if (!yes) await confirmOrStop('Match it?');
  }
  const matched = await matchToPayment(ledger, plan);
  if (json) return print(renderJson(matched));
  print(
    'orderId' in matched
      ? `${reference} is the payment ${matched.payment} that came back: the order ${matched.orderId} gives its tokens back on ${matched.chain}.`
      : `${reference} is the return ${matched.payment} that came back: the credit ${matched.waitingCredit} waits again in \`mintrail bank unmatched\`.`,
  );
}

function describePlan({
  payment,
  kind,
  paid,
  paidCurrency,
  amount,
  currency,
  addedByOperator,
  address,
  chain,
  credit,
}: PaymentMatch): string {
  const difference = minorUnits(addedByOperator < 0n ? 0n - addedByOperator : addedByOperator);
  return [
    `payment   ${payment} over ${money(paid, paidCurrency)}`,
    `came back ${money(amount, currency)}`,
    kind === 'payout'
      ? `gives     ${money(paid, paidCurrency)} back to ${address} on ${chain}`
      : `waits     ${credit} with ${money(paid, paidCurrency)}`,
    `operator  ${addedByOperator < 0n ? 'keeps' : 'adds'} ${money(difference, paidCurrency)}${currency === paidCurrency ? '' : `, and keeps ${money(amount, currency)}`}`,
  ].join('\n');
}

function money(amount: MinorUnits, currency: string): string {
  return `${formatAmount(amount)} ${currency.toUpperCase()}`;
}

/** Options of `mintrail bank settle`. */
export interface SettleOptions {
  as: Settlement;
  reason: string;
  json?: boolean;
}

/** `mintrail bank settle`. */
export async function settle(reference: string, { as, reason, json = false }: SettleOptions): Promise<void> {
  await withLedger((ledger) => settleCredit(ledger, { ...as, reference, reason, operator: operatorName() }));
  const what = as.as === 'own' ? "the operator's own money" : `the money of the debit ${as.debit}`;
  const { as: settledAs, ...debit } = as;
  print(json ? renderJson({ reference, settledAs, ...debit, reason }) : `${reference} is settled as ${what}.`);
}
