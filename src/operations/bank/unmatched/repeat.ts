import { z } from 'zod';
import { planRepeat, repeatCredit } from '../../../ledger/bank/unmatched/repeat-credit.ts';
import { defineVerb } from '../../verb.ts';
import { moneyText, partyText } from '../money-text.ts';
import { standingsText } from '../standing-text.ts';
import { credit, requireAsShown, roles, shownFields, topics } from './shown-credit.ts';

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
