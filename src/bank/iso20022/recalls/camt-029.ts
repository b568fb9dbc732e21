import { bankTime } from '../../bank-calendar.ts';
import type { BankRecall, RecallParty, RecallRefusal } from '../../recall.ts';
import { sepaText } from '../pain/characters.ts';
import { type Node, node, renderXml } from '../pain/xml-writer.ts';

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
 * A camt.029.001.09 message (resolution of investigation) that answers one recall: `CNCL` consents to the cancellation, `RJCR` refuses it with a reason.
 * The references of the payment are written as the bank wrote them. The same input gives the same text.
 */
export function composeCamt029(recall: BankRecall, answer: RecallAnswer, { id, createdAt, timeZone }: AnswerHeader): string {
  const isAccepted = answer.kind === 'accepted';
  const { payment, caseId } = recall;
  const group = payment.messageId !== undefined && payment.messageName !== undefined;
  const transaction = node(
    'TxInfAndSts',
    node('CxlStsId', id),
    group ? node('OrgnlGrpInf', node('OrgnlMsgId', payment.messageId ?? ''), node('OrgnlMsgNmId', payment.messageName ?? '')) : undefined,
    optional('OrgnlInstrId', payment.instructionId),
    optional('OrgnlEndToEndId', payment.endToEndId),
    optional('OrgnlTxId', payment.transactionId),
    optional('OrgnlClrSysRef', payment.clearingReference),
    optional('OrgnlUETR', payment.uetr),
    node('TxCxlSts', isAccepted ? 'ACCR' : 'RJCR'),
    isAccepted
      ? undefined
      : node('CxlStsRsnInf', node('Rsn', node('Cd', answer.code)), optional('AddtlInf', sepaText(answer.text ?? '', 105))),
  );
  const resolution = node(
    'RsltnOfInvstgtn',
    node(
      'Assgnmt',
      node('Id', id),
      node('Assgnr', ...partyNodes(recall.assignee)),
      node('Assgne', ...partyNodes(recall.assigner)),
      node('CreDtTm', bankTime(createdAt, { timeZone })),
    ),
    caseId === undefined ? undefined : node('RslvdCase', node('Id', caseId), node('Cretr', ...partyNodes(recall.creator))),
    node('Sts', node('Conf', isAccepted ? 'CNCL' : 'RJCR')),
    node('CxlDtls', transaction),
  );
  return renderXml({ ...node('Document', resolution), attributes: { xmlns: namespace } });
}

function partyNodes({ bic, name = 'NOTPROVIDED' }: RecallParty): Node[] {
  if (bic !== undefined) return [node('Agt', node('FinInstnId', node('BICFI', bic)))];
  return [node('Pty', node('Nm', name))];
}

function optional(name: string, text: string | undefined): Node | undefined {
  return text === undefined || text === '' ? undefined : node(name, text);
}
