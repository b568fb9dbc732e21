import { expect, test } from 'vitest';
import { credits, read } from './reading.ts';
import { statementXml } from './statement-xml.ts';

const xml = statementXml({ entries: [{}] });
const day = '<BookgDt><Dt>2026-11-20</Dt></BookgDt>';

test.each([
  ['<BookgDt><Dt>2026-11-20+01:00</Dt></BookgDt>', '2026-11-20'],
  ['<BookgDt><DtTm>2026-11-20T23:59:59.999-05:00</DtTm></BookgDt>', '2026-11-20'],
  ['<BookgDt><Dt>2026-02-30</Dt></BookgDt>', undefined],
  ['<BookgDt><Dt>2026-13-01</Dt></BookgDt>', undefined],
  ['<BookgDt><Dt>20.11.2026</Dt></BookgDt>', undefined],
  ['<ValDt><Dt>2026-11-20</Dt></ValDt>', '2026-11-20'],
])('the day of %s', async (given, expected) => {
  expect(xml).toContain(day);
  expect(credits(await read(xml.replace(day, given))).map(({ bookedOn }) => bookedOn)).toEqual([expected]);
});
