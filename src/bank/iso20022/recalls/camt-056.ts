import { withoutUndefined } from '../../without-undefined.ts';
import { dateOfTime } from '../camt/numbers.ts';
import { amountOf, minorUnitsOf } from '../camt/numbers.ts';
import { codeAt, type Element, elementAt, elementsAt, isTrueAt, textAt, textsAt } from '../xml/element.ts';
import { recallShapes } from '../xml/message-shapes.ts';
import { readParts } from '../xml/message-parts.ts';

/** A recall and where it stands. */
export interface ReportedRecall {
  /** Line of the file, from 1. */
  line: number;
  recall: ReturnType<typeof recallOf>;
}

/**
 * Reads a camt.056 file (FI to FI payment cancellation request) as it streams in. Throws a `StopError` with a `BankFileErrorCode`,
 * possibly after recalls: only a file that was read to its end without an error may be applied.
 */
export async function* readRecalls(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<ReportedRecall> {
  let group: Element | undefined;
  for await (const part of readParts(chunks, recallShapes)) {
    if (part.kind === 'section-header') group = part.element;
    else if (part.kind === 'entry') {
      yield { line: part.element.line, recall: recallOf(part.element, part.messageHeaders) };
      // `GrpCxl`: the whole message is to be cancelled, or only what is listed.
      if (!isTrueAt(group, 'GrpCxl')) group = undefined;
    } else if (part.kind === 'section-end') {
      if (group !== undefined) yield { line: group.line, recall: recallOf(group, part.messageHeaders, true) };
      group = undefined;
    }
  }
}

/** Reads `TxInf`, or the group of a request about a whole message. The case stands there or at the head of the message. Texts are as the bank wrote them. */
export function recallOf(transaction: Element, headers: Element, isOfWholeMessage?: true) {
  const assignment = elementAt(headers, 'Assgnmt');
  const ownCase = elementAt(transaction, 'Case') ?? elementAt(headers, 'Case');
  const original = elementAt(transaction, 'OrgnlTxRef');
  const { amount, currency } = amountOf(elementAt(transaction, 'OrgnlIntrBkSttlmAmt') ?? elementAt(original, 'IntrBkSttlmAmt'));
  return withoutUndefined({
    /** It is about all payments of a message, and names none of them. */
    isOfWholeMessage,
    /** The ids of the case and of the request in it. */
    caseId: textAt(ownCase, 'Id'),
    cancellationId: textAt(transaction, 'CxlId') ?? textAt(transaction, 'GrpCxlId'),
    assigner: partyOf(elementAt(transaction, 'Assgnr') ?? elementAt(assignment, 'Assgnr')),
    assignee: partyOf(elementAt(transaction, 'Assgne') ?? elementAt(assignment, 'Assgne')),
    creator: partyOf(elementAt(ownCase, 'Cretr')),
    payment: paymentOf(transaction),
    /** Undefined where it cannot be read. */
    amount: minorUnitsOf(amount),
    /** ISO 4217 in lower case. */
    currency: currency.toLowerCase() || undefined,
    /** `YYYY-MM-DD`. */
    settledOn: dateOfTime(textAt(transaction, 'OrgnlIntrBkSttlmDt') ?? textAt(original, 'IntrBkSttlmDt'), 'UTC'),
    /** Such as `DUPL: sent twice`. */
    reason: reasonOf(transaction),
    payerName: textAt(original, 'Dbtr', 'Pty', 'Nm') ?? textAt(original, 'Dbtr', 'Nm'),
    payerIban: ibanAt(original, 'DbtrAcct'),
    /** The account that was credited. */
    iban: ibanAt(original, 'CdtrAcct'),
  });
}

/** What a recall calls the payment that it is about. */
function paymentOf(transaction: Element) {
  const group = elementAt(transaction, 'OrgnlGrpInf') ?? transaction;
  return withoutUndefined({
    messageId: textAt(group, 'OrgnlMsgId'),
    messageName: textAt(group, 'OrgnlMsgNmId'),
    instructionId: textAt(transaction, 'OrgnlInstrId'),
    endToEndId: textAt(transaction, 'OrgnlEndToEndId'),
    transactionId: textAt(transaction, 'OrgnlTxId'),
    clearingReference: textAt(transaction, 'OrgnlClrSysRef'),
    uetr: textAt(transaction, 'OrgnlUETR')?.toLowerCase(),
  });
}

/** An agent, or a party, or, within a transaction up to version 02, the institution itself. */
function partyOf(role: Element | undefined) {
  const institution = elementAt(role, 'Agt', 'FinInstnId') ?? elementAt(role, 'FinInstnId');
  const party = elementAt(role, 'Pty');
  return withoutUndefined({
    bic:
      textAt(institution, 'BICFI') ??
      textAt(institution, 'BIC') ??
      textAt(party, 'Id', 'OrgId', 'AnyBIC') ??
      textAt(party, 'Id', 'OrgId', 'BICOrBEI'),
    name: textAt(institution, 'Nm') ?? textAt(institution, 'ClrSysMmbId', 'MmbId') ?? textAt(party, 'Nm'),
  });
}

function reasonOf(transaction: Element): string | undefined {
  const texts = elementsAt(transaction, 'CxlRsnInf').map((reason) =>
    [codeAt(reason, 'Rsn'), textsAt(reason, 'AddtlInf').join(' ')].filter(Boolean).join(': '),
  );
  return texts.filter(Boolean).join('; ') || undefined;
}

function ibanAt(original: Element | undefined, account: string): string | undefined {
  return textAt(original, account, 'Id', 'IBAN')?.replaceAll(' ', '').toUpperCase();
}
