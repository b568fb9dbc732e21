import { isUtf8 } from 'node:buffer';

/** How U+FFFD is encoded: a decoder writes it where bytes are not UTF-8, and a text may have it itself. */
const encodedReplacement = Buffer.from('\uFFFD');

/** Why bytes are not UTF-8 text, as a clause that names the first of them; `undefined` when they are. */
export function utf8Problem(bytes: ArrayBuffer | Uint8Array<ArrayBuffer>): string | undefined {
  if (isUtf8(bytes)) return undefined;
  const buffer = Buffer.from(new Uint8Array(bytes));
  let position = 0;
  for (const character of buffer.toString('utf8')) {
    const encoded = Buffer.from(character);
    if (character === '\uFFFD' && !buffer.subarray(position, position + encoded.length).equals(encodedReplacement)) break;
    position += encoded.length;
  }
  return `must be UTF-8: byte ${position + 1} (0x${buffer.toString('hex', position, position + 1)}) is not`;
}
