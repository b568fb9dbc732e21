import { withoutUndefined } from '../../without-undefined.ts';
import type { BankRecall, RecallParty, RecalledPayment } from '../../recall.ts';
import { dateOfTime } from '../camt/booking-date.ts';
import { amountOf, minorUnitsOf } from '../camt/decimal.ts';
import { type Element, elementAt, elementsAt, textAt, textsAt } from '../xml/element.ts';
import { recallShapes } from '../xml/message-shapes.ts';
import { type FilePart, readParts } from '../xml/message-parts.ts';

/** A recall and where it stands; `recall` is undefined for a request about a whole message, which names no payment. */
export interface ReportedRecall {
  /** Line of the file, from 1. */
  line: number;
  recall: BankRecall | undefined;
}

/**
 * Reads a camt.056 file (FI to FI payment cancellation request) as it streams in. Throws a `StopError` with a `BankFileErrorCode`, possibly after
 * recalls: only a file that was read to its end without an error may be applied.
 */
export async function* readRecalls(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<ReportedRecall> {
  let headers = new Map<string, Element>();
  for await (const part of readParts(chunks, recallShapes)) {
    if (part.kind === 'message') headers = new Map();
    else if (part.kind === 'message-header') headers.set(part.element.name, part.element);
    else yield* recallsOf(part, headers);
  }
}

function* recallsOf(part: FilePart, headers: ReadonlyMap<string, Element>): Generator<ReportedRecall> {
  if (part.kind === 'entry') yield { line: part.element.line, recall: recallOf(part.element, headers) };
  // `GrpCxl`: the whole message is to be cancelled, or only what is listed.
  else if (part.kind === 'section-header' && ['true', '1'].includes(textAt(part.element, 'GrpCxl') ?? ''))
    yield { line: part.element.line, recall: undefined };
}

/** `TxInf`. The case stands there or at the head of the message. */
function recallOf(transaction: Element, headers: ReadonlyMap<string, Element>): BankRecall {
  const assignment = headers.get('Assgnmt');
  const ownCase = elementAt(transaction, 'Case') ?? headers.get('Case');
  const original = elementAt(transaction, 'OrgnlTxRef');
  const { amount, currency } = amountOf(elementAt(transaction, 'OrgnlIntrBkSttlmAmt') ?? elementAt(original, 'IntrBkSttlmAmt'));
  return withoutUndefined({
    caseId: textAt(ownCase, 'Id'),
    cancellationId: textAt(transaction, 'CxlId'),
    assigner: partyOf(elementAt(transaction, 'Assgnr') ?? elementAt(assignment, 'Assgnr')),
    assignee: partyOf(elementAt(transaction, 'Assgne') ?? elementAt(assignment, 'Assgne')),
    creator: partyOf(elementAt(ownCase, 'Cretr')),
    payment: paymentOf(transaction),
    amount: minorUnitsOf(amount),
    currency: currency.toLowerCase() || undefined,
    settledOn: dateOfTime(textAt(transaction, 'OrgnlIntrBkSttlmDt') ?? textAt(original, 'IntrBkSttlmDt'), 'UTC'),
    reason: reasonOf(transaction),
    payerName: textAt(original, 'Dbtr', 'Pty', 'Nm') ?? textAt(original, 'Dbtr', 'Nm'),
    payerIban: ibanAt(original, 'DbtrAcct'),
    iban: ibanAt(original, 'CdtrAcct'),
  });
}

function paymentOf(transaction: Element): RecalledPayment {
  const group = elementAt(transaction, 'OrgnlGrpInf');
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
function partyOf(role: Element | undefined): RecallParty {
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
    [textAt(reason, 'Rsn', 'Cd') ?? textAt(reason, 'Rsn', 'Prtry'), textsAt(reason, 'AddtlInf').join(' ')].filter(Boolean).join(': '),
  );
  return texts.filter(Boolean).join('; ') || undefined;
}

function ibanAt(original: Element | undefined, account: string): string | undefined {
  return textAt(original, account, 'Id', 'IBAN')?.replaceAll(' ', '').toUpperCase();
}
