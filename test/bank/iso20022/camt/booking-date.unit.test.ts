import { expect, test } from 'vitest';
import { readStatement } from '../../../../src/bank/iso20022/camt/read-statement.ts';
import { collect, credits, stream } from './reading.ts';
import { statementXml } from './statement-xml.ts';

const xml = statementXml({ entries: [{}] });
const day = '<BookgDt><Dt>2026-11-20</Dt></BookgDt>';

const dayOf = async (written: string, timeZone: string) => {
  expect(xml).toContain(day);
  return credits(await collect(readStatement(stream([xml.replace(day, written)]), { timeZone }))).map(({ bookedOn }) => bookedOn);
};

test.each([
  ['<BookgDt><Dt>2026-11-20+01:00</Dt></BookgDt>', '2026-11-20'],
  ['<BookgDt><DtTm>2026-11-20T23:59:59.999-05:00</DtTm></BookgDt>', '2026-11-20'],
  ['<BookgDt><Dt>2026-02-30</Dt></BookgDt>', undefined],
  ['<BookgDt><Dt>2026-13-01</Dt></BookgDt>', undefined],
  ['<BookgDt><Dt>20.11.2026</Dt></BookgDt>', undefined],
  ['<ValDt><Dt>2026-11-20</Dt></ValDt>', '2026-11-20'],
])('the day of %s', async (written, expected) => {
  expect(await dayOf(written, 'Europe/Berlin')).toEqual([expected]);
});

test.each([
  ['2026-11-20T23:30:00Z', 'Europe/Berlin', '2026-11-21'],
  ['2026-11-20T23:30:00.123+00:00', 'Europe/Berlin', '2026-11-21'],
  ['2026-07-20T22:30:00Z', 'Europe/Berlin', '2026-07-21'],
  ['2026-11-20T03:30:00Z', 'America/New_York', '2026-11-19'],
  ['2026-11-20T23:30:00Z', 'UTC', '2026-11-20'],
  // On the bank's clock already.
  ['2026-11-20T00:30:00+01:00', 'Europe/Berlin', '2026-11-20'],
  ['2026-11-20T23:30:00', 'Europe/Berlin', '2026-11-20'],
  // A day that is written as a time.
  ['2026-11-20T00:00:00Z', 'America/New_York', '2026-11-20'],
])('the day of %s of a bank in %s', async (time, timeZone, expected) => {
  expect(await dayOf(`<BookgDt><DtTm>${time}</DtTm></BookgDt>`, timeZone)).toEqual([expected]);
});
