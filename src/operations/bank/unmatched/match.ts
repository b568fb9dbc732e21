import { isValidIBAN } from 'ibantools';
import { z } from 'zod';
import { isOwnPayment } from '../../../ledger/bank/returns/own-payments.ts';
import { matchToPayment, type PaymentMatch, planPaymentMatch } from '../../../ledger/bank/returns/payment-match.ts';
import type { ReturnedInSum } from '../../../ledger/bank/returns/payments-in-one-sum.ts';
import {
  type IssuePlan,
  matchAgain,
  matchCredit,
  planCreditMatch,
  planMatchAgain,
} from '../../../ledger/bank/unmatched/match-unmatched.ts';
import { findWaitingCredit, type WaitingCredit } from '../../../ledger/bank/unmatched/unmatched-credits.ts';
import { rehearse } from '../../../ledger/ledger.ts';
import { StopError } from '../../../platform/errors.ts';
import { minorUnits } from '../../../platform/money.ts';
import { isUuid } from '../../../platform/uuid.ts';
import { creditOptions } from '../../../statements/credit-options.ts';
import { matchToPayments } from '../../../statements/match-payments.ts';
import { defineVerb, type VerbContext } from '../../verb.ts';
import { moneyText, partyText } from '../money-text.ts';
import { isSameName } from '../payer-name.ts';
import { credit, reason, requireAsShown, roles, shownFields, topics } from './shown-credit.ts';

/** Matches an unmatched credit. One of another's name, or against a doubt, takes a second person. */
export const matchUnmatched = defineVerb({
  name: 'bank.match',
  summary:
    'match an unmatched credit: try to make it an order again, for instance after its IBAN was assigned, or match a payment of ours that came back to that payment; once',
  command: 'bank match <reference>',
  ...shownFields,
  input: credit
    .extend({
      payment: z
        .string()
        .transform((ids) =>
          ids
            .toLowerCase()
            .split(/[\s,]+/)
            .filter(Boolean)
            .join(','),
        )
        .refine((ids) => ids.split(',').every(isUuid), 'must be ids of payments, with commas between them')
        .describe(
          'the payment of ours that came back; what the credit lacks, such as charges, is added by the operator. Several, with commas between them, where they came back in one sum',
        )
        .optional(),
      again: z
        .boolean()
        .describe(
          "match it although the bank's line was taken for something else, such as the money of another credit or a payment of ours that came back",
        )
        .optional(),
      iban: z
        .string()
        .transform((value) => value.replaceAll(/\s/g, '').toUpperCase())
        .refine((iban) => isValidIBAN(iban, { allowQRIBAN: true }), 'must be a valid IBAN')
        .meta({
          description: "with --again: the customer's account that it is for, where the bank names none or another",
          flags: '--iban <iban>',
        })
        .optional(),
      reason: reason.describe('with --again: how you know; it is recorded').optional(),
    })
    .refine(({ again, payment }) => again !== true || payment === undefined, {
      path: ['payment'],
      message: 'cannot be named beside `again`',
    })
    .refine(({ again, iban }) => again === true || iban === undefined, { path: ['iban'], message: 'needs `again`' }),
  roles,
  async needsSecondPerson(context, input) {
    if (input.again === true || sumOf(input) !== undefined) return true;
    const plan = await planMatch(context, input);
    if (plan.to === 'payment') return input.payment !== undefined || plan.match.addedByOperator !== 0n;
    return plan.match.railReason !== null || !isSameName(plan.match.payer.name, plan.match.holder);
  },
  async describe(context, input) {
    await requireAsShown(context.ledger, input);
    if (input.again === true) {
      const plan = await planMatchAgain(context.ledger, input, { ...creditOptions(context.settings), source: 'operator' });
      return `${describeIssue(input.reference, plan)} It was reported as ${input.reference} and taken for ${plan.takenFor}. Reason: ${reasonOf(input)}`;
    }
    const sum = sumOf(input);
    if (sum !== undefined) {
      // Refused here already if they do not fit.
      const options = { ...creditOptions(context.settings), source: 'operator' };
      return describeSum(input.reference, await rehearse(context.ledger, (tx) => matchToPayments(tx, sum, options)));
    }
    const plan = await planMatch(context, input);
    if (plan.to === 'payment') return describePaymentMatch(plan.match);
    const { reason: doubt, railReason } = plan.match;
    const against = railReason === null ? '' : ` It was kept back because: ${doubt}.`;
    return `${describeIssue(input.reference, plan.match)}${against}`;
  },
  async carryOut(context, input) {
    const { ledger, settings } = context;
    const options = { ...creditOptions(settings), source: 'operator' };
    const sum = sumOf(input);
    // An import locks what it decides first.
    await requireAsShown(ledger, input, sum === undefined ? 'lock' : undefined);
    if (sum !== undefined) return { reference: input.reference, payments: await matchToPayments(ledger, sum, options) };
    if (input.again === true) {
      const { reference, iban } = input;
      return { ...(await matchAgain(ledger, { reference, iban, reason: reasonOf(input) }, options)) };
    }
    const plan = await planMatch(context, input);
    if (plan.to === 'payment') return { reference: input.reference, ...(await matchToPayment(ledger, plan.match)) };
    return { ...(await matchCredit(ledger, input.reference, options)) };
  },
  topics,
});

