// Markers of a JPEG, each after a byte FF (ITU-T T.81, B.1.1.3).
const firstWithSegment = 0xc0;
const firstRestart = 0xd0;
const startOfImage = 0xd8;
const endOfImage = 0xd9;
const startOfScan = 0xda;

/**
 * Counts the scans of a JPEG that libjpeg decodes: those up to the end of its first image, whatever bytes stand in its other segments and after it, such as
 * previews and videos. 0 when the content is no JPEG; `undefined` when a segment is shorter than its length or ends after the content, because libjpeg
 * reads on after the one, and nothing after the other.
 */
export function countScans(content: Buffer): number | undefined {
  if (content[0] !== 0xff || content[1] !== startOfImage) return 0;
  let count = 0;
  let at = 2;
  while (at + 1 < content.length) {
    const marker = content[at] === 0xff ? (content[at + 1] ?? 0) : 0;
    if (marker === endOfImage) return count;
    if (!hasSegment(marker)) {
      at += 1;
      continue;
    }
    const length = at + 4 <= content.length ? content.readUInt16BE(at + 2) : 0;
    at += 2 + length;
    if (length < 2 || at > content.length) return undefined;
    if (marker === startOfScan) count += 1;
  }
  return count;
}

/**
 * Whether a segment with its length follows. Between segments are the data of a scan, fill bytes and bytes that belong to nothing. None of the markers there
 * has a segment: in a scan, libjpeg passes over those that are reserved as it does over restarts.
 */
function hasSegment(marker: number): boolean {
  return marker >= firstWithSegment && marker !== 0xff && (marker < firstRestart || marker > startOfImage);
}
