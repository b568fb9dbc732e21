import { isValidIBAN } from 'ibantools';
import { z } from 'zod';
import {
  findMistakenLine,
  matchAgain,
  planMatchAgain,
  type IssuePlan,
  matchCredit,
  planCreditMatch,
} from '../../ledger/bank/unmatched/match-unmatched.ts';
import { planRepeat, repeatCredit } from '../../ledger/bank/unmatched/repeat-credit.ts';
import { isOwnPayment } from '../../ledger/bank/returns/own-payments.ts';
import type { ReturnedInSum } from '../../ledger/bank/returns/payments-in-one-sum.ts';
import { matchToPayment, type PaymentMatch, planPaymentMatch } from '../../ledger/bank/returns/payment-match.ts';
import { findWaitingCredit, type WaitingCredit } from '../../ledger/bank/unmatched/unmatched-credits.ts';
import { returnCredit } from '../../ledger/bank/unmatched/return-credit.ts';
import { settleCredit, type Settlement } from '../../ledger/bank/unmatched/settle-credit.ts';
import { type Ledger, rehearse } from '../../ledger/ledger.ts';
import { deceptiveCharacters, deceptiveProblem } from '../../platform/printable.ts';
import { StopError } from '../../platform/errors.ts';
import { minorUnits } from '../../platform/money.ts';
import { isUuid } from '../../platform/uuid.ts';
import { parseAddress } from '../../platform/settings/setting-values.ts';
import { creditOptions } from '../../statements/credit-options.ts';
import { matchToPayments } from '../../statements/match-payments.ts';
import { defineVerb, type Json, type VerbContext } from '../verb.ts';
import { amountOrNull, moneyText, partyText } from './money-text.ts';
import { addressText, requireAddress } from './payee-address.ts';
import { isSameName } from './payer-name.ts';
import { standingsText } from './standing-text.ts';

const roles = ['treasurer', 'administrator'] as const;
const topics = ['bank', 'orders', 'status'] as const;
const reason = z.string().trim().min(1).max(500).describe('how you know; it is recorded');

/** A credit, and its amount as the operator saw it. A later report of the bank may reduce it before a second person has approved. */
const credit = z.strictObject({
  reference: z.string().min(1).max(500).describe('reference of the credit in `mintrail bank unmatched`'),
  amount: z
    .string()
    .nullable()
    .meta({ description: 'do it only while the credit has this amount, the one that you have seen', flags: '--amount <amount>' }),
});

const shownFields = {
  shown: ['amount'] as const,
  async readShown({ ledger }: VerbContext, { reference: named = '', again }: { reference?: string; again?: boolean | undefined }) {
    return { amount: amountOrNull((await (again === true ? findMistakenLine(ledger, named) : findWaitingCredit(ledger, named))).amount) };
  },
};

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

/** Sends an unmatched credit back. */
export const returnUnmatched = defineVerb({
  name: 'bank.return',
  summary: 'send an unmatched credit back to its payer, once; where the bank named no payer, only mark it as returned',
  command: 'bank return <reference>',
  ...shownFields,
  input: credit.extend({
    toIban: z
      .string()
      .transform((value) => value.replaceAll(/\s/g, '').toUpperCase())
      .refine((iban) => isValidIBAN(iban, { allowQRIBAN: true }), 'must be a valid IBAN')
      .meta({ description: 'another account than that of the payer', flags: '--to-iban <iban>' })
      .optional(),
    toName: z
      .string()
      .trim()
      .min(1)
      .max(140)
      .refine((name) => !deceptiveCharacters.test(name), deceptiveProblem)
      .meta({ description: 'whose account that is', flags: '--to-name <name>' })
      .optional(),
    toAddress: z
      .string()
      .transform(parseAddress)
      .meta({ description: 'postal address of the payee, as in BANK_ACCOUNT_ADDRESS', flags: '--to-address <json>' })
      .optional(),
  }),
  roles,
  needsSecondPerson: true,
  async describe({ ledger, settings }, input) {
    const credit = await requireAsShown(ledger, input);
    const { amount, currency, payer } = credit;
    const to = accountOf(input);
    requireAddress(credit, input, settings);
    const whom = to === undefined ? `its payer, ${partyText(payer)}` : `another account than its payer's: ${to.name} (${to.iban})`;
    const byHand =
      to === undefined && payer.iban === undefined
        ? ' The bank named no IBAN, so it is only marked as returned, and has to be paid by hand.'
        : '';
    const at = input.toAddress === undefined ? '' : `, ${addressText(input.toAddress)}`;
    return `Return ${moneyText(amount, currency)}, received as ${input.reference}, to ${whom}${at}.${byHand}`;
  },
  async carryOut({ ledger, settings }, input) {
    requireAddress(await requireAsShown(ledger, input, 'lock'), input, settings);
    const returned = await returnCredit(ledger, input.reference, accountOf(input), input.toAddress);
    const { payer, currency, endToEndId, payment = null, returnedAt } = returned;
    const { reference, amount } = input;
    return { reference, amount, currency, payer: { ...payer } as Json, endToEndId, payment, returnedAt: returnedAt?.toISOString() ?? null };
  },
  topics,
});

