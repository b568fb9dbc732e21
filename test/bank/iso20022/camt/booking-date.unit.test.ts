import { describe, expect, test } from 'vitest';
import { readStatement } from '../../../../src/bank/iso20022/camt/read-statement.ts';
import { collect, credits, stream } from './reading.ts';
import { type StatementSpec, statementXml } from './statement-xml.ts';

const xml = statementXml({ entries: [{}] });
const day = '<BookgDt><Dt>2026-11-20</Dt></BookgDt>';

const dayless = (spec: StatementSpec) => statementXml({ ...spec, entries: [{}] }).replace(day, '');
const readDay = async (text: string, timeZone = 'Europe/Berlin') =>
  credits(await collect(readStatement(stream([text]), { timeZone }))).map(({ bookedOn }) => bookedOn);
const period = (from: string, to: string) => `<FrToDt><FrDtTm>${from}</FrDtTm><ToDtTm>${to}</ToDtTm></FrToDt>`;
const settled = (...days: string[]) =>
  days
    .map((date) => `<TxDtls><Refs/><Amt Ccy="EUR">10.00</Amt><RltdDts><IntrBkSttlmDt>${date}</IntrBkSttlmDt></RltdDts></TxDtls>`)
    .join('');

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

describe('the day of an entry without one', () => {
  test.each([
    [period('2026-11-20T00:00:00', '2026-11-20T23:59:59'), '2026-11-20'],
    [period('2026-11-19T23:00:00Z', '2026-11-20T22:59:59Z'), '2026-11-20'],
    [period('2026-11-19T00:00:00', '2026-11-20T23:59:59'), undefined],
    // May be two days, each written as its midnight.
    [period('2026-11-20T00:00:00', '2026-11-21T00:00:00'), undefined],
    ['<FrToDt><FrDt>2026-11-19</FrDt><ToDt>2026-11-19</ToDt></FrToDt>', '2026-11-19'],
    [period('', ''), undefined],
  ])('is that of a statement of one day: %s', async (written, expected) => {
    expect(await readDay(dayless({ opening: '-100.00' }).replace('<Acct>', `${written}<Acct>`))).toEqual([expected]);
  });

  test('is that of the balances with which a statement opens and closes', async () => {
    const text = dayless({ opening: '-100.00', day: '2026-11-20' });
    expect(await readDay(text)).toEqual(['2026-11-20']);
    expect(await readDay(text.replace('CLBD', 'CLAV'))).toEqual(['2026-11-20']);
    expect(await readDay(text.replace('2026-11-20</Dt></Dt></Bal><Bal>', '2026-11-19</Dt></Dt></Bal><Bal>'))).toEqual([undefined]);
    expect(await readDay(dayless({}))).toEqual([undefined]);
  });

  test('is the day on which its transactions were settled, of a message without a day of its own', async () => {
    const text = statementXml({ message: 'camt.054', entries: [{ amount: '10.00' }] }).replace(day, '');
    const of = (...days: string[]) =>
      text.replace(/10\.00(?=.*Sts)/, `${10 * days.length}.00`).replace('</Ntry>', `<NtryDtls>${settled(...days)}</NtryDtls></Ntry>`);
    expect(await readDay(of('2026-11-20'))).toEqual(['2026-11-20']);
    expect(await readDay(of('2026-11-20', '2026-11-20'))).toEqual(['2026-11-20', '2026-11-20']);
    expect(await readDay(of('2026-11-20', '2026-11-21'))).toEqual([undefined, undefined]);
    expect(await readDay(of('2026-02-30'))).toEqual([undefined]);
  });

  test('is unknown where the bank writes a day that does not exist', async () => {
    const text = statementXml({ opening: '-100.00', entries: [{ bookedOn: '2026-02-30' }] });
    expect(await readDay(text)).toEqual([undefined]);
  });
});
