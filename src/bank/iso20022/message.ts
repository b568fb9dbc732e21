import { refusal } from './refusal.ts';
import type { Place, RefusalCode } from './refusal.ts';

/** The two messages that tell of booked entries, by the name of their root element below `Document`. */
const statementElements = new Map([
  ['BkToCstmrStmt', { message: 'camt.053', statement: 'Stmt' }],
  ['BkToCstmrDbtCdtNtfctn', { message: 'camt.054', statement: 'Ntfctn' }],
]);

/** `urn:iso:std:iso:20022:tech:xsd:camt.053.001.08`, and older or national spellings around the same message id. */
const messageIdPattern = /(?:^|[:/$.])([a-z]{4})\.(\d{3})\.(\d{3})\.(\d{2})(?:\.xsd)?$/i;

const firstVersion = 2;
const lastVersion = 13;

const remedy = 'Supported are camt.053 (statement) and camt.054 (notification), versions 001.02 to 001.13: ask the bank for one of them.';

/** What a message's root element contains. */
export interface MessageShape {
  message: string;
  /** Local name of the elements that hold the entries of one account. */
  statement: string;
}

/** The shape of the message whose root element this is; `undefined` for an element of an envelope around it. */
export function messageShape(local: string, uri: string, place: Place): MessageShape | undefined {
  const id = messageIdPattern.exec(uri);
  const known = statementElements.get(local);
  if (known === undefined) {
    refuseOtherMessages(local, id, place);
    return undefined;
  }
  // A message without any namespace is told by its element alone: some banks' converters drop it.
  if (uri === '') return known;
  const [, area = '', number = '', variant = '', version = ''] = id ?? [];
  const supported = variant === '001' && Number(version) >= firstVersion && Number(version) <= lastVersion;
  if (`${area.toLowerCase()}.${number}` !== known.message || !supported) throw unsupported(`<${local}> in the namespace ${uri}`, place);
  return known;
}

/** The error of a file in which no message was found. */
export function noMessage(root: string, code: RefusalCode = 'statement_unsupported'): Error {
  return refusal(code, `The file's root element is <${root}>, and no bank statement is in it`, remedy);
}

function refuseOtherMessages(local: string, id: RegExpExecArray | null, place: Place): void {
  if (local === 'BkToCstmrAcctRpt') {
    throw refusal(
      'statement_unsupported',
      'This is a camt.052: an intraday report, whose entries may still change',
      `Only booked money is credited. ${remedy}`,
      place,
    );
  }
  // Inside `Document` only the message's root element follows; anything else is another message, such as pain.002.
  const isCamt = id !== null && /^camt\.05[34]\.001$/i.test(`${id[1]}.${id[2]}.${id[3]}`);
  if (id !== null && !(isCamt && local === 'Document') && !/^head\.001/i.test(`${id[1]}.${id[2]}`)) {
    throw unsupported(`<${local}> of the message ${id[0].replace(/^[:/$.]/, '')}`, place);
  }
}

function unsupported(what: string, place: Place): Error {
  return refusal('statement_unsupported', `The file holds ${what}, which is not supported`, remedy, place);
}
