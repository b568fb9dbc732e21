import { malformed, assertNoForeignFormat } from './bank-file-error.ts';

/** Bytes searched for the XML declaration; real ones have 40 to 80 characters. */
const declarationBytes = 256;

/** `<?xml version="1.0" encoding="ISO-8859-15"?>` */
const encodingPattern = /^<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']/;

/** Characters of a piece of text: an exceeded limit is noticed at most one piece late, whatever chunks arrive. */
const pieceCharacters = 16 * 1024;

type Decoder = InstanceType<typeof TextDecoder>;

/** A file as it arrives: bytes in any encoding, or text. A chunk may end inside a character. */
export type Chunks = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

/**
 * The text of an XML file, in pieces of bounded length. Its encoding is that of its byte order mark, else that of the
 * XML declaration, else UTF-8 (XML 1.0, appendix F). Throws `statement_malformed` for an unknown encoding, and for bytes that are not in
 * the encoding, `statement_unsupported` for a file that is no XML but in another format of banks.
 */
export async function* decodeXml(chunks: Chunks): AsyncGenerator<string> {
  for await (const text of decodeChunks(chunks))
    for (let start = 0; start < text.length; start += pieceCharacters) yield text.slice(start, start + pieceCharacters);
}

async function* decodeChunks(chunks: Chunks): AsyncGenerator<string> {
  let decoder: Decoder | undefined;
  let bytes = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (typeof chunk === 'string') {
      yield chunk;
      continue;
    }
    bytes = Buffer.concat([bytes, chunk]);
    if (decoder === undefined && bytes.length < declarationBytes) continue;
    decoder ??= createDecoder(bytes);
    yield decode(decoder, bytes);
    bytes = Buffer.alloc(0);
  }
  if (bytes.length > 0) {
    decoder = createDecoder(bytes);
    yield decode(decoder, bytes);
  }
  if (decoder !== undefined) yield decode(decoder);
}

function createDecoder(head: Buffer): Decoder {
  assertNoForeignFormat(head.subarray(0, declarationBytes));
  const label = encodingOf(head);
  try {
    return new TextDecoder(label, { fatal: true });
  } catch {
    throw malformed(`The file declares the unknown encoding ${label}`, 'Convert it to UTF-8.');
  }
}

function encodingOf(head: Buffer): string {
  const [first, second, third] = head;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  // UTF-16 without a mark begins with `<` as its first 16-bit character.
  if (first === 0x3c && second === 0x00) return 'utf-16le';
  if (first === 0x00 && second === 0x3c) return 'utf-16be';
  const declared = encodingPattern.exec(head.subarray(0, declarationBytes).toString('latin1'))?.[1] ?? 'utf-8';
  // The declaration was read byte by byte, so these encodings cannot be the file's.
  if (/^(utf-?16|utf-?32|ucs-?[24]|iso-10646)/i.test(declared)) {
    throw malformed(
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
    throw malformed(
      `The file holds bytes that are no characters of its encoding, ${decoder.encoding}`,
      'It is cut off, damaged or wrongly declared: ask the bank for it again, or convert it to UTF-8.',
    );
  }
}
