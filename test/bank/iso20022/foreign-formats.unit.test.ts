import { expect, test } from 'vitest';
import { refusalOf } from './camt/reading.ts';

test.each<[string, string | Uint8Array, RegExp]>([
  ['a zip archive', 'PK\u0003\u0004\u0014\u0000', /zip archive\. Unzip it/],
  ['a gzip file', Uint8Array.of(0x1f, 0x8b, 8, 0), /gunzip/],
  ['a PDF', '%PDF-1.7\n', /a PDF/],
  ['a page of the portal', '<!DOCTYPE html><html><body>Please sign in</body></html>', /web page.*fetch the file again/],
  ['MT940', ':20:STARTUMSE\r\n:25:10020030/1234567\r\n:28C:00000/001\r\n', /MT940.*camt\.053/],
  ['MT940 in its envelope', '{1:F01BANKDEFFXXXX0000000000}{2:I940X}{4:\r\n:20:940S\r\n:25:1\r\n', /MT940/],
  ['MT940 with a header of the bank', 'ABNANL2A\r\n940\r\nABNANL2A\r\n:20:ABN\r\n', /MT940/],
  ['EDIFACT', "UNA:+.? 'UNB+UNOC:3+BANK+YOU+261120:1200+1'", /EDIFACT/],
  ['BAI2', '01,0004,12345,261120,0829,001,80,1,2/\n', /BAI2/],
  ['JSON', '{"transactions": []}', /JSON/],
  ['CSV', '\uFEFF"Buchungstag";"Betrag";"Name"\n20.11.26;1,00;X\n', /CSV/],
  ['tabs', '1234567\tEUR\t20261120\t1,00\n', /CSV/],
])('%s is refused with words that help', async (_what, content, message) => {
  const refusal = await refusalOf(Buffer.from(content));
  expect(refusal.code).toBe('statement_unsupported');
  expect(refusal.message).toMatch(message);
});

test.each([
  ['camt.086.001.04', 'BkSvcsBllgStmt', /camt\.086 is a bill of the bank's services/],
  ['pain.008.001.08', 'CstmrDrctDbtInitn', /pain\.008 is a file of direct debits/],
  ['camt.029.001.09', 'RsltnOfInvstgtn', /camt\.029 is the answer to an investigation/],
  ['pain.001.001.09', 'CstmrCdtTrfInitn', /pain\.001 is a payment file/],
  ['pacs.008.001.08', 'FIToFICstmrCdtTrf', /pacs\.008 is a message between banks/],
  ['pain.002.001.02', 'CstmrPmtStsRpt', /pain\.002 \(payment status report\), versions 001\.03/],
  ['auth.001.001.01', 'InfReqOpng', /not supported\W.*Supported are/],
])('%s is refused by what it is', async (id, root, message) => {
  const refusal = await refusalOf(`<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${id}"><${root}/></Document>`);
  expect(refusal.code).toBe('statement_unsupported');
  expect(refusal.message).toMatch(message);
});
