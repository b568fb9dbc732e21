import sharp from 'sharp';
import { expect, it } from 'vitest';
import { countScans } from '../../../../src/api/customers/documents/jpeg-scans.ts';

const jpeg = await sharp({ create: { width: 300, height: 200, channels: 3, background: 'red' } })
  .jpeg({ progressive: true })
  .toBuffer();
const [start, scans, end] = [jpeg.subarray(0, 2), jpeg.subarray(2, -2), jpeg.subarray(-2)];
const own = 10;

/** Bytes that begin 100 scans where they are read as markers. */
const beginnings = Buffer.alloc(800, Buffer.from([0xff, 0xda, 0, 6, 1, 0, 0, 0]));
const segment = (marker: number, content: Buffer, length = content.length + 2) =>
  Buffer.concat([Buffer.from([0xff, marker, length >> 8, length & 0xff]), content]);

it.each([
  ['those of a progressive picture', [start, scans, end]],
  ['none after its end', [start, scans, end, beginnings]],
  ['none of a second image', [start, scans, end, jpeg]],
  ['none in another segment', [start, segment(0xe1, beginnings), scans, end]],
])('counts %s', (_, parts) => {
  expect(countScans(Buffer.concat(parts))).toBe(own);
});

it.each([
  ['after the end of an image in another segment', [start, segment(0xee, Buffer.concat([end, jpeg])), scans, beginnings, end]],
  ['after fill bytes', [start, scans, Buffer.alloc(9, 0xff), beginnings, end]],
  ['after bytes that belong to nothing', [start, scans, Buffer.alloc(9, 1), beginnings, end]],
  ['after a restart', [start, scans, Buffer.from([0xff, 0xd3]), beginnings, end]],
  ['after a reserved marker in a scan', [start, scans, segment(2, Buffer.alloc(0), 810), beginnings, end]],
  ['after another start', [start, scans, start, Buffer.from([3, 42]), beginnings, end]],
  ['without an end', [start, scans, beginnings]],
])('counts a scan %s', (_, parts) => {
  expect(countScans(Buffer.concat(parts))).toBe(own + 100);
});

it.each([
  ['is shorter than its length', segment(0xe1, beginnings, 1)],
  ['ends after the content', segment(0xe1, beginnings, 60_000)],
  ['has half a length', Buffer.from([0xff, 0xe1, 0])],
])('counts nothing where a segment %s', (_, broken) => {
  expect(countScans(Buffer.concat([start, scans, broken]))).toBeUndefined();
});

it('counts nothing where there is no JPEG', () => {
  expect(countScans(Buffer.concat([Buffer.from('RIFF'), jpeg]))).toBe(0);
});
