import { withoutUndefined } from '../../without-undefined.ts';
import { realReference } from '../placeholder.ts';
import { type Element, elementAt, elementsAt, textAt, textsAt } from '../xml/element.ts';
import { statusShapes } from '../xml/message-shapes.ts';
import { type FilePart, readParts } from '../xml/message-parts.ts';
import { isCertainReason, isDuplicateReason, reasonText } from './reasons.ts';

/**
 * What a status code means for a payment: it was carried out, never will be, was rejected as a duplicate (which says
 * nothing about the first), was rejected in a way that may say the same (`unclear`), or is still open.
 */
export type StatusMeaning = 'executed' | 'refused' | 'duplicate' | 'unclear' | 'open';

/** The status of one payment, or of all payments of one of our files that the bank does not list one by one. */
export interface ReportedStatus {
  level: 'file' | 'payment';
  /** Line of the report, from 1. */
  line: number;
  /** The bank's status code, such as `ACSP`. */
  code: string;
  meaning: StatusMeaning;
  /** Such as `AC04 closed account number: text`. */
  reason?: string;
  originalMessageId?: string;
  originalEndToEndId?: string;
  originalInstructionId?: string;
}

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
  const reader = createStatusReader();
  for await (const part of readParts(chunks, statusShapes)) yield* reader.read(part);
  yield* reader.end();
}

/** The status at one level of the message: group, payment instruction or transaction. */
interface Level {
  status?: Element | undefined;
  reasons: Element[];
  /** The original id of what the level is about. */
  id?: string | undefined;
}

/** Each of our files has one payment instruction with the message id of the file, so both upper levels are about the file. */
function createStatusReader() {
  let group: Level = { reasons: [] };
  let instruction: Level = { reasons: [] };
  let fileStatuses: ReportedStatus[] = [];

  /** `GrpHdr` or `OrgnlGrpInfAndSts`. */
  function readGroup(element: Element): void {
    if (element.name === 'GrpHdr') group = { reasons: [] };
    else {
      const id = realReference(textAt(element, 'OrgnlMsgId'));
      group = { status: elementAt(element, 'GrpSts'), reasons: elementsAt(element, 'StsRsnInf'), id };
      addFileStatus([group]);
    }
  }

  /** `OrgnlPmtInfId`, `PmtInfSts` or `StsRsnInf` of `OrgnlPmtInfAndSts`. */
  function readInstructionHeader(element: Element): void {
    if (element.name === 'PmtInfSts') instruction.status = element;
    else if (element.name === 'StsRsnInf') instruction.reasons.push(element);
    else instruction.id = realReference(element.text);
  }

  function addFileStatus(levels: [Level, ...Level[]]): void {
    const [{ status, id = group.id }] = levels;
    const reported = statusOf(levels, 'file');
    if (status === undefined || reported.code === 'PART') return;
    fileStatuses.push({ level: 'file', line: status.line, ...reported, ...(id !== undefined && { originalMessageId: id }) });
  }

  /** `TxInfAndSts`. */
  function readTransaction(element: Element): ReportedStatus {
    const references = withoutUndefined({
      originalMessageId: group.id,
      originalEndToEndId: realReference(textAt(element, 'OrgnlEndToEndId')),
      originalInstructionId: realReference(textAt(element, 'OrgnlInstrId')),
    });
    const transaction = { status: elementAt(element, 'TxSts'), reasons: elementsAt(element, 'StsRsnInf') };
    return { level: 'payment', line: element.line, ...statusOf([transaction, instruction, group], 'payment'), ...references };
  }

  function* end(): Generator<ReportedStatus> {
    yield* fileStatuses;
    fileStatuses = [];
    group = { reasons: [] };
  }

  return {
    *read(part: FilePart): Generator<ReportedStatus> {
      if (part.kind === 'message') yield* end();
      else if (part.kind === 'message-header') readGroup(part.element);
      else if (part.kind === 'section-begin') instruction = { reasons: [] };
      else if (part.kind === 'section-header') readInstructionHeader(part.element);
      else if (part.kind === 'entry') yield readTransaction(part.element);
      else addFileStatus([instruction, group]);
    },
    end,
  };
}

/**
 * The status of the innermost level that has one, with the innermost reasons. When any level is rejected as a duplicate,
 * so is all within it, whatever reason is inside. A rejection of a file may be of the file alone, whose first copy the bank carries out.
 */
function statusOf(levels: readonly [Level, ...Level[]], of: ReportedStatus['level']): Pick<ReportedStatus, 'code' | 'meaning' | 'reason'> {
  const code = levels.map(({ status }) => status?.text.trim()).find((text) => text !== undefined && text !== '') ?? '';
  const reasons = levels.map((level) => level.reasons).find((elements) => elements.length > 0) ?? [];
  const texts = reasons.flatMap((reason) => reasonText(reasonCode(reason), additionalText(reason)) ?? []);
  const all = levels.flatMap((level) => level.reasons);
  const isDuplicate = all.some((element) => isDuplicateReason(reasonCode(element), additionalText(element)));
  const reason = texts.length === 0 ? undefined : texts.join('; ');
  const isCertain = code === 'CANC' ? !all.some(additionalText) : of === 'payment' && isOfPaymentAlone(code, levels);
  return { code, meaning: meaningOf(code, { isDuplicate, isCertain }), ...(reason !== undefined && { reason }) };
}

/** Whether a payment has a status and a reason of its own, and every reason, that of its file included, is certain. */
function isOfPaymentAlone(code: string, levels: readonly [Level, ...Level[]]): boolean {
  const [{ status, reasons }] = levels;
  const all = levels.flatMap((level) => level.reasons);
  const isOwn = status?.text.trim() === code && reasons.length > 0;
  return isOwn && all.every((element) => isCertainReason(reasonCode(element), additionalText(element)));
}

function meaningOf(code: string, { isDuplicate, isCertain }: { isDuplicate: boolean; isCertain: boolean }): StatusMeaning {
  if (executedCodes.has(code)) return 'executed';
  if (!refusedCodes.has(code)) return 'open';
  if (isDuplicate) return 'duplicate';
  return isCertain ? 'refused' : 'unclear';
}

function reasonCode(reason: Element): string | undefined {
  return textAt(reason, 'Rsn', 'Cd') ?? textAt(reason, 'Rsn', 'Prtry');
}

function additionalText(reason: Element): string | undefined {
  return textsAt(reason, 'AddtlInf').join(' ') || undefined;
}
