import { countScans } from './jpeg-scans.ts';

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

/** Why a content does not open as an image, all of which has to decode; `undefined` when it does. What decoding would cost is read before. */
export async function imageProblem(content: Buffer): Promise<string | undefined> {
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

const pixelsText = `must be an image of at most ${maxMegapixels} megapixels`;

const brokenText = 'must be an image that opens';