function reasonOf({ reason: why }: { reason?: string | undefined }): string {
  if (why !== undefined) return why;
  throw new StopError({ code: 'invalid_request', message: 'Validation errors', fields: { reason: 'is needed: how you know' } });
}

async function planMatch({ ledger, settings }: VerbContext, { reference, payment }: { reference: string; payment?: string | undefined }) {
  if (payment !== undefined || isOwnPayment((await findWaitingCredit(ledger, reference)).railReason))
    return { to: 'payment' as const, match: await planPaymentMatch(ledger, reference, payment) };
  return { to: 'holder' as const, match: await planCreditMatch(ledger, reference, { ...creditOptions(settings), source: 'operator' }) };
}

/** What is issued to whom. Throws `not_possible` when the credit still cannot become an order. */
function describeIssue(reference: string, plan: IssuePlan & Pick<WaitingCredit, 'amount' | 'currency' | 'payer'>): string {
  const { amount, currency, payer, holder, profile, address, chain, unmatched } = plan;
  if (unmatched !== null) throw new StopError({ code: 'not_possible', message: `${reference} still cannot become an order: ${unmatched}` });
  const other = isSameName(payer.name, holder) ? '' : ' The payer has another name than the holder.';
  return `Issue ${moneyText(amount, currency)}, paid by ${partyText(payer)}, to ${holder} (profile ${profile}) at ${address} on ${chain}.${other}`;
}

function describePaymentMatch(plan: PaymentMatch): string {
  const { payment, kind, paid, paidCurrency, amount, currency, addedByOperator, address, chain, credit: waiting, reference } = plan;
  const difference = moneyText(minorUnits(addedByOperator < 0n ? 0n - addedByOperator : addedByOperator), paidCurrency);
  const added = addedByOperator === 0n ? '' : ` The operator ${addedByOperator < 0n ? 'keeps' : 'adds'} ${difference}.`;
  const foreign = currency === paidCurrency ? '' : ` The operator keeps ${moneyText(amount, currency)}.`;
  const effect =
    kind === 'payout'
      ? `give ${moneyText(paid, paidCurrency)} back to ${address} on ${chain}`
      : `let the credit ${waiting} over ${moneyText(paid, paidCurrency)} wait again`;
  return `Match ${reference} over ${moneyText(amount, currency)} to our payment ${payment}, which came back, and ${effect}.${added}${foreign}`;
}

/** The payments of ours that came back by a credit in one sum; undefined where one is named, or none. */
function sumOf({ reference, payment = '' }: { reference: string; payment?: string | undefined }) {
  const payments = [...new Set(payment.split(','))];
  return payments.length > 1 ? { reference, payments } : undefined;
}

function describeSum(reference: string, returned: readonly ReturnedInSum[]): string {
  const effects = returned.map((one) => {
    const effect =
      'orderId' in one
        ? `give ${one.amount} back to ${one.address} on ${one.chain}`
        : `let the credit ${one.waitingCredit} over ${one.amount} wait again`;
    return `${one.payment}: ${effect}`;
  });
  return `Match ${reference} to our payments that came back by it in one sum. ${effects.join('. ')}.`;
}
