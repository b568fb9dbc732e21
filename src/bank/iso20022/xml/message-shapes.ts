import { type FilePosition, unsupported, unsupportedMessage } from './bank-file-error.ts';

/**
 * The elements of a message that are read. Every message has three levels: the root element's children, of which
 * `section` holds the entries, and the entries themselves.
 */
export interface MessageShape {
  /** Such as `camt.053`. */
  message: string;
  /** The name of its root element, the child of `Document`. */
  root: string;
  /** The versions (last part of the message id) that have this shape. */
  versions: readonly [first: number, last: number];
  /** The variants (third part of the message id) that have this shape: `001` is ISO's, others are national subsets. */
  variants: ReadonlySet<string>;
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

/** The messages that a reader knows. */
export type MessageShapes = readonly MessageShape[];

/** The message id of intraday reports, whose entries may still change. */
export const intradayReport = 'camt.052';

const statementShape = {
  versions: [2, 14],
  variants: words('001'),
  messageHeaders: words('GrpHdr'),
  isSectionRequired: true,
  entry: 'Ntry',
  sectionHeaders: words('Id StmtPgntn NtfctnPgntn RptPgntn ElctrncSeqNb LglSeqNb CreDtTm FrToDt Acct Bal TxsSummry'),
  // An element that is not listed could hold money in an unknown form.
  ignored: words('RptgSeq CpyDplctInd RptgSrc RltdAcct Intrst AddtlStmtInf AddtlNtfctnInf AddtlRptInf SplmtryData'),
} as const;

/** The messages that report entries: statements (camt.053), notifications (camt.054) and intraday reports (camt.052). */
export const statementShapes: MessageShapes = [
  { ...statementShape, message: 'camt.053', root: 'BkToCstmrStmt', section: 'Stmt' },
  { ...statementShape, message: 'camt.054', root: 'BkToCstmrDbtCdtNtfctn', section: 'Ntfctn' },
  { ...statementShape, message: intradayReport, root: 'BkToCstmrAcctRpt', section: 'Rpt' },
];

/** The payment status report (pain.002). It can report on a whole payment file without listing any payment. */
export const statusShapes: MessageShapes = [
  {
    message: 'pain.002',
    root: 'CstmrPmtStsRpt',
    versions: [3, 14],
    // The subsets of the German banks (DFÜ-Abkommen, Anlage 3), version 03 of both.
    variants: words('001 002 003'),
    messageHeaders: words('GrpHdr OrgnlGrpInfAndSts'),
    section: 'OrgnlPmtInfAndSts',
    isSectionRequired: false,
    entry: 'TxInfAndSts',
    sectionHeaders: words('OrgnlPmtInfId PmtInfSts StsRsnInf'),
  },
];

/** The recall of payments (camt.056). */
export const recallShapes: MessageShapes = [
  {
    message: 'camt.056',
    root: 'FIToFIPmtCxlReq',
    versions: [1, 14],
    variants: words('001'),
    messageHeaders: words('Assgnmt Case CtrlData'),
    section: 'Undrlyg',
    isSectionRequired: true,
    entry: 'TxInf',
    sectionHeaders: words('OrgnlGrpInfAndCxl'),
  },
];

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}

/**
 * `urn:iso:std:iso:20022:tech:xsd:camt.053.001.08`, and older or national spellings around the same message id: Swiss
 * (`http://www.six-interbank-clearing.com/de/pain.002.001.03.ch.02.xsd`) and Austrian (`ISO:camt.053.001.02:APC:STUZZA:payments:003`).
 * All of them are subsets: an element that is not in the standard is still refused.
 */
const messageIdPattern =
  /(?:^|[:/$.])([a-z]{4})\.(\d{3})\.(\d{3})\.(\d{2})(?:\.ch\.\d{2}|\.austrian\.\d{3})?(?:\.xsd|:APC:STUZZA:payments:\d{3})?$/i;

/**
 * The shape of the message whose root element this is; `undefined` for an element of an envelope around the message.
 * Throws `statement_unsupported` for another message, and for an unsupported version.
 */
export function shapeOfMessage(name: string, namespace: string, position: FilePosition, shapes: MessageShapes): MessageShape | undefined {
  const id = messageIdPattern.exec(namespace);
  const [, area = '', number = '', variant = '', version = ''] = id ?? [];
  const message = `${area}.${number}`;
  const isOf = (shape: MessageShape) => message.toLowerCase() === shape.message && shape.variants.has(variant);
  const shape = shapes.find(({ root }) => root === name);
  if (shape !== undefined) {
    const [first, last] = shape.versions;
    const isSupported = isOf(shape) && Number(version) >= first && Number(version) <= last;
    // Some banks' converters drop the namespace: the element's name is then all that identifies the message.
    if (isSupported || namespace === '') return shape;
    throw unsupportedMessage(`<${name}> in the namespace ${namespace}`, message, position);
  }
  // An element in the namespace of a message is its `Document`, or the root element of another message. The business
  // application header (head.001) is part of an envelope.
  if (id === null || message.toLowerCase() === 'head.001' || (name === 'Document' && shapes.some(isOf))) return undefined;
  throw unsupportedMessage(`<${name}> of the message ${id[0].replace(/^[:/$.]/, '')}`, message.toLowerCase(), position);
}

/** The error of a file that holds none of these messages. */
export function noMessage(root: string, shapes: MessageShapes): Error {
  const expected = shapes === statusShapes ? 'payment status report' : 'bank statement';
  return unsupported(`The file's root element is <${root}>, and it holds no ${expected}`);
}
