import * as fc from 'fast-check';
import { XmlDocument, XsdValidator } from 'libxml2-wasm';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { composePain001 } from '../../../../src/bank/iso20022/pain/pain-001.ts';
import { sepaText } from '../../../../src/bank/iso20022/pain/characters.ts';
import type { RailPayment } from '../../../../src/bank/rail.ts';
import { minorUnits } from '../../../../src/platform/money.ts';
import { schemaFolder, schemasPresent } from '../schema-folder.ts';
import { batch, debtor, payment } from './payments.ts';
import { anyText } from '../../../support/any-text.ts';

const compose = (...payments: RailPayment[]) => composePain001(payments, debtor, batch);
const remittance = (more: Partial<RailPayment>) =>
  /<RmtInf>\s*([\s\S]*?)\s*<\/RmtInf>/.exec(compose(payment(more)))?.[1]?.replace(/>\s+</g, '><');
const addresses = (xml: string) => Array.from(xml.replace(/>\s+</g, '><').matchAll(/<PstlAdr>(.*?)<\/PstlAdr>/g), ([, address]) => address);
const structured = (reference: string, issuer = '') =>
  `<Strd><CdtrRefInf><Tp><CdOrPrtry><Cd>SCOR</Cd></CdOrPrtry>${issuer}</Tp><Ref>${reference}</Ref></CdtrRefInf></Strd>`;

