import { StopError } from '../../../platform/errors.ts';

/** The messages that Mintrail reads, as the remedy of a file that is none of them. */
const supportedMessages =
  'Supported are camt.053 (statement), camt.054 (notification) and camt.052 (intraday report of an account in BANK_INTRADAY), versions 001.02 ' +
  'to 001.14, pain.002 (payment status report), versions 001.03 to 001.14, and camt.056 (recall): ask the bank for one of them.';

/** What messages are that banks also offer, and why they are not read. */
const otherMessages: Record<string, string> = {
  'camt.026': 'a request of the bank about a payment: answer it at the bank',
  'camt.027': 'a claim that a payment did not arrive: answer it at the bank',
  'camt.028': 'additional information on a payment: the payment itself is in the statement',
  'camt.029': 'the answer to an investigation or recall of a payment: money that comes back is in the statement',
  'camt.030': 'a notice about an investigation: it moves no money',
  'camt.055': 'a request to cancel a payment: it goes to the bank',
  'camt.057': 'an announcement of money that is expected: the money itself is in the statement',
  'camt.060': 'a request for a report: it goes to the bank',
  'camt.086': "a bill of the bank's services: its fees are booked in the statement",
  'camt.087': 'a request to change a payment: answer it at the bank',
  'pain.001': 'a payment file: it goes to the bank, and is not imported',
  'pain.007': 'a reversal of direct debits: it goes to the bank',
  'pain.008': 'a file of direct debits: it goes to the bank, and Mintrail collects none',
  'pain.013': 'a request to pay: Mintrail pays only what holders sign',
  'pain.014': 'the status of a request to pay: it moves no money',
};

/** The error of a message that is not read. `content` is what the file holds, `message` its kind, such as `camt.086`. */
export function unsupportedMessage(content: string, message: string, position: FilePosition): Error {
  const meaning = otherMessages[message.toLowerCase()] ?? (message.startsWith('pacs.') ? 'a message between banks' : undefined);
  const explained = meaning === undefined ? '' : `. A ${message} is ${meaning}`;
  return unsupported(`The file holds ${content}, which is not supported${explained}`, position);
}

/** The error of a file that is XML, and not of a message that is read. */
export function unsupported(problem: string, position?: FilePosition): Error {
  return bankFileError('statement_unsupported', problem, supportedMessages, position);
}

const askForCamt = `Ask the bank for the same data as camt. ${supportedMessages}`;

/**
 * What banks deliver besides XML, by the first bytes of a file as Latin-1 text, in which signatures name control characters by their
 * class. In the order of their certainty: a CSV is known by its first line only.
 */
const foreignFormats: { beginning: RegExp; name: string; remedy: string }[] = [
  { beginning: /^PK\p{Cc}\p{Cc}/u, name: 'a zip archive', remedy: 'Unzip it and import the XML files in it.' },
  { beginning: /^\p{Cc}\u008B\p{Cc}/u, name: 'compressed by gzip', remedy: 'Decompress it with gunzip and import the XML file in it.' },
  { beginning: /^%PDF-/, name: 'a PDF', remedy: `A statement for people is not imported. ${askForCamt}` },
  {
    beginning: /^\s*<(!doctype\s+)?html[\s>]/i,
    name: 'a web page',
    remedy: "It may be an error of the bank's portal: fetch the file again.",
  },
  { beginning: /^\s*(\{1:F01|:20:|[A-Z0-9]{8,12}\s+94[02]\s)/, name: 'an MT940 or MT942 (SWIFT)', remedy: askForCamt },
  { beginning: /^(UNA.{6}\s*)?UNB\+/s, name: 'an EDIFACT message', remedy: askForCamt },
  { beginning: /^01,[^,\n]*,[^,\n]*,\d{6},/, name: 'a BAI2 file', remedy: askForCamt },
  { beginning: /^\s*[{[]\s*["{[\]}]/, name: 'JSON', remedy: askForCamt },
  { beginning: /^\s*[^<\s][^<\n]*?[;,\t|][^<\n]*?[;,\t|]/, name: 'a table of text, such as CSV', remedy: askForCamt },
];

/** The byte order mark of UTF-8, as Latin-1. */
const mark = /^\u00EF\u00BB\u00BF/;

/** Throws `statement_unsupported` when the first bytes of a file are those of a format that is not XML, with what to do about it. */
export function assertNoForeignFormat(head: Buffer): void {
  const text = head.toString('latin1').replace(mark, '');
  const format = foreignFormats.find(({ beginning }) => beginning.test(text));
  if (format !== undefined) throw bankFileError('statement_unsupported', `The file is ${format.name}`, format.remedy);
}

/** Why a file from the bank cannot be imported. All but `statement_truncated` (still being written?) stay so. */
export type BankFileErrorCode = 'statement_malformed' | 'statement_truncated' | 'statement_unsupported' | 'statement_totals_differ';

/** Where in a file, as an editor shows it: both counted from 1. */
export interface FilePosition {
  line: number;
  column?: number;
}

/** The error of a file that does not follow its standard. */
export function malformed(problem: string, remedy: string, position?: FilePosition): StopError {
  return bankFileError('statement_malformed', problem, remedy, position);
}

/** The error of a file that cannot be imported: what is wrong, where, and what to do about it (sentences). */
export function bankFileError(code: BankFileErrorCode, problem: string, remedy: string, position?: FilePosition): StopError {
  const column = position?.column === undefined ? '' : `, column ${position.column}`;
  const where = position === undefined ? '' : ` (line ${position.line}${column})`;
  return new StopError({ code, message: `${problem}${where}. ${remedy} Nothing of this file was applied.` });
}
