import type { Party } from '../../bank/credit.ts';
import type { matchUnmatched } from '../../operations/bank/unmatched/match.ts';
import type { returnUnmatched } from '../../operations/bank/unmatched/return.ts';
import { printable } from '../../platform/printable.ts';

type ResultOf<Verb extends { carryOut: (...parameters: never[]) => unknown }> = Awaited<ReturnType<Verb['carryOut']>>;

/** What a credit was matched to. */
export function matchedText(matched: ResultOf<typeof matchUnmatched>): string {
  if ('payments' in matched) return matched.payments.map((one) => cameBackText({ reference: matched.reference, ...one })).join('\n');
  return 'payment' in matched ? cameBackText(matched) : `${matched.reference} became the order ${matched.orderId} on ${matched.chain}.`;
}

function cameBackText(
  matched: { reference: string; payment: string } & ({ orderId: string; chain: string } | { waitingCredit: string }),
): string {
  return 'orderId' in matched
    ? `${matched.reference} is the payment ${matched.payment} that came back: the order ${matched.orderId} gives its tokens back on ${matched.chain}.`
    : `${matched.reference} is the return ${matched.payment} that came back: the credit ${matched.waitingCredit} waits again in \`mintrail bank unmatched\`.`;
}

/** How a credit is returned: by a payment, or where the rail cannot pay it back, what the operator pays and to whom. */
export function returnedText({ reference, amount, currency, payer: party, endToEndId, payment }: ResultOf<typeof returnUnmatched>): string {
  const payer = party as Party;
  return [
    payment === null
      ? `${reference} is marked as returned. Pay it back by hand, because the bank did not name all that a payment needs:`
      : `${reference} is returned by the payment ${payment}:`,
    `  amount  ${[amount ?? 'not known', currency?.toUpperCase()].filter(Boolean).join(' ')}`,
    `  to      ${printable(payer.name ?? 'the bank named no payer')}`,
    ...accountLines(payer),
    ...(endToEndId === null ? [] : [`  payer's reference  ${printable(endToEndId)}`]),
  ].join('\n');
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

/** What accepting a recall has led to. */
export function acceptedText({ credit, file }: { credit: { reference: string; orderId: string | null } | null; file: string }): string {
  return `The bank may take the credit ${credit?.reference ?? ''} back: ${file} goes to the outbox. ${whatFollows(credit?.orderId ?? null)}`;
}

function whatFollows(orderId: string | null): string {
  if (orderId === null) return "It is returned by the bank's debit: pay nothing back yourself.";
  return `It became the order ${orderId}, so what the bank takes back after its tokens are issued is a claim: see \`mintrail bank claims\`.`;
}
