import { describe, expect, it } from 'vitest';
import { identifyMessage } from '../../../../src/bank/iso20022/message-kind.ts';
import { type ReportedStatus, readStatusReport } from '../../../../src/bank/iso20022/pain/pain-002.ts';
import { StopError } from '../../../../src/platform/errors.ts';
import { stream } from '../camt/reading.ts';
import { statementXml } from '../camt/statement-xml.ts';
import { statusXml, type StatusFileSpec, type StatusSpec } from './status-xml.ts';

async function read(file: string | StatusFileSpec): Promise<ReportedStatus[]> {
  const statuses: ReportedStatus[] = [];
  const text = typeof file === 'string' ? file : statusXml(file);
  for await (const status of readStatusReport(stream([text]))) statuses.push(status);
  return statuses;
}

const meaningOf = async (file: StatusFileSpec) => (await read(file)).map(({ meaning, reason }) => [meaning, reason]);

describe('a payment status report', () => {
  it.each(['03', '08', '10', '12', '14'])('of version %s tells what becomes of each payment', async (version) => {
    const payments = [
      { endToEndId: 'a', instructionId: 'i', status: 'ACSC' },
      { endToEndId: 'b', status: 'RJCT', reason: 'AC04' },
    ];
    expect(await read({ version, messageId: 'M', group: { status: 'PART' }, instruction: { status: 'PART' }, payments })).toEqual([
      {
        level: 'payment',
        line: 10,
        code: 'ACSC',
        meaning: 'executed',
        originalMessageId: 'M',
        originalEndToEndId: 'a',
        originalInstructionId: 'i',
      },
      {
        level: 'payment',
        line: 11,
        code: 'RJCT',
        meaning: 'refused',
        reason: 'AC04 closed account number',
        originalMessageId: 'M',
        originalEndToEndId: 'b',
      },
    ]);
  });

  it.each([
    'urn:iso:std:iso:20022:tech:xsd:pain.002.002.03',
    'urn:iso:std:iso:20022:tech:xsd:pain.002.003.03',
    'http://www.six-interbank-clearing.com/de/pain.002.001.03.ch.02.xsd',
    'ISO:pain.002.001.03:APC:STUZZA:payments:003',
  ])('in the national namespace %s is read', async (national) => {
    const xml = statusXml({ payments: [{ endToEndId: 'a', status: 'ACSC' }] });
    expect(await read(xml.replace('urn:iso:std:iso:20022:tech:xsd:pain.002.001.10', national))).toMatchObject([{ meaning: 'executed' }]);
  });

  it.each([
    ['ACSC', 'executed'],
    ['ACCC', 'executed'],
    ['RJCT', 'unclear'],
    ['CANC', 'unclear'],
    ...['ACSP', 'ACCP', 'ACTC', 'ACWC', 'PDNG', 'RCVD', 'XXXX'].map((code) => [code, 'open']),
  ])('%s means %s', async (status, meaning) => {
    expect(await read({ payments: [{ endToEndId: 'a', status }] })).toMatchObject([{ code: status, meaning }]);
  });

  it('tells of a whole file behind its payments', async () => {
    const statuses = await read({
      messageId: 'M',
      group: { status: 'RJCT', reason: 'FF01' },
      payments: [{ endToEndId: 'a', status: 'ACSC' }],
    });
    expect(statuses).toMatchObject([
      { level: 'payment', meaning: 'executed' },
      { level: 'file', meaning: 'unclear', reason: 'FF01 invalid file format', originalMessageId: 'M' },
    ]);
  });

  it('tells of a payment instruction', async () => {
    const statuses = await read({ messageId: 'M', instruction: { status: 'RJCT', reason: 'AM04' } });
    expect(statuses).toMatchObject([{ level: 'file', meaning: 'unclear', reason: 'AM04 insufficient funds', originalMessageId: 'M' }]);
  });

  it('gives a payment without a status that of its instruction, with its reason', async () => {
    const instruction = { status: 'RJCT', reason: 'AM04' };
    expect(await meaningOf({ instruction, payments: [{ endToEndId: 'a' }] })).toContainEqual(['unclear', 'AM04 insufficient funds']);
  });

  it.each(['AM05', 'DU01', 'DU02', 'DU03', 'DU04', 'DU05'])('takes a rejection for %s for what it is: a repetition', async (reason) => {
    expect((await meaningOf({ group: { status: 'RJCT', reason } }))[0]?.[0]).toBe('duplicate');
    expect((await meaningOf({ payments: [{ endToEndId: 'a', status: 'RJCT', reason }] }))[0]?.[0]).toBe('duplicate');
    const inside = await meaningOf({ group: { status: 'RJCT', reason }, payments: [{ endToEndId: 'a', status: 'RJCT', reason: 'MS03' }] });
    expect(inside.map(([meaning]) => meaning)).toEqual(['duplicate', 'duplicate']);
  });

  it.each(['AC04', 'AM04', 'BE01', 'RC01'])(
    'takes a payment as refused for %s, which is of its accounts, parties or amount',
    async (reason) => {
      for (const status of ['RJCT', 'CANC'])
        expect(await meaningOf({ payments: [{ endToEndId: 'a', status, reason }] })).toMatchObject([['refused', expect.any(String)]]);
    },
  );

  it.each([
    ...['AG01', 'AG02', 'CUST', 'RR04', 'NARR', 'MS03'].map((reason) => ({ reason })),
    ...['AC04', 'AM09', 'AG01', 'CUST'].map((reason) => ({ reason, text: 'Fichier déjà reçu' })),
    ...['DUPL', 'DOUBLETTE', 'DOPPELT'].map((reason) => ({ reason })),
    { text: 'bereits eingereicht' },
    { text: 'already processed' },
    {},
  ])('does not take a rejection or cancellation of a payment as certain for %j', async (said: StatusSpec) => {
    for (const status of ['RJCT', 'CANC'])
      expect((await meaningOf({ payments: [{ endToEndId: 'a', status, ...said }] }))[0]?.[0]).toBe('unclear');
  });

  it.each([
    { group: { status: 'RJCT', reason: 'AC04' } },
    { group: { status: 'CANC' } },
    { instruction: { status: 'CANC', reason: 'TM01' } },
    { group: { status: 'RJCT', reason: 'FF01' }, payments: [{ status: 'RJCT', reason: 'AC04' }] },
    { group: { status: 'PART', text: 'already processed' }, payments: [{ status: 'RJCT', reason: 'AC04' }] },
    { instruction: { status: 'RJCT', reason: 'AM04' }, payments: [{ status: 'RJCT' }] },
  ])('does not take a rejection as certain for what is said at the file: %j', async (file: StatusFileSpec) => {
    expect(new Set((await read(file)).map(({ meaning }) => meaning))).toEqual(new Set(['unclear']));
  });

  it('recognises a repetition told in words', async () =>
    expect((await meaningOf({ group: { status: 'RJCT', reason: 'NARR', text: 'Duplicate file' } }))[0]?.[0]).toBe('duplicate'));

  it.each([
    ['statement', statementXml({ entries: [] })],
    ['version too old', statusXml({ version: '02' })],
    ['file cut off', statusXml({ payments: [{ endToEndId: 'a', status: 'RJCT' }] }).slice(0, -40)],
    ['unknown element that may hold payments', statusXml({}).replace('</CstmrPmtStsRpt>', '<Other/></CstmrPmtStsRpt>')],
  ])('is refused as a whole: %s', async (_, file) => {
    await expect(read(file)).rejects.toThrow(StopError);
  });
});

