import { z } from 'zod';
import { findOpenClaim, recoverClaim, writeOffClaim } from '../../ledger/bank/claims/claims.ts';
import { findReversals, undoReversal } from '../../ledger/bank/claims/undo-reversal.ts';
import { type Explanation, findUnexplainedDebit, mostNamed, paymentsOf, repeatedOf } from '../../ledger/bank/debits/unexplained-debits.ts';
import { explainDebit } from '../../ledger/bank/debits/explain-debit.ts';
import { acceptGap, findOpenGap } from '../../ledger/bank/statements/statement-queries.ts';
import { findWaitingCredit } from '../../ledger/bank/unmatched/unmatched-credits.ts';
import { rehearse } from '../../ledger/ledger.ts';
import { StopError } from '../../platform/errors.ts';
import { formatAmount, type MinorUnits, minorUnits, parseAmount } from '../../platform/money.ts';
import { defineVerb, type Json } from '../verb.ts';
import { moneyText, partyText } from './money-text.ts';
import { allTakenBackText } from './standing-text.ts';

const roles = ['treasurer', 'administrator'] as const;
const topics = ['bank', 'orders', 'status'] as const;
const reference = z.string().min(1).max(500);
const reason = z.string().trim().min(1).max(500).describe('how you know; it is recorded');

/** Of a debit whose amount cannot be read. */
const amount = z
  .string()
  .refine((text) => parseAmount(text) !== undefined, 'must be an amount such as 1000.00')
  .transform((text) => parseAmount(text) as MinorUnits);

const explanationKinds = ['fee', 'interest', 'own', 'payment', 'return-of', 'reversal-of', 'repeat-of'] as const;

/**
 * Says what a debit was. `of` names the payments, the credits or the debits. Each kind moves money in the book for a
 * reason that the bank did not give: a fee is the operator's loss, a payment ends an order.
 */
export const explain = defineVerb({
  name: 'bank.explain',
  summary: 'say what a debit was, once; a payment of ours is settled by it',
  command: 'bank explain <debit>',
  input: z.strictObject({
    debit: reference.describe('reference of the debit in `mintrail bank debits`'),
    as: z.enum(explanationKinds),
    of: z.array(reference).max(mostNamed).default([]),
    amount: amount.meta({ description: "what it was over, where the bank's amount cannot be read", flags: '--amount <amount>' }).optional(),
    currency: z
      .string()
      .regex(/^[a-z]{3}$/i, 'must be a currency of ISO 4217 such as EUR')
      .transform((text) => text.toLowerCase())
      .meta({ description: 'beside an amount: its currency, where the bank gave none', flags: '--currency <currency>' })
      .optional(),
    reason,
  }),
  roles,
  needsSecondPerson: true,
  async describe({ ledger, operator }, input) {
    const { payee, bookedOn, account } = await findUnexplainedDebit(ledger, input.debit);
    const explanation = explanationOf(input);
    // Refused here already if it does not fit.
    const { amount: booked, currency } = await rehearse(ledger, (tx) =>
      explainDebit(tx, input.debit, { ...input, explanation, operator: operator.name }),
    );
    const named = input.of.length > 0 ? ` ${input.of.join(', ')}` : '';
    const effect = explanation.as === 'reversal-of' ? ` ${await allTakenBackText(ledger, explanation.credits, booked)}` : '';
    return `Explain the debit ${input.debit} of ${bookedOn} on ${account}, over ${moneyText(booked, currency)} to ${partyText(payee)}, as ${input.as}${named}.${effect} Reason: ${input.reason}`;
  },
  async carryOut({ ledger, operator }, input) {
    const explained = await explainDebit(ledger, input.debit, { ...input, explanation: explanationOf(input), operator: operator.name });
    return { ...explained, amount: formatAmount(explained.amount), as: explanationOf(input) as unknown as Json, reason: input.reason };
  },
  topics,
});

/**
 * Accepts that no statement is missing. One person does: it ends a warning, and neither the book nor a comparison, which could stop
 * issuing, looks at it.
 */
export const acceptStatementGap = defineVerb({
  name: 'bank.accept-gap',
  summary: 'accept that no statement is missing before one, as when the bank skips a number',
  command: 'bank accept-gap <statement>',
  input: z.strictObject({ statement: z.uuid().describe('id of the statement in `mintrail bank statements`'), reason }),
  roles,
  needsSecondPerson: false,
  async describe({ ledger }, { statement, reason: why }) {
    const { account, currency, number, closedOn, gap } = await findOpenGap(ledger, statement);
    return `Accept that no statement is missing before number ${number} of ${account} in ${currency.toUpperCase()}, which closed on ${closedOn}: ${gap}. Reason: ${why}`;
  },
  async carryOut({ ledger, operator }, { statement, reason: why }) {
    await acceptGap(ledger, statement, { reason: why, operator: operator.name });
    return { id: statement, reason: why };
  },
  topics,
});

