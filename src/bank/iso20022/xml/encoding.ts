import { refusal } from './bank-file-error.ts';

/** The longest XML declaration looked at; real ones have 40 to 80 characters. */
const declarationBytes = 256;

type Decoder = InstanceType<typeof TextDecoder>;

const encodingPattern = /^<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']/;

/**
 * The text of an XML file that arrives in pieces: the encoding is told by a byte order mark, else by the XML
 * declaration, else it is UTF-8 (XML 1.0, appendix F). Characters may be cut anywhere between pieces.
 */
export async function* decodeXml(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  let head = Buffer.alloc(0);
  let decoder: Decoder | undefined;
  let ownText = '';
  for await (const chunk of chunks) {
    if (typeof chunk === 'string') {
      // The very first character of text already decoded may still be the mark.
      yield ownText === '' ? chunk.replace(/^\uFEFF/, '') : chunk;
      ownText ||= chunk.slice(0, 1);
    } else if (decoder === undefined) {
      head = Buffer.concat([head, chunk]);
      if (head.length < declarationBytes) continue;
      decoder = createDecoder(head);
      yield decode(decoder, head);
    } else {
      yield decode(decoder, chunk);
    }
  }
  if (decoder === undefined && head.length > 0) {
    decoder = createDecoder(head);
    yield decode(decoder, head);
  }
  if (decoder !== undefined) yield decode(decoder);
}

function createDecoder(head: Buffer): Decoder {
  const label = encodingOf(head);
  try {
    return new TextDecoder(label, { fatal: true });
  } catch {
    throw refusal('statement_encoding', `The file declares the encoding ${label}, which is unknown`, 'Convert it to UTF-8.');
  }
}

function encodingOf(head: Buffer): string {
  const [first, second, third] = head;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  // Without a mark: `<` as the first 16-bit character.
  if (first === 0x3c && second === 0x00) return 'utf-16le';
  if (first === 0x00 && second === 0x3c) return 'utf-16be';
  const declared = encodingPattern.exec(head.subarray(0, declarationBytes).toString('latin1'))?.[1] ?? 'utf-8';
  if (/^(utf-?16|utf-?32|ucs-?[24]|iso-10646)/i.test(declared)) {
    throw refusal(
      'statement_encoding',
      `The file declares the encoding ${declared} but its bytes are not in it`,
      'Correct the declaration or send the file as the bank delivered it.',
    );
  }
  return declared;
}

function decode(decoder: Decoder, bytes?: Uint8Array): string {
  try {
    return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
  } catch {
    throw refusal(
      'statement_encoding',
      `The file holds bytes that are no characters of its encoding, ${decoder.encoding}`,
      'It is cut off, damaged or wrongly declared: ask the bank for it again, or convert it to UTF-8.',
    );
  }
}
