import { z } from 'zod';
import { type RecallRefusal, recallRefusals } from '../../bank/recall.ts';
import { acceptableCredit, findOpenRecall, type OpenRecall } from '../../ledger/bank/recalls/recalls.ts';
import { answerByFile } from '../../statements/recalls/answer-recall.ts';
import { defineVerb } from '../verb.ts';
import { moneyText, partyText } from './money-text.ts';

const roles = ['treasurer', 'administrator'] as const;
const topics = ['bank', 'status'] as const;

/** Lets the bank take the money of a recalled payment back, as `mintrail bank recalls accept` does. */
export const acceptRecall = defineVerb({
  name: 'bank.accept-recall',
  summary: 'let the bank take the money of a credit back, once: an unmatched credit is returned by its debit, else that is a claim',
  input: z.strictObject({ recall: z.uuid(), credit: z.string().max(500).optional() }),
  roles,
  needsSecondPerson: true,
  async describe({ ledger }, { recall, credit }) {
    const open = await findOpenRecall(ledger, recall);
    const { reference, amount, currency, payer, orderId } = acceptableCredit(open, credit || undefined);
    const effect = orderId === null ? 'It becomes no order.' : `It became the order ${orderId}: what the bank takes back is a claim.`;
    return `Let the bank take back ${moneyText(amount, currency)} from ${partyText(payer)}, received as ${reference}, as ${askerOf(open)} asks. ${effect}`;
  },
  async carryOut({ ledger, settings, operator }, { recall, credit }) {
    const decision = { kind: 'accepted', credit: credit || undefined } as const;
    const { file } = await answerByFile(ledger, settings, { id: recall, decision, operator: operator.name });
    return { recall, file };
  },
  topics,
});

/** Refuses a recall, as `mintrail bank recalls refuse` does. It moves nothing. */
export const refuseRecall = defineVerb({
  name: 'bank.refuse-recall',
  summary: 'refuse a recall, once',
  input: z.strictObject({
    recall: z.uuid(),
    code: z.enum(Object.keys(recallRefusals) as RecallRefusal[]),
    text: z.string().trim().max(105).optional(),
  }),
  roles,
  needsSecondPerson: false,
  async describe({ ledger }, { recall, code }) {
    const open = await findOpenRecall(ledger, recall);
    const { amount = null, currency = null } = open.recall;
    return `Refuse to give ${moneyText(amount, currency)} back, as ${askerOf(open)} asks: ${recallRefusals[code]} (${code}).`;
  },
  async carryOut({ ledger, settings, operator }, { recall, code, text }) {
    const decision = { kind: 'refused', code, ...(text !== undefined && { text }) } as const;
    const { file } = await answerByFile(ledger, settings, { id: recall, decision, operator: operator.name });
    return { recall, file };
  },
  topics,
});

function askerOf({ recall: { assigner, caseId, reason } }: OpenRecall): string {
  const asker = assigner.bic ?? assigner.name ?? 'a bank that is not named';
  return `${asker}${caseId === undefined ? '' : ` in the case ${caseId}`}${reason === undefined ? '' : ` (${reason})`}`;
}
