import { isValidIBAN } from 'ibantools';
import { z } from 'zod';
import { returnCredit } from '../../../ledger/bank/unmatched/return-credit.ts';
import { StopError } from '../../../platform/errors.ts';
import { deceptiveCharacters, deceptiveProblem } from '../../../platform/printable.ts';
import { parseAddress } from '../../../platform/settings/setting-values.ts';
import { defineVerb, type Json } from '../../verb.ts';
import { moneyText, partyText } from '../money-text.ts';
import { addressText, requireAddress } from '../payee-address.ts';
import { credit, requireAsShown, roles, shownFields, topics } from './shown-credit.ts';

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

function accountOf({ toIban, toName }: { toIban?: string | undefined; toName?: string | undefined }) {
  if ((toIban === undefined) !== (toName === undefined))
    throw new StopError({ code: 'bad_input', message: 'Another account needs both: its IBAN, and whose it is' });
  return toIban === undefined || toName === undefined ? undefined : { iban: toIban, name: toName };
}
