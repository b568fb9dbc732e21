import { composeCamt029 } from '../../bank/iso20022/recalls/camt-029.ts';
import { answerRecall, type RecallDecision } from '../../ledger/bank/recalls/recalls.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Settings } from '../../platform/settings.ts';
import { uuidToHex } from '../../platform/uuid.ts';

/** Answers a recall by a camt.029 file in the outbox, once. Throws what {@link answerRecall} throws. */
export async function answerByFile(
  ledger: Ledger,
  settings: Pick<Settings, 'bankTimeZone'>,
  answer: { id: string; decision: RecallDecision; operator: string },
) {
  const createdAt = new Date();
  const id = uuidToHex(answer.id);
  const time = createdAt.toISOString().slice(0, 19).replace(/[-:]/g, '');
  return answerRecall(ledger, {
    ...answer,
    compose: (recall) => ({
      name: `camt.029-${time}-${id}.xml`,
      content: composeCamt029(recall, answer.decision, { id, createdAt, timeZone: settings.bankTimeZone }),
    }),
  });
}
