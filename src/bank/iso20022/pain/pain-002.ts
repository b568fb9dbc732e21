import { elementAt, elementsAt, textAt, textsAt } from '../xml/element.ts';
import type { Element } from '../xml/element.ts';
import { statusShapes } from '../xml/message-shapes.ts';
import { reasonText, saysRepeated } from './reasons.ts';
import { realReference } from '../placeholder.ts';
import { decodeXml } from '../xml/encoding.ts';
import { createSplitter, type FilePart, pieces } from '../xml/splitter.ts';

/** What becomes of payments: carried out, never to be, repeated by mistake, or still under way. */
type Verdict = 'executed' | 'refused' | 'repeated' | 'open';

/** What a bank says of one payment, or of all payments of a file of ours that it does not tell about one by one. */
export interface ReportedStatus {
  level: 'file' | 'payment';
  line: number;
  /** The bank's own word, such as `ACSP`. */
  code: string;
  verdict: Verdict;
  /** Such as `AC04 closed account number: text`. */
  reason?: string;
  originalMessageId?: string;
  originalEndToEndId?: string;
  originalInstructionId?: string;
}

/** Statuses after which nothing else comes: settlement is completed on the debtor's account, or on the creditor's. */
const executed = new Set(['ACSC', 'ACCC']);

/** Rejected, or cancelled on somebody's request. */
const refused = new Set(['RJCT', 'CANC']);

/**
 * Reads a pain.002 file (payment status report, versions 03 to 14) as it streams in, one payment in memory at a time.
 * A status of a whole group or payment instruction comes behind those of its payments, and only where it says something:
 * `PART` says that each payment has its own. Throws a `StopError` when the file as a whole cannot be applied.
 */
export async function* readStatusReport(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<ReportedStatus> {
  const parts: FilePart[] = [];
  const splitter = createSplitter((part) => parts.push(part), statusShapes);
  const reader = createStatusReader();
  for await (const text of decodeXml(chunks)) {
    for (const piece of pieces(text)) {
      splitter.write(piece);
      for (const part of parts.splice(0)) yield* reader.take(part);
    }
  }
  splitter.end();
  for (const part of parts.splice(0)) yield* reader.take(part);
  yield* reader.end();
}

/** What one level of the message says. */
interface Level {
  status?: Element | undefined;
  reasons: Element[];
  id?: string | undefined;
}

/** Each of our files has one payment instruction, under the message id of the file, so that both levels speak of the file. */
function createStatusReader() {
  let group: Level = { reasons: [] };
  let instruction: Level = { reasons: [] };
  let ofFiles: ReportedStatus[] = [];

  function ofGroup(element: Element): void {
    if (element.name === 'GrpHdr') group = { reasons: [] };
    else {
      const id = realReference(textAt(element, 'OrgnlMsgId'));
      group = { status: elementAt(element, 'GrpSts'), reasons: elementsAt(element, 'StsRsnInf'), id };
      ofFile([group]);
    }
  }

  function header(element: Element): void {
    if (element.name === 'PmtInfSts') instruction.status = element;
    else if (element.name === 'StsRsnInf') instruction.reasons.push(element);
    else instruction.id = realReference(element.text);
  }

  function ofFile(levels: [Level, ...Level[]]): void {
    const [{ status, id = group.id }] = levels;
    const told = statusOf(levels);
    if (status === undefined || told.code === 'PART') return;
    ofFiles.push({ level: 'file', line: status.line, ...told, ...(id !== undefined && { originalMessageId: id }) });
  }

  function ofPayment(entry: Element): ReportedStatus {
    const references = {
      originalMessageId: group.id,
      originalEndToEndId: realReference(textAt(entry, 'OrgnlEndToEndId')),
      originalInstructionId: realReference(textAt(entry, 'OrgnlInstrId')),
    };
    const given = Object.fromEntries(Object.entries(references).filter(([, value]) => value !== undefined));
    const own = { status: elementAt(entry, 'TxSts'), reasons: elementsAt(entry, 'StsRsnInf') };
    return { level: 'payment', line: entry.line, ...statusOf([own, instruction, group]), ...given };
  }

  function* end(): Generator<ReportedStatus> {
    yield* ofFiles;
    ofFiles = [];
    group = { reasons: [] };
  }

  return {
    *take(part: FilePart): Generator<ReportedStatus> {
      if (part.kind === 'message') yield* end();
      else if (part.kind === 'group') ofGroup(part.header);
      else if (part.kind === 'statement-begin') instruction = { reasons: [] };
      else if (part.kind === 'header') header(part.element);
      else if (part.kind === 'entry') yield ofPayment(part.element);
      else ofFile([instruction, group]);
    },
    end,
  };
}

/**
 * The status of the innermost level that has one, with the innermost reasons. Where an outer level is rejected as a
 * repetition, all within it is, whatever reason is given inside.
 */
function statusOf(levels: readonly Level[]): Pick<ReportedStatus, 'code' | 'verdict' | 'reason'> {
  const code = levels.map(({ status }) => status?.text.trim()).find((text) => text !== undefined && text !== '') ?? '';
  const reasons = levels.map((level) => level.reasons).find((found) => found.length > 0) ?? [];
  const texts = reasons.flatMap((reason) => reasonText(reasonCode(reason), additional(reason)) ?? []);
  const isRepeated = levels.some((level) => level.reasons.some((reason) => saysRepeated(reasonCode(reason), additional(reason))));
  const reason = texts.length === 0 ? undefined : texts.join('; ');
  return { code, verdict: verdictOf(code, isRepeated), ...(reason !== undefined && { reason }) };
}

function verdictOf(code: string, isRepeated: boolean): Verdict {
  if (executed.has(code)) return 'executed';
  if (!refused.has(code)) return 'open';
  return isRepeated ? 'repeated' : 'refused';
}

function reasonCode(reason: Element): string | undefined {
  return textAt(reason, 'Rsn', 'Cd') ?? textAt(reason, 'Rsn', 'Prtry');
}

function additional(reason: Element): string | undefined {
  return textsAt(reason, 'AddtlInf').join(' ') || undefined;
}
