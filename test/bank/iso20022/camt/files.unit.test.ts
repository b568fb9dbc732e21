import { describe, expect, test } from 'vitest';
import { readStatement } from '../../../../src/bank/iso20022/camt/read-statement.ts';
import { collect, credits, outcomes, read, refusalOf, stream } from './reading.ts';
import { statementXml } from './statement-xml.ts';

const xml = statementXml({ entries: [{ transactions: [{ payer: { name: 'Zoë Łukasz €' } }] }] });
const latinXml = statementXml({ entries: [{ transactions: [{ payer: { name: 'Zoë' } }] }] });
const body = /<BkToCstmrStmt>.*<\/BkToCstmrStmt>/s.exec(xml)?.[0] ?? '';
const document = /<Document.*<\/Document>/s.exec(xml)?.[0] ?? '';
const namespace = 'urn:iso:std:iso:20022:tech:xsd:camt.053.001.08';
const batchOf = (count: string) => `<NtryDtls><Btch><NbOfTxs>${count}</NbOfTxs></Btch></NtryDtls>`;

const payerName = async (...chunks: (string | Uint8Array)[]) => credits(await read(...chunks))[0]?.payer.name;

const bigEndian = (text: string) => Buffer.from(text, 'utf16le').swap16();

describe('encodings', () => {
  const declared = (encoding: string, text = xml) => text.replace('UTF-8', encoding);

  test.each<[string, Uint8Array]>([
    ['UTF-8', Buffer.from(xml)],
    ['UTF-8 with a mark', Buffer.from(`\uFEFF${xml}`)],
    ['UTF-8 without a declaration', Buffer.from(document)],
    ['UTF-16 little endian with a mark', Buffer.from(`\uFEFF${declared('UTF-16')}`, 'utf16le')],
    ['UTF-16 big endian with a mark', bigEndian(`\uFEFF${declared('UTF-16')}`)],
    ['UTF-16 little endian without a mark', Buffer.from(declared('UTF-16'), 'utf16le')],
    ['UTF-16 big endian without a mark', bigEndian(declared('UTF-16'))],
  ])('%s', async (_name, bytes) => {
    expect(await payerName(bytes)).toBe('Zoë Łukasz €');
    expect(await payerName(...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toBe('Zoë Łukasz €');
  });

  test.each(['ISO-8859-1', 'iso-8859-15', 'windows-1252'])('%s', async (encoding) => {
    expect(await payerName(Buffer.from(declared(encoding, latinXml), 'latin1'))).toBe('Zoë');
  });

  test('text with a mark', async () => {
    expect(await payerName(`\uFEFF${xml}`)).toBe('Zoë Łukasz €');
  });

  test.each<[string, Uint8Array]>([
    ['bytes that are no UTF-8', Buffer.from(latinXml, 'latin1')],
    ['an unknown encoding', Buffer.from(declared('EBCDIC-XX'))],
    ['a declaration that contradicts the bytes', Buffer.from(declared('UTF-16'))],
    ['a character cut off at the end', Buffer.concat([Buffer.from(xml), Buffer.of(0xe2, 0x82)])],
  ])('%s are refused', async (_name, bytes) => {
    expect(await refusalOf(bytes)).toMatchObject({ code: 'statement_malformed', message: expect.stringMatching(/encoding/) as string });
  });
});

describe('namespaces and envelopes', () => {
  const prefixed = document.replaceAll(/<(\/?)(?=[A-Z])/g, '<$1iso:').replace('xmlns=', 'xmlns:iso=');

  test.each([
    ['a prefix', prefixed],
    ['no namespace', `<Document>${body}</Document>`],
    ['no Document', body.replace('<BkToCstmrStmt>', `<BkToCstmrStmt xmlns="${namespace}">`)],
    [
      'an envelope with a business header',
      `<BizMsgEnvlp xmlns="urn:iso:std:iso:20022:tech:xsd:nvlp.001"><AppHdr xmlns="urn:iso:std:iso:20022:tech:xsd:head.001.001.02"><BizSvc>x</BizSvc></AppHdr>${document}</BizMsgEnvlp>`,
    ],
    ['a SOAP envelope', `<s:Envelope xmlns:s="urn:soap"><s:Body>${prefixed}</s:Body></s:Envelope>`],
    ['comments and processing instructions', `<!-- a --><?b c?>${document.replace('<Ntry>', '<!-- d --><Ntry>')}<!-- e -->`],
    ['CDATA', document.replace('Zoë Łukasz €', '<![CDATA[Zoë Łukasz €]]>')],
    ['character references', document.replace('€', '&#8364;')],
  ])('%s', async (_name, text) => {
    expect(outcomes(await read(text))).toEqual(['credit']);
    expect(await payerName(text)).toBe('Zoë Łukasz €');
  });

  test('two documents in one envelope', async () => {
    expect(outcomes(await read(`<Envelope>${document}${document}</Envelope>`))).toEqual(['credit', 'credit']);
  });

  test.each(['02', '03', '04', '05', '06', '07', '08', '09', '10', '11', '12', '13', '14'])('version %s', async (version) => {
    expect(outcomes(await read(xml.replace('001.08', `001.${version}`)))).toEqual(['credit']);
  });

  test.each([
    'http://www.six-interbank-clearing.com/de/camt.053.001.04.ch.02.xsd',
    'ISO:camt.053.001.02:APC:STUZZA:payments:003',
    'ISO.camt.053.001.02.austrian.003.xsd',
  ])('the national namespace %s', async (national) => {
    expect(outcomes(await read(xml.replace(namespace, national)))).toEqual(['credit']);
  });

  test('elements of another namespace inside an entry are not mistaken for ours', async () => {
    const foreign = '<SplmtryData><x:Amt xmlns:x="urn:x" Ccy="EUR">1</x:Amt><x:Sts xmlns:x="urn:x">PDNG</x:Sts></SplmtryData>';
    expect(credits(await read(xml.replace('<Ntry>', `<Ntry>${foreign}<x:Amt xmlns:x="urn:x" Ccy="EUR">7</x:Amt>`)))[0]?.amount).toBe(
      10_000n,
    );
  });
});

describe('a file is refused as a whole', () => {
  const deep = '<a>'.repeat(100) + '</a>'.repeat(100);
  const bomb = '<!DOCTYPE a [<!ENTITY b "bbbbbbbbbb"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>';

  test.each([
    ['statement_malformed', 'an open tag closed by another', xml.replace('</Ntry>', '</Ntrx>'), /not well-formed/],
    ['statement_malformed', 'an unknown entity', xml.replace('Zoë', '&b;'), /not well-formed/],
    ['statement_malformed', 'an undeclared prefix', xml.replace('<Ntry>', '<x:Ntry>').replace('</Ntry>', '</x:Ntry>'), /not well-formed/],
    ['statement_malformed', 'text that is no XML', 'account;amount\n1;2\n', /not well-formed/],
    ['statement_malformed', 'two roots', `${xml}${document}`, /not well-formed/],
    ['statement_truncated', 'nothing', '', /empty or cut off/],
    ['statement_truncated', 'half of it', xml.slice(0, -40), /empty or cut off/],
    ['statement_truncated', 'a message without a statement', `<Document xmlns="${namespace}"><BkToCstmrStmt/></Document>`, /no <Stmt>/],
    ['statement_malformed', 'a DOCTYPE', `<!DOCTYPE Document>${document}`, /DOCTYPE/],
    ['statement_malformed', 'an entity bomb', `${bomb}${document}`, /DOCTYPE/],
    ['statement_malformed', 'an external entity', `<!DOCTYPE a SYSTEM "file:///etc/passwd">${document}`, /DOCTYPE/],
    ['statement_unsupported', 'a page', '<html><body/></html>', /<html>.*camt\.053/],
    ['statement_unsupported', 'version 01', xml.replace('001.08', '001.01'), /camt\.053 .*camt\.054/],
    ['statement_unsupported', 'a version of the future', xml.replace('001.08', '001.15'), /001\.02 to 001\.14/],
    ['statement_unsupported', 'a national variant', xml.replace('001.08', '002.08'), /not supported/],
    ['statement_unsupported', 'a message in the namespace of another', xml.replace('camt.053', 'camt.054'), /not supported/],
    [
      'statement_unsupported',
      'a payment status',
      '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><a/></Document>',
      /pain\.002/,
    ],
    ['statement_malformed', 'deep nesting', xml.replace('<Ntry>', `<Ntry>${deep}`), /nested/],
    ['statement_malformed', 'a long text', xml.replace('Zoë', 'Z'.repeat(200_000)), /longer than/],
    ['statement_malformed', 'a long comment before the root', `<!--${'x'.repeat(200_000)}-->${document}`, /longer than/],
    ['statement_malformed', 'a long DOCTYPE', `<!DOCTYPE a [${' '.repeat(200_000)}]>${document}`, /longer than/],
    [
      'statement_malformed',
      'many attributes',
      xml.replace('<Ntry>', `<Ntry ${Array.from({ length: 100 }, (_, n) => `a${n}=""`).join(' ')}>`),
      /attributes/,
    ],
    [
      'statement_malformed',
      'a count beyond any',
      xml.replace('</Ntry>', `${batchOf('3000000000')}</Ntry>`),
      /<NbOfTxs> is 3000000000.*line \d/,
    ],
    [
      'statement_malformed',
      'a sum of counts beyond any',
      xml.replace('</Ntry>', `${batchOf('2000000000').repeat(2)}</Ntry>`),
      /<NbOfTxs> is 4000000000/,
    ],
    ['statement_malformed', 'a count that is none', xml.replace('</Ntry>', `${batchOf('-1')}</Ntry>`), /<NbOfTxs> is -1/],
    [
      'statement_malformed',
      'a page beyond any',
      xml.replace('<Acct>', '<StmtPgntn><PgNb>100000</PgNb></StmtPgntn><Acct>'),
      /<PgNb> is 100000, and not a whole number of at most 99999.*line \d/,
    ],
    ['statement_malformed', 'no account', xml.replace(/<Acct>.*?<\/Acct>/s, ''), /account/],
    ['statement_malformed', 'an unknown element of the statement', xml.replaceAll(/(<\/?)Ntry>/g, '$1Entry>'), /<Entry>/],
    ['statement_malformed', 'an unknown element of the message', xml.replaceAll(/(<\/?)Stmt>/g, '$1Rpt>'), /<Rpt>/],
  ])('as %s: %s', async (code, _name, text, message) => {
    const refusal = await refusalOf(text);
    expect(refusal.code).toBe(code);
    expect(refusal.message).toMatch(message);
    expect(refusal.message).toMatch(/Nothing of this file was applied\.$/);
  });

  test('with line and column', async () => {
    expect((await refusalOf('<a>\n<b>\n</c></a>')).message).toMatch(/line 3, column 4/);
  });

  test.each([
    ['elements', '<TxDtls><Refs/></TxDtls>'.repeat(300_001), /600000 elements/],
    ['text', `<AddtlNtryInf>${'x'.repeat(100_000)}</AddtlNtryInf>`.repeat(161), /16000000 characters/],
  ])('when one entry has too much of %s', async (_name, content, message) => {
    const refusal = await refusalOf(xml.replace('<Ntry>', `<Ntry>${content}`));
    expect(refusal.code).toBe('statement_malformed');
    expect(refusal.message).toMatch(message);
  });

  test('after its first entries, when it is damaged later', async () => {
    const long = statementXml({ entries: Array.from({ length: 100 }, () => ({})) });
    const items = readStatement(stream([long.slice(0, -40)]));
    expect((await items.next()).value).toMatchObject({ items: [{ kind: 'credit' }] });
    await expect(collect(items)).rejects.toMatchObject({ code: 'statement_truncated' });
  });
});
