import { readFile } from 'node:fs/promises';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { countScans } from './jpeg-scans.ts';
import type { DocumentKind } from './open-document.ts';

// A program of its own, which `open-document.ts` starts: a file that is made for it can keep a parser busy for ever, or fill the memory.

/** What a kind of document may take of memory, in bytes, that of Node included. */
const memory: Readonly<Record<DocumentKind, number>> = { PDF: 400_000_000, image: 500_000_000 };

/** What the watcher enforces; the time counts from when the program is ready. */
interface Limits {
  bytes: number;
  processorMs: number;
}

/** More than any scanner or telephone needs for a page. A picture of 5 MB could otherwise unpack to gigabytes. */
const maxMegapixels = 50;

/**
 * Scans of a JPEG. The progressive pictures of libjpeg have 10, those with four components 18. Each passes over all pixels, also one of 60 bytes:
 * 28 ms for 49 megapixels.
 */
const maxScans = 64;

/** What decodes, by its names in libvips, and nothing else: by default, another one reads a JPEG with a gain map, whose scans are not counted. */
const decoders = ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer'];

/** Bytes for a picture that is decoded whole: 50 megapixels of three components, two bytes each, which is what a progressive JPEG takes. */
const maxDecodedBytes = 320_000_000;

/** Bytes of a component of a pixel while a picture is decoded whole. Coefficients of a JPEG have 16 bits, as have pixels of a deep PNG. */
const componentBytes = 2;

const pixelsText = `must be an image of at most ${maxMegapixels} megapixels`;

const brokenText = 'must be an image that opens';

if (isMainThread) await open(process.argv.slice(2) as [DocumentKind, string, string]);
else watch(workerData as Limits);

/** Opens the file and writes what came of it. Parsers run in loops that nothing interrupts, so a thread watches. */
async function open([kind, processorMs, path]: [DocumentKind, string, string]): Promise<void> {
  const limits: Limits = { bytes: memory[kind], processorMs: Number(processorMs) };
  await (kind === 'PDF' ? import('unpdf').then(({ getResolvedPDFJS }) => getResolvedPDFJS()) : import('sharp'));
  const watcher = new Worker(new URL(import.meta.url), { workerData: limits });
  await new Promise((resolve) => watcher.once('online', resolve));
  const startMs = spentMs();
  const content = await readFile(path);
  const problem = await (kind === 'PDF' ? pdfProblem(content) : imageProblem(content));
  process.stdout.write(JSON.stringify({ problem, processorMs: spentMs() - startMs }), () => process.exit(0));
}

/**
 * Ends the process when it takes more than its limits. Buffers are outside the heap, which alone Node can limit. The time is that of a processor: a
 * busy machine makes no file costly.
 */
function watch({ bytes, processorMs }: Limits): void {
  const startMs = spentMs();
  setInterval(() => {
    if (process.memoryUsage.rss() > bytes || spentMs() - startMs > processorMs) process.kill(process.pid, 'SIGKILL');
  }, 20);
}

/** Milliseconds of a processor that the process has taken. */
function spentMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Why a content does not open as an image, all of which has to decode; `undefined` when it does. What decoding would cost is read before. */
async function imageProblem(content: Buffer): Promise<string | undefined> {
  const scans = countScans(content);
  if (scans === undefined) return brokenText;
  if (scans > maxScans) return `must be an image of at most ${maxScans} scans`;
  const { default: sharp } = await import('sharp');
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: decoders });
  const open = () => sharp(content, { failOn: 'error', limitInputPixels: maxMegapixels * 1_000_000, sequentialRead: true });
  try {
    const { width, height, channels, isProgressive } = await open().metadata();
    if (width * height > maxMegapixels * 1_000_000) return pixelsText;
    if (isProgressive && width * height * channels * componentBytes > maxDecodedBytes)
      return 'must be an image that is not interlaced or progressive, or has fewer pixels';
    // Scaled down while it is read, which reads all of it and keeps little.
    await open().resize(16, 16, { fit: 'inside' }).raw().toBuffer();
    return undefined;
  } catch (error) {
    return /pixel limit/i.test((error as Error).message) ? pixelsText : brokenText;
  }
}

/** Why a content does not open as a PDF (ISO 32000) with a page; `undefined` when it does. */
async function pdfProblem(content: Buffer): Promise<string | undefined> {
  const { getDocumentProxy } = await import('unpdf');
  try {
    const document = await getDocumentProxy(new Uint8Array(content), { useSystemFonts: false });
    await document.getPage(1);
    return undefined;
  } catch (error) {
    return (error as Error).name === 'PasswordException' ? 'must be a PDF without a password' : 'must be a PDF that opens';
  }
}