describe('a pain.001', () => {
  it('is a SEPA credit transfer in euro', () => {
    const xml = compose(payment(), payment({ amount: minorUnits(5n) }));
    for (const part of [
      '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09">',
      `<MsgId>${batch.messageId}</MsgId>`,
      '<CreDtTm>2026-05-04T23:59:58</CreDtTm>',
      '<Dt>2026-05-04</Dt>',
      '<Cd>SEPA</Cd>',
      '<ChrgBr>SLEV</ChrgBr>',
      '<InstdAmt Ccy="EUR">10.50</InstdAmt>',
      '<InstdAmt Ccy="EUR">0.05</InstdAmt>',
      `<IBAN>${debtor.iban}</IBAN>`,
      `<BICFI>${debtor.bic}</BICFI>`,
    ])
      expect(xml).toContain(part);
    expect(xml.match(/<NbOfTxs>2<\/NbOfTxs>/g)).toHaveLength(2);
    expect(xml.match(/<CtrlSum>10\.55<\/CtrlSum>/g)).toHaveLength(2);
    expect(xml).not.toContain('CtryOfRes');
  });

  it('is no SEPA transfer in another currency', () => {
    const xml = compose(payment({ currency: 'isk', amount: minorUnits(100_000n) }));
    expect(xml).toContain('<Cd>NURG</Cd>');
    expect(xml).toContain('<ChrgBr>SHAR</ChrgBr>');
    expect(xml).toContain('<InstdAmt Ccy="ISK">1000</InstdAmt>');
    expect(xml).toContain('<CtryOfRes>DE</CtryOfRes>');
  });

  it.each([
    [
      'structured',
      { street: 'Rue de l’Église', buildingNumber: '12', postalCode: '75001', city: 'Paris', countryState: 'IDF', country: 'FR' },
      "<StrtNm>Rue de l'Eglise</StrtNm><BldgNb>12</BldgNb><PstCd>75001</PstCd><TwnNm>Paris</TwnNm><CtrySubDvsn>IDF</CtrySubDvsn><Ctry>FR</Ctry>",
    ],
    [
      'hybrid',
      { city: 'Boston', country: 'US', lines: ['Suite 5', 'c/o Smith'] },
      '<TwnNm>Boston</TwnNm><Ctry>US</Ctry><AdrLine>Suite 5</AdrLine><AdrLine>c/o Smith</AdrLine>',
    ],
  ])('names the address of payer and payee, %s', (_how, creditorAddress, expected) => {
    const own = '<StrtNm>Borgartun</StrtNm><BldgNb>27</BldgNb><PstCd>105</PstCd><TwnNm>Reykjavik</TwnNm><Ctry>IS</Ctry>';
    expect(addresses(compose(payment({ creditorAddress, currency: 'usd' })))).toEqual([own, expected]);
    expect(addresses(composePain001([payment()], { ...debtor, address: undefined }, batch))).toEqual([]);
  });

  it('is the same for the same input', () => {
    const one = payment();
    expect(compose(one)).toBe(compose(one));
  });

  it.each([
    [
      'an ISO 11649 reference, in groups',
      { structuredReference: 'rf18 5390 0754 7034' },
      structured('RF18539007547034', '<Issr>ISO</Issr>'),
    ],
    [
      'a Belgian communication',
      { structuredReference: '+++090/9337/55493+++', creditorIban: 'BE68539007547034' },
      structured('090933755493', '<Issr>BBA</Issr>'),
    ],
    [
      'a Belgian communication of a multiple of 97',
      { structuredReference: '***000/0000/09797***', creditorIban: 'BE68539007547034' },
      structured('000000009797', '<Issr>BBA</Issr>'),
    ],
    ['a Finnish reference number', { structuredReference: '12 34561', creditorIban: 'FI2112345600000785' }, structured('1234561')],
    ['a Norwegian KID', { structuredReference: '2345676', creditorIban: 'NO9386011117947' }, structured('2345676')],
    ['a Norwegian KID by modulo 11', { structuredReference: '76543216', creditorIban: 'NO9386011117947' }, structured('76543216')],
    [
      'a Finnish number with a wrong check digit, as text',
      { structuredReference: '1234562', creditorIban: 'FI2112345600000785' },
      '<Ustrd>1234562</Ustrd>',
    ],
    [
      'a month that has the check digit of a Finnish number by chance, as text',
      { remittance: '04/2026', creditorIban: 'FI2112345600000785' },
      '<Ustrd>04/2026</Ustrd>',
    ],
    [
      'a Norwegian number with a wrong check digit, as text',
      { structuredReference: '76543215', creditorIban: 'NO9386011117947' },
      '<Ustrd>76543215</Ustrd>',
    ],
    [
      'a short number that has the check digit of a KID by chance, as text',
      { structuredReference: '18', creditorIban: 'NO9386011117947' },
      '<Ustrd>18</Ustrd>',
    ],
    ['a reference of another country, as text', { structuredReference: '+++090/9337/55493+++' }, '<Ustrd>+++090/9337/55493+++</Ustrd>'],
    [
      'one with wrong check digits, as text',
      { structuredReference: '090933755494', creditorIban: 'BE68539007547034' },
      '<Ustrd>090933755494</Ustrd>',
    ],
    ['an RF reference with wrong check digits, as text', { structuredReference: 'RF19539007547034' }, '<Ustrd>RF19539007547034</Ustrd>'],
    ['a reference that is too long, as text', { structuredReference: '1'.repeat(36) }, `<Ustrd>${'1'.repeat(36)}</Ustrd>`],
    ['a reference in other characters, as text', { structuredReference: 'Þ1' }, '<Ustrd>Th1</Ustrd>'],
    [
      'a Belgian communication in the memo',
      { remittance: '+++090/9337/55493+++', creditorIban: 'BE68539007547034' },
      structured('090933755493', '<Issr>BBA</Issr>'),
    ],
    ['a KID in the memo', { remittance: ' 2345676 ', creditorIban: 'NO9386011117947' }, structured('2345676')],
    ['an ISO 11649 reference in the memo', { remittance: 'RF18 5390 0754 7034' }, structured('RF18539007547034', '<Issr>ISO</Issr>')],
    [
      'a memo that only contains a communication, as text',
      { remittance: 'Invoice +++090/9337/55493+++', creditorIban: 'BE68539007547034' },
      '<Ustrd>Invoice +++090/9337/55493+++</Ustrd>',
    ],
    ['a memo, where the reference is blank', { structuredReference: ' ', remittance: 'Rent' }, '<Ustrd>Rent</Ustrd>'],
    ['a memo', { remittance: 'Rent & <more>' }, '<Ustrd>Rent + (more)</Ustrd>'],
    ['the reference rather than a memo', { structuredReference: '77', remittance: 'Rent' }, '<Ustrd>77</Ustrd>'],
    ['nothing', { remittance: ' ' }, undefined],
  ])('tells the payee %s', (_, more, expected) => expect(remittance(more)).toBe(expected));

  it.each([
    ['Þórður Ægisson', 'Thordur Aegisson'],
    ['Müller & Söhne "GmbH"', "Muller + Sohne 'GmbH'"],
    ['Łukasz Żółć', 'Lukasz Zolc'],
    ['Γιώργος Παπαδόπουλος', 'Giorgos Papadopoylos'],
    ['Иван Щербаков', 'Ivan Shterbakov'],
    ['a\tb\nc  d\u0000e', 'a b c d e'],
    ['Straße 5 € / ½', 'Strasse 5 EUR / 1/2'],
    ['李 Li', '. Li'],
    ['李', ''],
  ])('writes %j in characters that every SEPA bank takes', (text, expected) => expect(sepaText(text, 70)).toBe(expected));

  it('says so when there is no name', () =>
    expect(compose(payment({ creditorName: '李' }))).toContain('<Cdtr>\n          <Nm>NOTPROVIDED</Nm>'));
  it('cuts what is too long', () => expect(sepaText('ß'.repeat(70), 70)).toBe('s'.repeat(70)));
});

