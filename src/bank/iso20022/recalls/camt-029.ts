import { bankTime } from '../../bank-calendar.ts';
import type { BankRecall, RecallParty, RecallRefusal } from '../../recall.ts';
import { sepaText } from '../pain/characters.ts';
import { type Elements, renderMessage } from '../pain/xml-writer.ts';

const namespace = 'urn:iso:std:iso:20022:tech:xsd:camt.029.001.09';

/** The answer to a recall: that the bank may take the money back, or why not. */
export type RecallAnswer = { kind: 'accepted' } | { kind: 'refused'; code: RecallRefusal; text?: string };

/** What identifies an answer. */
export interface AnswerHeader {
  /** 32 characters; that of the recall, so that an answer that is written again is the same to the bank. */
  id: string;
  createdAt: Date;
  timeZone: string;
}

/**
 * A camt.029.001.09 message (resolution of investigation) that answers one recall: `CNCL` consents to the cancellation, `RJCR` refuses it
 * with a reason. The references of the payment are written as the bank wrote them. The same input gives the same text.
 */
export function composeCamt029(recall: BankRecall, answer: RecallAnswer, { id, createdAt, timeZone }: AnswerHeader): string {
  const isAccepted = answer.kind === 'accepted';
  const { payment, caseId } = recall;
  const { messageId, messageName } = payment;
  const status = isAccepted ? 'ACCR' : 'RJCR';
  const reason = isAccepted ? undefined : { Rsn: { Cd: answer.code }, AddtlInf: sepaText(answer.text ?? '', 105) || undefined };
  const group = { OrgnlMsgId: messageId ?? 'NOTPROVIDED', OrgnlMsgNmId: messageName ?? 'NOTPROVIDED' };
  const isInMessage = messageId !== undefined && messageName !== undefined;
  return renderMessage(namespace, {
    RsltnOfInvstgtn: {
      Assgnmt: {
        Id: id,
        Assgnr: partyOf(recall.assignee),
        Assgne: partyOf(recall.assigner),
        CreDtTm: bankTime(createdAt, { timeZone }),
      },
      RslvdCase: caseId === undefined ? undefined : { Id: caseId, Cretr: partyOf(recall.creator) },
      Sts: { Conf: isAccepted ? 'CNCL' : 'RJCR' },
      CxlDtls: recall.isOfWholeMessage
        ? { OrgnlGrpInfAndSts: { ...group, GrpCxlSts: status, CxlStsRsnInf: reason } }
        : {
            TxInfAndSts: {
              CxlStsId: id,
              OrgnlGrpInf: isInMessage ? group : undefined,
              OrgnlInstrId: payment.instructionId,
              OrgnlEndToEndId: payment.endToEndId,
              OrgnlTxId: payment.transactionId,
              OrgnlClrSysRef: payment.clearingReference,
              OrgnlUETR: payment.uetr,
              TxCxlSts: status,
              CxlStsRsnInf: reason,
            },
          },
    },
  });
}

function partyOf({ bic, name = 'NOTPROVIDED' }: RecallParty): Elements {
  return bic === undefined ? { Pty: { Nm: name } } : { Agt: { FinInstnId: { BICFI: bic } } };
}
