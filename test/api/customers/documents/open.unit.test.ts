import { writeFileSync } from 'node:fs';
import path from 'node:path';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { type DocumentKind, openDocument } from '../../../../src/api/customers/documents/open-document.ts';
import { pdf, pdfOf } from '../../../support/documents.ts';
import { unpackingPdf } from '../../../support/hostile-documents.ts';
import { testFolder } from '../../../support/test-folder.ts';

const folder = testFolder();

let count = 0;
function fileOf(content: Buffer): string {
  const file = path.join(folder, String((count += 1)));
  writeFileSync(file, content);
  return file;
}

/** Opens a file as the service does. */
const opening = (kind: DocumentKind, file: string, signal = new AbortController().signal) =>
  openDocument(kind)(file, { processorMs: 5_000, signal });
const pdfProblem = async (file: string) => (await opening('PDF', file)).problem;
const imageProblem = async (file: string) => (await opening('image', file)).problem;

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
  expect(await pdfProblem(fileOf(unpackingPdf()))).toMatch('must be a simpler PDF: it takes too');
});

it('the process that opens a PDF ends when the request is aborted', async () => {
  const abort = new AbortController();
  const slow = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(4_000_000, '1 0 obj\n<<')]);
  const aborted = opening('PDF', fileOf(slow), abort.signal);
  abort.abort();
  await expect(aborted).rejects.toThrow('aborted');
});

it.each(['png', 'jpeg'] as const)('an image opens whole: %s', async (format) => {
  const whole = await image(300, 200).toFormat(format).toBuffer();
  expect(await imageProblem(fileOf(whole))).toBeUndefined();
  expect(await imageProblem(fileOf(whole.subarray(0, -100)))).toBe('must be an image that opens');
});

it('an image opens that has other content after it, which is not decoded', async () => {
  const whole = await image(300, 200).jpeg().toBuffer();
  expect(await imageProblem(fileOf(Buffer.concat([whole, await withScans(310)])))).toBeUndefined();
});

it.each(['webp', 'tiff'] as const)('an image of another format does not open: %s', async (format) => {
  expect(await imageProblem(fileOf(await image(300, 200).toFormat(format).toBuffer()))).toBe('must be an image that opens');
});

it('an image that unpacks to more than 50 megapixels is not unpacked', async () => {
  const bomb = await image(50_001, 1_000).png().toBuffer();
  expect(bomb.length).toBeLessThan(2_000_000);
  expect(await imageProblem(fileOf(bomb))).toBe('must be an image of at most 50 megapixels');
});

/**
 * A scan of the coefficients of one component that leaves 875 x 875 blocks as they are, in 24 runs of 32,767 blocks (ITU-T T.81, G.1.2.2), after the table
 * of its only code.
 */
function emptyScan(): Buffer {
  const table = [0xff, 0xc4, 0, 20, 0x10, 1, ...Array.from({ length: 15 }, () => 0), 0xe0];
  const bits = '0'.concat('1'.repeat(14)).repeat(24);
  const bytes = Array.from({ length: bits.length / 8 }, (_, index) => Number.parseInt(bits.slice(8 * index, 8 * index + 8), 2));
  return Buffer.from([...table, 0xff, 0xda, 0, 8, 1, 1, 0, 1, 63, 0, ...bytes.flatMap((byte) => (byte === 0xff ? [0xff, 0] : [byte]))]);
}

let encoded: Promise<Buffer> | undefined;

/** A progressive JPEG of 49 megapixels with so many further scans. */
async function withScans(count: number): Promise<Buffer> {
  encoded ??= image(7_000, 7_000).jpeg({ progressive: true }).toBuffer();
  const whole = await encoded;
  return Buffer.concat([whole.subarray(0, -2), ...Array.from({ length: count }, emptyScan), whole.subarray(-2)]);
}

it('an image with more scans than any encoder makes is not decoded', async () => {
  expect(await imageProblem(fileOf(await withScans(10)))).toBeUndefined();
  expect(await imageProblem(fileOf(await withScans(310)))).toBe('must be an image of at most 64 scans');
});

it('an image that decodes for too long ends its own process', async () => {
  const file = fileOf(await withScans(50));
  const { signal } = new AbortController();
  expect(await openDocument('image')(file, { processorMs: 100, signal })).toMatchObject({
    problem: 'must be a simpler image: it takes too long or too much memory to open',
    isOverLimit: true,
  });
});
