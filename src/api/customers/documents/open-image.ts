import type { OpenFile } from './openings.ts';

/** More than any scanner or telephone needs for a page. A picture of 5 MB could otherwise unpack to gigabytes. */
const maxMegapixels = 50;

/** Seconds that decoding may take. libvips ends it; an aborted request does not. */
const timeoutSeconds = 5;

/** Opens an image file, all of which has to decode. */
export const openImage: OpenFile = async (file) => {
  const { default: sharp } = await import('sharp');
  // Each upload is another file, and other requests want the processors, too.
  sharp.cache(false);
  sharp.concurrency(1);
  const open = () => sharp(file, { failOn: 'error', limitInputPixels: maxMegapixels * 1_000_000, sequentialRead: true });
  try {
    // Scaled down while it is read, which reads all of it and keeps little.
    await open().resize(16, 16, { fit: 'inside' }).raw().timeout({ seconds: timeoutSeconds }).toBuffer();
    return { problem: undefined };
  } catch (error) {
    const { message } = error as Error;
    if (/pixel limit/i.test(message)) return { problem: `must be an image of at most ${maxMegapixels} megapixels` };
    if (/^timeout:/i.test(message)) return { problem: 'must be a simpler image: it takes too long to open', isOverLimit: true };
    return { problem: 'must be an image that opens' };
  }
};