const kindOf = async (...chunks: string[]) => {
  const { message, chunks: rest } = await identifyMessage(stream(chunks.map((chunk) => Buffer.from(chunk))));
  const read: string[] = [];
  for await (const chunk of rest) read.push(chunk.toString());
  expect(read.join('')).toBe(chunks.join(''));
  return message;
};

describe('the kind of a file', () => {
  it.each([
    ['pain.002', statusXml({})],
    ['camt.053', statementXml({ entries: [] })],
    ['camt.054', statementXml({ message: 'camt.054', entries: [] })],
    [undefined, '<a/>'],
    [undefined, 'no XML'],
    [undefined, ''],
    [undefined, `<!--${'x'.repeat(70_000)}-->`],
  ])('is told by its root element, and nothing of it is lost: %s', async (kind, text) => {
    expect(await kindOf(text)).toBe(kind);
    expect(await kindOf(...Array.from(text.match(/[\s\S]{1,100}/g) ?? []))).toBe(kind);
  });

  it('cannot be told of a file that cannot be read', async () => {
    const broken = stream([]);
    broken.next = () => Promise.reject(new StopError({ code: 'file_unreadable', message: 'gone' }));
    await expect(identifyMessage(broken)).rejects.toMatchObject({ code: 'file_unreadable' });
  });
});
