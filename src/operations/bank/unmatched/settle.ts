import { z } from 'zod';
import { settleCredit, type Settlement } from '../../../ledger/bank/unmatched/settle-credit.ts';
import { rehearse } from '../../../ledger/ledger.ts';
import { StopError } from '../../../platform/errors.ts';
import { defineVerb } from '../../verb.ts';
import { moneyText, partyText } from '../money-text.ts';
import { credit, reason, requireAsShown, roles, shownFields, topics } from './shown-credit.ts';

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

function settlementOf({ as, debit }: { as: Settlement['as']; debit?: string | undefined }): Settlement {
  if (as !== 'difference') return { as };
  if (debit !== undefined) return { as, debit };
  throw new StopError({
    code: 'invalid_request',
    message: 'Validation errors',
    fields: { debit: 'is needed: the debit that the bank undoes' },
  });
}
