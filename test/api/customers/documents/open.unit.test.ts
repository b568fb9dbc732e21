import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { constants, deflateRawSync } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, expect, it } from 'vitest';
import { openImage } from '../../../../src/api/customers/documents/open-image.ts';
import { openPdf } from '../../../../src/api/customers/documents/open-pdf.ts';
import { pdf, pdfOf } from '../../../support/documents.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'mintrail-documents-'));
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
function fileOf(content: Buffer): string {
  const file = path.join(folder, String((count += 1)));
  writeFileSync(file, content);
  return file;
}

const { signal } = new AbortController();
const pdfProblem = async (file: string) => (await openPdf(file, signal)).problem;
const imageProblem = async (file: string) => (await openImage(file, signal)).problem;

const image = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: 'red' }, limitInputPixels: false });

it('PDFs open, also with bytes after their end', async () => {
  expect(await pdfProblem(fileOf(pdf))).toBeUndefined();
  expect(await pdfProblem(fileOf(Buffer.concat([pdf, Buffer.alloc(1_000, 0x20)])))).toBeUndefined();
});

it.each([
  ['the first bytes of one', Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n')],
  ['one that was cut off', pdf.subarray(0, 60)],
  ['no page', pdfOf('1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj', '2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj')],
])('a PDF does not open: %s', async (_, content) => {
  expect(await pdfProblem(fileOf(content))).toBe('must be a PDF that opens');
});

it('a PDF that unpacks to gigabytes ends its own process', async () => {
  // A hundred times the same ten megabytes of zeros, and the end of a stream (RFC 1950, RFC 1951).
  const zeros = deflateRawSync(Buffer.alloc(10_000_000), { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const bomb = Buffer.concat([Buffer.from([0x78, 0xda]), ...Array.from({ length: 100 }, () => zeros), Buffer.from([3, 0])]);
  const head = `%PDF-1.5\n4 0 obj<</Type/XRef/Size 250000000/W[1 2 1]/Root 1 0 R/Filter/FlateDecode/Length ${bomb.length}>>stream\n`;
  const tail = '\nendstream endobj\nstartxref\n9\n%%EOF\n';
  expect(await pdfProblem(fileOf(Buffer.concat([Buffer.from(head), bomb, Buffer.from(tail)])))).toMatch(
    'must be a simpler PDF: it takes too',
  );
});

it('the process that opens a PDF ends when the request is aborted', async () => {
  const abort = new AbortController();
  const opening = openPdf(fileOf(Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(4_000_000, '1 0 obj\n<<')])), abort.signal);
  abort.abort();
  await expect(opening).rejects.toThrow('aborted');
});

it.each(['png', 'jpeg'] as const)('an image opens whole: %s', async (format) => {
  const whole = await image(300, 200).toFormat(format).toBuffer();
  expect(await imageProblem(fileOf(whole))).toBeUndefined();
  expect(await imageProblem(fileOf(whole.subarray(0, -100)))).toBe('must be an image that opens');
  expect(await imageProblem(fileOf(whole.subarray(0, 60)))).toBe('must be an image that opens');
});

it('an image that unpacks to more than 50 megapixels is not unpacked', async () => {
  const bomb = await image(50_001, 1_000).png().toBuffer();
  expect(bomb.length).toBeLessThan(2_000_000);
  expect(await imageProblem(fileOf(bomb))).toBe('must be an image of at most 50 megapixels');
});
