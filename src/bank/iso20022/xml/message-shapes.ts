import { bankFileError, type FilePosition } from './bank-file-error.ts';

/**
 * The elements of a message that are read. Every message has three levels: the root element's children, of which
 * `section` holds the entries, and the entries themselves.
 */
export interface MessageShape {
  /** Such as `camt.053`. */
  message: string;
  /** The versions (last part of the message id) that have this shape. */
  versions: readonly [first: number, last: number];
  /** Children of the root element that are read whole. Others, besides sections and `SplmtryData`, are an error. */
  messageHeaders: ReadonlySet<string>;
  /** Children of the root element that hold entries. */
  section: string;
  isSectionRequired: boolean;
  /** Children of a section that are read: its entries and its headers. */
  entry: string;
  sectionHeaders: ReadonlySet<string>;
  /** Children of a section that are skipped, all others being an error; when undefined, all others are skipped. */
  ignored?: ReadonlySet<string>;
}

/** Shapes by the name of the message's root element, the child of `Document`. */
export type MessageShapes = ReadonlyMap<string, MessageShape>;

const statementShape = {
  versions: [2, 13],
  messageHeaders: new Set(['GrpHdr']),
  isSectionRequired: true,
  entry: 'Ntry',
  sectionHeaders: new Set(['Id', 'StmtPgntn', 'NtfctnPgntn', 'ElctrncSeqNb', 'LglSeqNb', 'CreDtTm', 'FrToDt', 'Acct', 'Bal', 'TxsSummry']),
  // An element that is not listed could hold money in an unknown form.
  ignored: new Set(['RptgSeq', 'CpyDplctInd', 'RptgSrc', 'RltdAcct', 'Intrst', 'AddtlStmtInf', 'AddtlNtfctnInf', 'SplmtryData']),
} as const;

/** The two messages that report booked entries: statements (camt.053) and notifications (camt.054). */
export const statementShapes: MessageShapes = new Map([
  ['BkToCstmrStmt', { message: 'camt.053', section: 'Stmt', ...statementShape }],
  ['BkToCstmrDbtCdtNtfctn', { message: 'camt.054', section: 'Ntfctn', ...statementShape }],
]);

/** The payment status report (pain.002). It can report on a whole payment file without listing any payment. */
export const statusShapes: MessageShapes = new Map([
  [
    'CstmrPmtStsRpt',
    {
      message: 'pain.002',
      versions: [3, 14],
      messageHeaders: new Set(['GrpHdr', 'OrgnlGrpInfAndSts']),
      section: 'OrgnlPmtInfAndSts',
      isSectionRequired: false,
      entry: 'TxInfAndSts',
      sectionHeaders: new Set(['OrgnlPmtInfId', 'PmtInfSts', 'StsRsnInf']),
    },
  ],
]);

/** `urn:iso:std:iso:20022:tech:xsd:camt.053.001.08`, and older or national spellings around the same message id. */
const messageIdPattern = /(?:^|[:/$.])([a-z]{4})\.(\d{3})\.(\d{3})\.(\d{2})(?:\.xsd)?$/i;

/**
 * The shape of the message whose root element this is; `undefined` for an element of an envelope around the message.
 * Throws `statement_unsupported` for another message, and for an unsupported version.
 */
export function shapeOfMessage(
  localName: string,
  namespace: string,
  position: FilePosition,
  shapes: MessageShapes,
): MessageShape | undefined {
  const id = messageIdPattern.exec(namespace);
  const shape = shapes.get(localName);
  if (shape === undefined) {
    assertEnvelope(localName, id, position, shapes);
    return undefined;
  }
  // Some banks' converters drop the namespace: the element's name is then all that identifies the message.
  if (namespace === '') return shape;
  const [, area = '', number = '', variant = '', version = ''] = id ?? [];
  const [first, last] = shape.versions;
  const isSupported = variant === '001' && Number(version) >= first && Number(version) <= last;
  if (`${area.toLowerCase()}.${number}` !== shape.message || !isSupported)
    throw unsupported(`<${localName}> in the namespace ${namespace}`, position, shapes);
  return shape;
}

/** The error of a file that holds none of these messages. */
export function noMessage(root: string, shapes: MessageShapes): Error {
  const expected = shapes === statusShapes ? 'payment status report' : 'bank statement';
  return bankFileError('statement_unsupported', `The file's root element is <${root}>, and it holds no ${expected}`, remedyOf(shapes));
}

function assertEnvelope(localName: string, id: RegExpExecArray | null, position: FilePosition, shapes: MessageShapes): void {
  if (localName === 'BkToCstmrAcctRpt') {
    throw bankFileError(
      'statement_unsupported',
      'This is a camt.052: an intraday report, whose entries may still change',
      `Only booked money is credited. ${remedyOf(statementShapes)}`,
      position,
    );
  }
  // An element in the namespace of a message is its `Document`, or the root element of another message. The business
  // application header (head.001) is part of an envelope.
  const message = id === null ? '' : `${id[1]}.${id[2]}`.toLowerCase();
  const isExpected = id?.[3] === '001' && [...shapes.values()].some((shape) => shape.message === message);
  if (id !== null && !(isExpected && localName === 'Document') && message !== 'head.001')
    throw unsupported(`<${localName}> of the message ${id[0].replace(/^[:/$.]/, '')}`, position, shapes);
}

function unsupported(content: string, position: FilePosition, shapes: MessageShapes): Error {
  return bankFileError('statement_unsupported', `The file holds ${content}, which is not supported`, remedyOf(shapes), position);
}

function remedyOf(shapes: MessageShapes): string {
  return shapes === statusShapes
    ? 'Supported is pain.002 (payment status report), versions 001.03 to 001.14: ask the bank for one of them.'
    : 'Supported are camt.053 (statement) and camt.054 (notification), versions 001.02 to 001.13: ask the bank for one of them.';
}
