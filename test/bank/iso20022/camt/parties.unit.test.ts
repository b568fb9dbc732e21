import { expect, test } from 'vitest';
import { credits, read, readSpec } from './reading.ts';
import { payerIban, statementXml } from './statement-xml.ts';
import type { Version } from './statement-xml.ts';

async function payerOf(parties: string, version: Version = '08') {
  const [credit] = credits(await readSpec({ version, entries: [{ transactions: [{ parties }] }] }));
  return credit?.payer;
}

const account = `<DbtrAcct><Id><IBAN>${payerIban}</IBAN></Id></DbtrAcct>`;

test.each<[string, Version, string, object]>([
  ['name', '02', `<Dbtr><Nm>Ada</Nm></Dbtr>${account}`, { name: 'Ada', iban: payerIban }],
  ['name of Pty', '08', `<Dbtr><Pty><Nm>Ada</Nm></Pty></Dbtr>${account}`, { name: 'Ada', iban: payerIban }],
  ['bank as a payer', '08', '<Dbtr><Agt><FinInstnId><Nm>Bank AG</Nm></FinInstnId></Agt></Dbtr>', { name: 'Bank AG' }],
  ['bank by its BIC', '08', '<Dbtr><Agt><FinInstnId><BICFI>DEUTDEFF</BICFI></FinInstnId></Agt></Dbtr>', { name: 'DEUTDEFF' }],
  [
    'debtor before ultimate debtor',
    '08',
    '<Dbtr><Pty><Nm>PSP</Nm></Pty></Dbtr><UltmtDbtr><Pty><Nm>Ada</Nm></Pty></UltmtDbtr>',
    { name: 'PSP' },
  ],
  ['ultimate debtor alone', '08', '<UltmtDbtr><Pty><Nm>Ada</Nm></Pty></UltmtDbtr>', { name: 'Ada' }],
  ['ultimate debtor of a nameless debtor', '02', '<Dbtr/><UltmtDbtr><Nm>Ada</Nm></UltmtDbtr>', { name: 'Ada' }],
  ['initiating party', '08', '<InitgPty><Pty><Nm>Ada</Nm></Pty></InitgPty>', { name: 'Ada' }],
  [
    'name of the account',
    '08',
    '<DbtrAcct><Id><Othr><Id>4711</Id></Othr></Id><Nm>Ada</Nm></DbtrAcct>',
    { name: 'Ada', accountNumber: '4711' },
  ],
  ['organisation BIC, 02', '02', '<Dbtr><Id><OrgId><BICOrBEI>DABAIE2D</BICOrBEI></OrgId></Id></Dbtr>', { name: 'DABAIE2D' }],
  ['organisation BIC, 08', '08', '<Dbtr><Pty><Id><OrgId><AnyBIC>DABAIE2D</AnyBIC></OrgId></Id></Pty></Dbtr>', { name: 'DABAIE2D' }],
  ['private id', '08', '<Dbtr><Pty><Id><PrvtId><Othr><Id>P-1</Id></Othr></PrvtId></Id></Pty></Dbtr>', { name: 'P-1' }],
  ['placeholder name', '08', '<Dbtr><Pty><Nm>NOTPROVIDED</Nm></Pty></Dbtr>', {}],
  ['short name', '08', '<Dbtr><Pty><Nm>Na</Nm></Pty></Dbtr>', { name: 'Na' }],
  ['Greek name', '02', '<Dbtr><Nm>Ελένη</Nm></Dbtr>', { name: 'Ελένη' }],
  ['domestic account', '08', '<DbtrAcct><Id><Othr><Id>12 345-678</Id></Othr></Id></DbtrAcct>', { accountNumber: '12345-678' }],
  ['IBAN as another identification', '08', `<DbtrAcct><Id><Othr><Id>${payerIban}</Id></Othr></Id></DbtrAcct>`, { iban: payerIban }],
  [
    'IBAN with wrong check digits',
    '08',
    '<DbtrAcct><Id><IBAN>de00 3704 0044 0532 0130 00</IBAN></Id></DbtrAcct>',
    { accountNumber: 'DE00370400440532013000' },
  ],
  ['placeholder of an account', '02', '<DbtrAcct><Id><Othr><Id>NOTPROVIDED</Id></Othr></Id></DbtrAcct>', {}],
  ['nobody', '08', '', {}],
])('the payer by %s in version %s', async (_name, version, parties, expected) => {
  expect(await payerOf(parties || '<TradgPty/>', version)).toEqual(expected);
});

test.each([
  ['<BICFI>CHASUS33</BICFI>', { bic: 'CHASUS33' }],
  ['<BIC>CHASUS33</BIC>', { bic: 'CHASUS33' }],
  [
    '<ClrSysMmbId><ClrSysId><Cd>GBDSC</Cd></ClrSysId><MmbId>200415</MmbId></ClrSysMmbId>',
    { clearingSystem: 'GBDSC', clearingCode: '200415' },
  ],
  ['<BICFI>NOTPROVIDED</BICFI><ClrSysMmbId><MmbId>200415</MmbId></ClrSysMmbId>', { clearingCode: '200415' }],
])('the bank of an account without an IBAN, %s', async (bank, expected) => {
  const agents = `<RltdAgts><DbtrAgt><FinInstnId>${bank}</FinInstnId></DbtrAgt></RltdAgts>`;
  const number = '<DbtrAcct><Id><Othr><Id>31926819</Id></Othr></Id></DbtrAcct>';
  const withAgents = (parties: string) =>
    statementXml({ entries: [{ transactions: [{ parties }] }] }).replace('</RltdPties>', `</RltdPties>${agents}`);
  expect(credits(await read(withAgents(number)))[0]?.payer).toEqual({ accountNumber: '31926819', ...expected });
  expect(credits(await read(withAgents(account)))[0]?.payer).toEqual({ iban: payerIban });
});

test.each([
  [
    '<StrtNm>Main St</StrtNm><BldgNb>12</BldgNb><PstCd>1000</PstCd><TwnNm>Riga</TwnNm><Ctry>LV</Ctry>',
    'Main St 12, 1000 Riga, LV',
    { street: 'Main St', buildingNumber: '12', postalCode: '1000', city: 'Riga', country: 'LV' },
  ],
  ['<Ctry>NL</Ctry><AdrLine>ADDR 10</AdrLine><AdrLine>2000 ANTWERPEN</AdrLine>', 'ADDR 10, 2000 ANTWERPEN, NL', undefined],
  [
    '<PstCd>1000</PstCd><TwnNm>Riga</TwnNm><Ctry>LV</Ctry><AdrLine>c/o Bob</AdrLine>',
    'c/o Bob, 1000 Riga, LV',
    { postalCode: '1000', city: 'Riga', country: 'LV', lines: ['c/o Bob'] },
  ],
])('the address %s', async (address, line, postalAddress) => {
  const payer = await payerOf(`<Dbtr><Pty><Nm>Ada</Nm><PstlAdr>${address}</PstlAdr></Pty></Dbtr>`);
  expect(payer).toEqual({ name: 'Ada', address: line, ...(postalAddress && { postalAddress }) });
});

test('the address is that of the party named', async () => {
  const parties = '<Dbtr><Pty><PstlAdr><Ctry>LV</Ctry></PstlAdr></Pty></Dbtr><UltmtDbtr><Pty><Nm>Ada</Nm></Pty></UltmtDbtr>';
  expect(await payerOf(parties)).toEqual({ name: 'Ada' });
});
