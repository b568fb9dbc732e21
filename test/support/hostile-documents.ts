import { constants, deflateRawSync } from 'node:zlib';
import sharp from 'sharp';

/** A progressive JPEG of 49 megapixels whose last scan is repeated so many times. */
export async function repeatedScans(times: number): Promise<Buffer> {
  const side = 7_000;
  const jpeg = await sharp({ create: { width: side, height: side, channels: 3, background: 'red' } })
    .jpeg({ progressive: true })
    .toBuffer();
  const scan = jpeg.subarray(jpeg.lastIndexOf(Buffer.from([0xff, 0xda])), -2);
  return Buffer.concat([jpeg.subarray(0, -2), ...Array.from({ length: times }, () => scan), jpeg.subarray(-2)]);
}

/** A PDF of some kilobytes with a table that unpacks to a gigabyte: a hundred times the same ten megabytes of zeros (RFC 1950, RFC 1951). */
export function unpackingPdf(): Buffer {
  const zeros = deflateRawSync(Buffer.alloc(10_000_000), { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const bomb = Buffer.concat([Buffer.from([0x78, 0xda]), ...Array.from({ length: 100 }, () => zeros), Buffer.from([3, 0])]);
  const head = `%PDF-1.5\n4 0 obj<</Type/XRef/Size 250000000/W[1 2 1]/Root 1 0 R/Filter/FlateDecode/Length ${bomb.length}>>stream\n`;
  return Buffer.concat([Buffer.from(head), bomb, Buffer.from('\nendstream endobj\nstartxref\n9\n%%EOF\n')]);
}