/** Makes a claim good by an unmatched credit. */
export const recover = defineVerb({
  name: 'bank.recover-claim',
  summary: 'make a claim good by an unmatched credit, all or in part',
  command: 'bank claims settle <claim> --by <credit>',
  input: z.strictObject({ claim: reference, credit: reference }),
  roles,
  needsSecondPerson: true,
  async describe({ ledger }, { claim, credit }) {
    const { amount, recovered, currency, payer } = await findOpenClaim(ledger, claim);
    const by = await findWaitingCredit(ledger, credit);
    return `Use ${moneyText(by.amount, by.currency)} from ${partyText(by.payer)}, received as ${credit}, to make the claim ${claim} against ${partyText(payer)} good, of which ${moneyText(minorUnits(amount - recovered), currency)} are open. The credit becomes no order.`;
  },
  async carryOut({ ledger }, { claim, credit }) {
    const { rest } = await recoverClaim(ledger, claim, credit);
    return { claim, by: credit, writtenOff: false, rest: formatAmount(rest) };
  },
  topics,
});

/** Writes off what is open of a claim. */
export const writeOff = defineVerb({
  name: 'bank.write-off-claim',
  summary: "write off what is open of a claim, as the operator's loss",
  command: 'bank claims settle <claim> --write-off',
  input: z.strictObject({ claim: reference, reason }),
  roles,
  needsSecondPerson: true,
  async describe({ ledger }, { claim, reason: why }) {
    const { amount, recovered, currency, payer } = await findOpenClaim(ledger, claim);
    return `Write off ${moneyText(minorUnits(amount - recovered), currency)} of the claim ${claim} against ${partyText(payer)}, as the operator's loss. Reason: ${why}`;
  },
  async carryOut({ ledger }, { claim, reason: why }) {
    const { rest } = await writeOffClaim(ledger, claim, why);
    return { claim, by: null, writtenOff: true, rest: formatAmount(rest) };
  },
  topics,
});

/** Undoes that a debit took credits back. */
export const undoClaim = defineVerb({
  name: 'bank.undo-claim',
  summary: 'undo that a debit took credits back: their claims end, or they are unmatched again, and the debit is to be explained',
  command: 'bank claims undo <claim>',
  input: z.strictObject({
    claim: reference.describe(
      'reference of the debit or of one of its claims, also of a debit whose credit was not issued or returned yet',
    ),
    reason,
  }),
  roles,
  needsSecondPerson: true,
  async describe({ ledger }, { claim, reason: why }) {
    const { debit, reversals } = await findReversals(ledger, claim);
    const credits = reversals.map(({ credit, amount, currency }) => `${credit} (${moneyText(amount, currency)})`).join(', ');
    return `Undo that the debit ${debit} took back ${credits}. The debit waits for an explanation again, unless it only said that the bank had not booked the credit. Reason: ${why}`;
  },
  async carryOut({ ledger, operator }, { claim, reason: why }) {
    const { credits, amount: sum, ...undone } = await undoReversal(ledger, claim, { reason: why, operator: operator.name });
    return { ...undone, credits: credits.map(({ credit, isUnmatched }) => ({ credit, isUnmatched })), amount: formatAmount(sum) };
  },
  topics,
});

function explanationOf({ as, of }: { as: (typeof explanationKinds)[number]; of: readonly string[] }): Explanation {
  const [first] = of;
  if (as === 'fee' || as === 'interest' || as === 'own') return { as };
  if (first === undefined) throw invalidOf('is needed: what the debit was of');
  if (as === 'reversal-of') return { as, credits: of };
  const known = as === 'payment' ? paymentsOf(of) : as === 'repeat-of' ? repeatedOf(of) : undefined;
  if (known !== undefined) return known;
  if (as === 'repeat-of') throw invalidOf('must be references of debits, and `fee` where the bank added one');
  if (as === 'payment') throw invalidOf('must be ids of payments, and `fee` where the bank added one');
  if (of.length > 1) throw invalidOf('must be one alone');
  return { as, credit: first };
}

function invalidOf(problem: string): StopError {
  return new StopError({ code: 'invalid_request', message: 'Validation errors', fields: { of: problem } });
}
