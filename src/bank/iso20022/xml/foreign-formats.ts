import { bankFileError } from './bank-file-error.ts';
import { supportedMessages } from './unsupported-messages.ts';

/** A kind of file that banks deliver and that holds no ISO 20022 message. */
interface ForeignFormat {
  /** Of the first bytes, as Latin-1 text. Signatures name control characters by their class. */
  beginning: RegExp;
  /** What the file is, as the complement of "The file is". */
  name: string;
  remedy: string;
}

const askForCamt = `Ask the bank for the same data as camt. ${supportedMessages}`;

/** In the order of their certainty: a CSV is known by its first line only. */
const foreignFormats: ForeignFormat[] = [
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
