import { withoutUndefined } from '../../without-undefined.ts';
import { realReference } from '../placeholder.ts';
import { codeAt, type Element, elementAt, elementsAt, textAt, textsAt } from '../xml/element.ts';
import { statusShapes } from '../xml/message-shapes.ts';
import { readParts } from '../xml/message-parts.ts';
import { isCertainReason, isDuplicateReason, reasonText, type StatusReason } from './reasons.ts';

/** The status of one payment, or of all payments of one of our files that the bank does not list one by one. */
export type ReportedStatus = ReturnType<typeof statusOf>;

/** Settlement is completed on the debtor's account, or on the creditor's: no other status follows. */
const executedCodes = new Set(['ACSC', 'ACCC']);

/** Rejected, or cancelled on request. */
const refusedCodes = new Set(['RJCT', 'CANC']);

/**
 * Reads a pain.002 file (payment status report, versions 03 to 14) as it streams in, and holds one payment in memory at a
 * time. The status of a whole group or payment instruction comes after those of its payments. It is left out when it is
 * `PART`, which only says that payments have their own.
 *
 * Throws a `StopError` with a `BankFileErrorCode`, possibly after statuses: only a file that was read to its end without
 * an error may be applied.
 */
export async function* readStatusReport(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<ReportedStatus> {
  let ofFile: ReportedStatus[] = [];
  for await (const part of readParts(chunks, statusShapes)) {
    const group = elementAt(part.messageHeaders, groupStatus);
    if (part.kind === 'entry') yield paymentStatus(part.element, [part.sectionHeaders, group]);
    else if (part.kind === 'message-header' && part.element.name === groupStatus) ofFile.push(...fileStatus([part.element]));
    else if (part.kind === 'section-end') ofFile.push(...fileStatus([part.sectionHeaders, group]));
    else if (part.kind === 'message-end') {
      yield* ofFile;
      ofFile = [];
    }
  }
}

const groupStatus = 'OrgnlGrpInfAndSts';

/** The element of the status at each level besides the instruction. */
const statusNames: Record<string, string> = { TxInfAndSts: 'TxSts', [groupStatus]: 'GrpSts' };

/**
 * What holds a status, innermost first: transaction, payment instruction, group. Each of our files has one instruction with the message
 * id of the file, so both upper levels are about the file.
 */
type Levels = readonly (Element | undefined)[];

function fileStatus(levels: Levels): ReportedStatus[] {
  const [status] = levels.map(statusElement);
  if (status === undefined) return [];
  const [group, instruction] = levels.toReversed();
  const originalMessageId = realReference(textAt(instruction, 'OrgnlPmtInfId')) ?? realReference(textAt(group, 'OrgnlMsgId'));
  const reported = statusOf(levels, { level: 'file', line: status.line, originalMessageId });
  return reported.code === 'PART' ? [] : [reported];
}

/** `TxInfAndSts`. */
function paymentStatus(transaction: Element, [instruction, group]: Levels): ReportedStatus {
  return statusOf([transaction, instruction, group], {
    level: 'payment',
    line: transaction.line,
    originalMessageId: realReference(textAt(group, 'OrgnlMsgId')),
    originalEndToEndId: realReference(textAt(transaction, 'OrgnlEndToEndId')),
    originalInstructionId: realReference(textAt(transaction, 'OrgnlInstrId')),
  });
}

/** What a status is about. */
interface StatusSubject {
  level: 'file' | 'payment';
  /** Line of the report, from 1. */
  line: number;
  originalMessageId: string | undefined;
  originalEndToEndId?: string | undefined;
  originalInstructionId?: string | undefined;
}

/**
 * The status of the innermost level that has one, with the innermost reasons. When any level is rejected as a duplicate,
 * so is all within it, whatever reason is inside. A rejection of a file may be of the file alone, whose first copy the bank carries out:
 * certain is one of a payment that has a status and a reason of its own, where every reason, that of its file included, is certain.
 */
function statusOf(levels: Levels, subject: StatusSubject) {
  const codes = levels.map((level) => textAt(statusElement(level)));
  const code = codes.find((text) => text !== undefined) ?? '';
  const reasons = levels.map(reasonsOf);
  const all = reasons.flat();
  const isOwn = subject.level === 'payment' && codes[0] === code && reasons[0]?.length !== 0;
  return withoutUndefined({
    ...subject,
    /** The bank's status code, such as `ACSP`. */
    code,
    meaning: meaningOf(code, {
      isDuplicate: all.some(isDuplicateReason),
      isCertain: isOwn && all.every(isCertainReason),
    }),
    /** Such as `AC04 closed account number: text`. */
    reason:
      reasons
        .find(({ length }) => length > 0)
        ?.flatMap((reason) => reasonText(reason) ?? [])
        .join('; ') || undefined,
  });
}

function statusElement(level: Element | undefined): Element | undefined {
  return elementAt(level, statusNames[level?.name ?? ''] ?? 'PmtInfSts');
}

function reasonsOf(level: Element | undefined): StatusReason[] {
  return elementsAt(level, 'StsRsnInf').map((reason) => ({
    code: codeAt(reason, 'Rsn'),
    text: textsAt(reason, 'AddtlInf').join(' ') || undefined,
  }));
}

/**
 * What a status code means for a payment: it was carried out, never will be, was rejected as a duplicate (which says
 * nothing about the first), was rejected in a way that may say the same (`unclear`), or is still open.
 */
type StatusMeaning = 'executed' | 'refused' | 'duplicate' | 'unclear' | 'open';

function meaningOf(code: string, { isDuplicate, isCertain }: { isDuplicate: boolean; isCertain: boolean }): StatusMeaning {
  if (executedCodes.has(code)) return 'executed';
  if (!refusedCodes.has(code)) return 'open';
  if (isDuplicate) return 'duplicate';
  return isCertain ? 'refused' : 'unclear';
}
