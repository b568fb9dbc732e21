import { describe, expect, test } from 'vitest';
import { isNumberOfIban } from '../../../../src/bank/iso20022/camt/party.ts';
import { credits, outcomes, readSpec } from './reading.ts';
import { masterIban, virtualIban } from './statement-xml.ts';

const other = (id: string) => `<Id><Othr><Id>${id}</Id></Othr></Id>`;
const withCreditor = (account: string) => ({ transactions: [{ parties: `<CdtrAcct>${account}</CdtrAcct>` }] });

describe('accounts', () => {
  test.each([
    ['IBAN in print form', `<Id><IBAN>nl26 vayb 8060 4768 90</IBAN></Id>`, 'credit'],
    ['IBAN as another identification', other('NL26 VAYB 8060 4768 90'), 'credit'],
    ['domestic number', other('8060476890'), 'iban_missing'],
    ['invalid IBAN', '<Id><IBAN>NL27VAYB8060476890</IBAN></Id>', 'iban_invalid'],
    ['alias without an identification', '<Prxy><Id>+41 79 123 45 67</Id></Prxy>', 'iban_missing'],
  ])('a statement whose account is an %s', async (_name, account, outcome) => {
    const items = await readSpec({ account, entries: [{}] });
    expect(outcomes(items)).toEqual([outcome]);
    if (outcome === 'credit') expect(credits(items)[0]?.iban).toBe(masterIban);
  });

  test.each([
    ['an IBAN as another identification', other(virtualIban), virtualIban],
    ['the domestic number of the statement account', other('0008060476890'), masterIban],
    ['a placeholder', other('NOTPROVIDED'), masterIban],
  ])('a creditor account that is %s', async (_name, account, iban) => {
    expect(credits(await readSpec({ entries: [withCreditor(account)] })).map((credit) => credit.iban)).toEqual([iban]);
  });

  // 6047, 80604 and 76890 also stand in the statement's IBAN.
  test.each(['4711', '6047', '80604', '76890', '9619008421'])('a creditor account %s that is no IBAN is not passed over', async (id) => {
    expect(outcomes(await readSpec({ entries: [withCreditor(other(id))] }))).toEqual(['account_not_iban']);
  });
});

test.each([
  ['the account', 'NL26VAYB8060476890', '8060476890'],
  ['the BBAN', 'NL26VAYB8060476890', 'VAYB8060476890'],
  ['the account without leading zeros', 'DE89370400440532013000', '532013000'],
  ['bank and account', 'DE89370400440532013000', '370400440532013000'],
  ['the account behind the sort code', 'GB29NWBK60161331926819', '31926819'],
  ['sort code and account', 'GB29NWBK60161331926819', '60-16-13 31926819'],
  ['the account without its key', 'FR1420041010050500013M02606', '0500013M026'],
  ['account and key', 'FR1420041010050500013M02606', '0500013M02606'],
  ['check digits and BBAN', 'PL61109010140000071219812874', '61109010140000071219812874'],
])('a domestic number that is %s names the IBAN', (_name, iban, number) => {
  expect(isNumberOfIban(number, iban)).toBe(true);
});

test.each([
  ['a part of the account', 'DE89370400440532013000', '32013000'],
  ['the bank', 'DE89370400440532013000', '37040044'],
  ['the sort code', 'GB29NWBK60161331926819', '601613'],
  ['a part of what is no IBAN', '12345678901', '5678901'],
  ['nothing but zeros', 'DE89370400440532013000', '00000'],
])('a domestic number that is %s does not', (_name, iban, number) => {
  expect(isNumberOfIban(number, iban)).toBe(false);
});
