import { z } from 'zod';
import { type RecallRefusal, recallRefusals } from '../../bank/recall.ts';
import { acceptableCredit, findOpenRecall, type OpenRecall } from '../../ledger/bank/recalls/recalls.ts';
import { findAcceptedCredit, undoRecall } from '../../ledger/bank/recalls/recall-records.ts';
import { answerByFile } from '../../statements/recalls/answer-recall.ts';
import { defineVerb } from '../verb.ts';
import { moneyText, partyText } from './money-text.ts';
import { takenBackText } from './standing-text.ts';

const roles = ['treasurer', 'administrator'] as const;
const topics = ['bank', 'status'] as const;
const recallId = z.uuid().describe('id of the recall in `mintrail bank recalls`');
const refusalTexts = Object.entries(recallRefusals)
  .map(([code, why]) => `${code} (${why})`)
  .join(', ');

/** Lets the bank take the money of a recalled payment back. */
export const acceptRecall = defineVerb({
  name: 'bank.accept-recall',
  summary: 'let the bank take the money of a credit back, once: an unmatched credit is returned by its debit, else that is a claim',
  command: 'bank recalls accept <recall>',
  input: z.strictObject({
    recall: recallId,
    credit: z
      .string()
      .max(500)
      .meta({ description: 'the credit, where it may be about several', flags: '--credit <reference>' })
      .optional(),
  }),
  roles,
  needsSecondPerson: true,
  async describe({ ledger }, { recall, credit }) {
    const open = await findOpenRecall(ledger, recall);
    const { reference, amount, currency, payer } = acceptableCredit(open, credit || undefined);
    const effect = await takenBackText(ledger, reference);
    const { amount: recalled = null } = open.recall;
    const money =
      recalled === amount
        ? moneyText(amount, currency)
        : `${moneyText(amount, currency)} of the ${moneyText(recalled, currency)} that it asks for,`;
    return `Let the bank take back ${money} from ${partyText(payer)}, received as ${reference}, as ${askerOf(open)} asks. ${effect}`;
  },
  async carryOut({ ledger, settings, operator }, { recall, credit }) {
    const decision = { kind: 'accepted', credit: credit || undefined } as const;
    const { file, credit: answered = null } = await answerByFile(ledger, settings, { id: recall, decision, operator: operator.name });
    return { id: recall, credit: answered && { ...answered }, file };
  },
  topics,
});

/** Refuses a recall. It moves nothing. */
export const refuseRecall = defineVerb({
  name: 'bank.refuse-recall',
  summary: 'refuse a recall, once',
  command: 'bank recalls refuse <recall>',
  input: z.strictObject({
    recall: recallId,
    code: z.enum(Object.keys(recallRefusals) as RecallRefusal[]).meta({ description: `why: ${refusalTexts}`, flags: '--code <code>' }),
    text: z.string().trim().max(105).describe('what the bank is told besides; at most 105 characters').optional(),
  }),
  roles,
  needsSecondPerson: false,
  async describe({ ledger }, { recall, code, text }) {
    const open = await findOpenRecall(ledger, recall);
    const { amount = null, currency = null } = open.recall;
    return `Refuse to give ${moneyText(amount, currency)} back, as ${askerOf(open)} asks: ${recallRefusals[code]} (${code}).${text ? ` The bank is told: ${text}` : ''}`;
  },
  async carryOut({ ledger, settings, operator }, { recall, code, text }) {
    const decision = { kind: 'refused', code, ...(text !== undefined && { text }) } as const;
    const { file } = await answerByFile(ledger, settings, { id: recall, decision, operator: operator.name });
    return { id: recall, code, file };
  },
  topics,
});

/** Ends that the bank may take the money of an accepted recall. */
export const undoAcceptedRecall = defineVerb({
  name: 'bank.undo-recall',
  summary: 'say that the bank does not take the money of an accepted recall: its credit waits again',
  command: 'bank recalls undo <recall>',
  input: z.strictObject({ recall: recallId, reason: z.string().trim().min(1).max(500).describe('how you know; it is recorded') }),
  roles,
  needsSecondPerson: true,
  async describe({ ledger }, { recall, reason }) {
    const { reference, amount, currency, payer } = await findAcceptedCredit(ledger, recall);
    return `Let ${moneyText(amount, currency)} from ${partyText(payer)}, received as ${reference}, wait again, because the bank does not take it back for the recall ${recall}. Reason: ${reason}`;
  },
  carryOut: async ({ ledger, operator: { name: operator } }, { recall, reason }) => undoRecall(ledger, recall, { reason, operator }),
  topics,
});

function askerOf({ recall: { assigner, caseId, reason } }: OpenRecall): string {
  const asker = assigner.bic ?? assigner.name ?? 'a bank that is not named';
  return `${asker}${caseId === undefined ? '' : ` in the case ${caseId}`}${reason === undefined ? '' : ` (${reason})`}`;
}