/**
 * Ends an unmatched credit as another report of money that is recorded. Whose money it seemed to be gets nothing, and the book
 * undoes it, for a reason that the bank did not give.
 */
export const repeatUnmatched = defineVerb({
  name: 'bank.repeat',
  summary: 'end an unmatched credit whose money is that of another credit: nothing is issued or returned for it, and the book undoes it',
  command: 'bank repeat <reference>',
  ...shownFields,
  input: credit.extend({
    of: z.array(z.string().min(1).max(500)).max(50).default([]).meta({
      description: 'the credits whose money it is; without them the credit that it is suspected to repeat',
      flags: '--of <reference...>',
    }),
  }),
  roles,
  needsSecondPerson: true,
  async describe({ ledger }, input) {
    const { amount, currency, payer } = await requireAsShown(ledger, input);
    const others = await planRepeat(ledger, input.reference, input.of);
    return `End ${input.reference} over ${moneyText(amount, currency)} from ${partyText(payer)} as another report of ${others.join(', ')}. Nothing is issued or returned for it. ${await standingsText(ledger, others)}`;
  },
  async carryOut({ ledger }, input) {
    await requireAsShown(ledger, input);
    return { ...(await repeatCredit(ledger, input.reference, input.of)) };
  },
  topics,
});

/** Ends an unmatched credit that is neither to be issued nor to be returned. */
export const settleUnmatched = defineVerb({
  name: 'bank.settle',
  summary: 'end an unmatched credit that is neither to be issued nor to be returned, once',
  command: 'bank settle <reference>',
  ...shownFields,
  input: credit.extend({ as: z.enum(['own', 'difference', 'debit']), debit: z.string().min(1).max(500).optional(), reason }),
  roles,
  needsSecondPerson: true,
  async describe({ ledger, operator: { name: operator } }, input) {
    const { amount, currency, payer } = await requireAsShown(ledger, input);
    const settlement = settlementOf(input);
    // Refused here already if the debit does not fit.
    await rehearse(ledger, (tx) => settleCredit(tx, { ...settlement, reference: input.reference, reason: input.reason, operator }));
    // The debit is over the same money.
    const what =
      settlement.as === 'own'
        ? "the operator's own money"
        : settlement.as === 'debit'
          ? 'money that left, a debit that is to be explained'
          : `the money of the unexplained debit ${settlement.debit} over ${moneyText(amount, currency)}`;
    return `Settle ${moneyText(amount, currency)} from ${partyText(payer)}, received as ${input.reference}, as ${what}: no customer gets it. Reason: ${input.reason}`;
  },
  async carryOut({ ledger, operator }, input) {
    await requireAsShown(ledger, input, 'lock');
    await settleCredit(ledger, { ...settlementOf(input), reference: input.reference, reason: input.reason, operator: operator.name });
    const { reference, as, debit, reason: why } = input;
    return { reference, settledAs: as, debit, reason: why };
  },
  topics,
});

/** The unmatched credit. Throws `not_as_shown` when a report has changed its amount since the operator saw it, and as {@link findWaitingCredit}. */
async function requireAsShown(
  ledger: Ledger,
  { reference, amount, again }: z.output<typeof credit> & { again?: boolean | undefined },
  lock?: 'lock',
): Promise<Pick<WaitingCredit, 'amount' | 'currency' | 'payer'>> {
  const waiting = again === true ? await findMistakenLine(ledger, reference) : await findWaitingCredit(ledger, reference, lock);
  if (amountOrNull(waiting.amount) === amount) return waiting;
  const message = `The credit ${reference} is over ${moneyText(waiting.amount, waiting.currency)} now: a report of the bank has changed it. Look at it again`;
  throw new StopError({ code: 'not_as_shown', message });
}

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

function accountOf({ toIban, toName }: { toIban?: string | undefined; toName?: string | undefined }) {
  if ((toIban === undefined) !== (toName === undefined))
    throw new StopError({ code: 'bad_input', message: 'Another account needs both: its IBAN, and whose it is' });
  return toIban === undefined || toName === undefined ? undefined : { iban: toIban, name: toName };
}

function settlementOf({ as, debit }: { as: Settlement['as']; debit?: string | undefined }): Settlement {
  if (as !== 'difference') return { as };
  if (debit !== undefined) return { as, debit };
  throw new StopError({
    code: 'invalid_request',
    message: 'Validation errors',
    fields: { debit: 'is needed: the debit that the bank undoes' },
  });
}
