import { expect, it } from 'vitest';
import { utf8Problem } from '../../../src/platform/http/utf8.ts';

it.each<[string, Buffer<ArrayBuffer>, string | undefined]>([
  ['nothing', Buffer.alloc(0), undefined],
  ['UTF-8 with U+FFFD of its own', Buffer.from('J\uFFFDrg 😀'), undefined],
  ['Latin-1', Buffer.from('Jörg', 'latin1'), 'must be UTF-8: byte 2 (0xf6) is not'],
  ['Latin-1 whose byte could begin a character', Buffer.from('naïve', 'latin1'), 'must be UTF-8: byte 3 (0xef) is not'],
  ['Latin-1 behind UTF-8', Buffer.concat([Buffer.from('\uFFFD😀'), Buffer.from('ö', 'latin1')]), 'must be UTF-8: byte 8 (0xf6) is not'],
  ['a character that is cut off', Buffer.from('é').subarray(0, 1), 'must be UTF-8: byte 1 (0xc3) is not'],
  ['half of a surrogate pair', Buffer.from([0x61, 0xed, 0xa0, 0x80]), 'must be UTF-8: byte 2 (0xed) is not'],
])('of %s', (_what, bytes, problem) => expect(utf8Problem(bytes)).toBe(problem));
