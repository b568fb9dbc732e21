import { refusal } from './bank-file-error.ts';
import type { Place } from './bank-file-error.ts';

/** What a message's root element contains, and which of it is handed out. */
export interface MessageShape {
  message: string;
  /** The versions whose elements are those below. */
  versions: readonly [first: number, last: number];
  /** Children of the message that are handed out whole. */
  groups: ReadonlySet<string>;
  /** Local name of the elements that hold the entries. A statement has at least one. */
  statement: string;
  isStatementRequired: boolean;
  /** Children of a statement: its entries, and what else is handed out. */
  entry: string;
  headers: ReadonlySet<string>;
  /** Its other children, which hold no entries: anything else is refused. Undefined where anything else may be passed over. */
  others?: ReadonlySet<string>;
}

export type MessageShapes = ReadonlyMap<string, MessageShape>;

const statement = {
  versions: [2, 13],
  groups: new Set(['GrpHdr']),
  isStatementRequired: true,
  entry: 'Ntry',
  headers: new Set(['Id', 'StmtPgntn', 'NtfctnPgntn', 'Acct', 'TxsSummry']),
  // Anything else may hold money in a form we do not know, so it is refused.
  others: new Set([
    'ElctrncSeqNb',
    'RptgSeq',
    'LglSeqNb',
    'CreDtTm',
    'FrToDt',
    'CpyDplctInd',
    'RptgSrc',
    'RltdAcct',
    'Intrst',
    'Bal',
    'AddtlStmtInf',
    'AddtlNtfctnInf',
    'SplmtryData',
  ]),
} as const;

/** The two messages that tell of booked entries, by the name of their root element below `Document`. */
export const statementShapes: MessageShapes = new Map([
  ['BkToCstmrStmt', { message: 'camt.053', statement: 'Stmt', ...statement }],
  ['BkToCstmrDbtCdtNtfctn', { message: 'camt.054', statement: 'Ntfctn', ...statement }],
]);

/** The message in which a bank says what becomes of our payments. It may tell of a whole file without naming any. */
export const statusShapes: MessageShapes = new Map([
  [
    'CstmrPmtStsRpt',
    {
      message: 'pain.002',
      versions: [3, 14],
      groups: new Set(['GrpHdr', 'OrgnlGrpInfAndSts']),
      statement: 'OrgnlPmtInfAndSts',
      isStatementRequired: false,
      entry: 'TxInfAndSts',
      headers: new Set(['OrgnlPmtInfId', 'PmtInfSts', 'StsRsnInf']),
    },
  ],
]);

/** `urn:iso:std:iso:20022:tech:xsd:camt.053.001.08`, and older or national spellings around the same message id. */
const messageIdPattern = /(?:^|[:/$.])([a-z]{4})\.(\d{3})\.(\d{3})\.(\d{2})(?:\.xsd)?$/i;

const remedies = {
  statement: 'Supported are camt.053 (statement) and camt.054 (notification), versions 001.02 to 001.13: ask the bank for one of them.',
  status: 'Supported is pain.002 (payment status report), versions 001.03 to 001.14: ask the bank for one of them.',
};

/** The shape of the message whose root element this is; `undefined` for an element of an envelope around it. */
export function messageShape(local: string, uri: string, place: Place, shapes: MessageShapes): MessageShape | undefined {
  const id = messageIdPattern.exec(uri);
  const known = shapes.get(local);
  if (known === undefined) {
    refuseOtherMessages(local, id, place, shapes);
    return undefined;
  }
  // A message without any namespace is told by its element alone: some banks' converters drop it.
  if (uri === '') return known;
  const [, area = '', number = '', variant = '', version = ''] = id ?? [];
  const [first, last] = known.versions;
  const supported = variant === '001' && Number(version) >= first && Number(version) <= last;
  if (`${area.toLowerCase()}.${number}` !== known.message || !supported)
    throw unsupported(`<${local}> in the namespace ${uri}`, place, shapes);
  return known;
}

/** The error of a file in which no message was found. */
export function noMessage(root: string, shapes: MessageShapes): Error {
  const what = shapes === statusShapes ? 'payment status report' : 'bank statement';
  return refusal('statement_unsupported', `The file's root element is <${root}>, and no ${what} is in it`, remedyOf(shapes));
}

function refuseOtherMessages(local: string, id: RegExpExecArray | null, place: Place, shapes: MessageShapes): void {
  if (local === 'BkToCstmrAcctRpt') {
    throw refusal(
      'statement_unsupported',
      'This is a camt.052: an intraday report, whose entries may still change',
      `Only booked money is credited. ${remedies.statement}`,
      place,
    );
  }
  // Inside `Document` only the message's root element follows; anything else is another message, such as pain.002.
  const message = id === null ? '' : `${id[1]}.${id[2]}`.toLowerCase();
  const isOurs = id?.[3] === '001' && [...shapes.values()].some((shape) => shape.message === message);
  if (id !== null && !(isOurs && local === 'Document') && message !== 'head.001') {
    throw unsupported(`<${local}> of the message ${id[0].replace(/^[:/$.]/, '')}`, place, shapes);
  }
}

function unsupported(what: string, place: Place, shapes: MessageShapes): Error {
  return refusal('statement_unsupported', `The file holds ${what}, which is not supported`, remedyOf(shapes), place);
}

function remedyOf(shapes: MessageShapes): string {
  return shapes === statusShapes ? remedies.status : remedies.statement;
}