const text = fc.oneof(anyText({ maxLength: 200 }), fc.string({ unit: 'grapheme', maxLength: 200 }), fc.constant(''));
const units = (decimal: string) => BigInt(decimal.includes('.') ? decimal.replace('.', '') : `${decimal}00`);

const anyAddress = fc.record(
  {
    street: text,
    buildingNumber: text,
    postalCode: text,
    city: text,
    countryState: text,
    country: fc.constant('US'),
    lines: fc.array(text, { maxLength: 2 }),
  },
  { requiredKeys: ['city', 'country'] },
);

const anyPayment = (currency: string) =>
  fc
    .record({
      id: fc.uuid(),
      amount: fc.bigInt(1n, 999_999_999n).map((units) => minorUnits(units * 100n)),
      creditorName: text,
      creditorAddress: fc.option(anyAddress),
      creditorCountry: fc.option(fc.oneof(fc.constant('IS'), text)),
      remittance: fc.option(text),
      structuredReference: fc.option(fc.oneof(text, fc.constant('RF18539007547034'))),
    })
    .map((more) => payment({ ...more, endToEndId: more.id.replaceAll('-', ''), currency }));

const anyPayments = fc
  .constantFrom('eur', 'gbp', 'usd', 'isk')
  .chain((currency) => fc.uniqueArray(anyPayment(currency), { selector: ({ id }) => id, minLength: 1, maxLength: 40 }));

describe.skipIf(!schemasPresent())('any set of payments', () => {
  it('is valid against the schema, with right sums and each payment once', () => {
    using schema = XmlDocument.fromBuffer(readFileSync(path.join(schemaFolder, 'pain.001.001.09.xsd')));
    using validator = XsdValidator.fromDoc(schema);
    fc.assert(
      fc.property(anyPayments, text, (payments, name) => {
        const xml = composePain001(payments, { ...debtor, name }, batch);
        using document = XmlDocument.fromString(xml);
        validator.validate(document);
        const values = (tag: string) => Array.from(xml.matchAll(new RegExp(`<${tag}[^>]*>([^<]*)<`, 'g')), (match) => match[1] ?? '');
        expect(values('EndToEndId')).toEqual(payments.map(({ endToEndId }) => endToEndId));
        const sum = values('InstdAmt').reduce((total, amount) => total + units(amount), 0n);
        expect(sum).toBe(payments.reduce((total, { amount }) => total + amount, 0n));
        expect(values('CtrlSum').map(units)).toEqual([sum, sum]);
        expect(values('NbOfTxs')).toEqual([String(payments.length), String(payments.length)]);
        for (const tag of ['Nm', 'Ustrd', 'Ref', 'StrtNm', 'TwnNm', 'AdrLine'])
          for (const value of values(tag)) expect(value.replace(/&apos;/g, "'")).toMatch(/^[A-Za-z0-9/\-?:().,'+ ]+$/);
      }),
      { numRuns: 150 },
    );
  });

  it('would not pass with one element too many', () => {
    using schema = XmlDocument.fromBuffer(readFileSync(path.join(schemaFolder, 'pain.001.001.09.xsd')));
    using validator = XsdValidator.fromDoc(schema);
    using document = XmlDocument.fromString(compose(payment()).replace('<ChrgBr>', '<Other/><ChrgBr>'));
    expect(() => validator.validate(document)).toThrow('Other');
  });
});
