import { describe, expect, test } from 'vitest';
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

  // 6047 also stands in the statement's IBAN, but is too short to name it.
  test.each(['4711', '6047', '9619008421'])('a creditor account %s that is no IBAN is not passed over', async (id) => {
    expect(outcomes(await readSpec({ entries: [withCreditor(other(id))] }))).toEqual(['account_not_iban']);
  });
});
