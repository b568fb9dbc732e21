import { createFewAtOnce } from '../../../platform/limits/few-at-once.ts';

/** More than any scanner or telephone needs for a page. A picture of 5 MB could otherwise unpack to gigabytes. */
const maxMegapixels = 50;

/** Decoding takes native memory: four bytes a pixel where a format needs the whole picture. */
const fewAtOnce = createFewAtOnce(1);

/** Why an image file cannot be shown; `undefined` when all of it decodes. Throws `rate_limited` when too many wait. */
export function imageProblem(file: string): Promise<string | undefined> {
  return fewAtOnce(() => decode(file));
}

async function decode(file: string): Promise<string | undefined> {
  const { default: sharp } = await import('sharp');
  // Each upload is another file, and other requests want the processors, too.
  sharp.cache(false);
  sharp.concurrency(1);
  const open = () => sharp(file, { failOn: 'error', limitInputPixels: maxMegapixels * 1_000_000, sequentialRead: true });
  try {
    // Scaled down while it is read, which reads all of it and keeps little.
    await open().resize(16, 16, { fit: 'inside' }).raw().toBuffer();
    return undefined;
  } catch (error) {
    const isTooLarge = /pixel limit/i.test((error as Error).message);
    return isTooLarge ? `must be an image of at most ${maxMegapixels} megapixels` : 'must be an image that opens';
  }
}
