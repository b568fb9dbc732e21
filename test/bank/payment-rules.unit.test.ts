import { describe, expect, it } from 'vitest';
import type { BankTerms } from '../../src/bank/payment-problem.ts';
import { paymentProblems, refusalOfPayment } from '../../src/bank/payment-rules.ts';
import { minorUnits } from '../../src/platform/money.ts';
import { payment } from './iso20022/pain/payments.ts';

const problems = (more: Parameters<typeof payment>[0], terms: Partial<BankTerms> = {}) =>
  paymentProblems(payment(more), { paymentLimits: {}, addressParts: {}, ...terms }).map(({ field, text }) => [field, text]);

const turkish = 'TR330006100519786457841326';

const lacking = (parts: string[]) => parts.map((part) => [`creditorAddress.${part}`, 'is required in a payment of USD']);

describe('a payment that cannot be carried', () => {
  it.each<[string, Parameters<typeof payment>[0], string, string]>([
    ['a currency without a scheme', { currency: 'chf' }, 'currency', 'cannot be paid'],
    ['nothing', { amount: minorUnits(0n) }, 'amount', 'must be greater than zero'],
    ['more than SEPA allows', { amount: minorUnits(100_000_000_000n) }, 'amount', 'must be at most 999999999.99 EUR in a payment'],
    ['a fraction of a króna', { currency: 'isk', amount: minorUnits(1050n) }, 'amount', 'must be whole in a payment: ISK has no decimals'],
    ['no account', { creditorIban: '' }, 'creditorIban', 'is missing'],
    ['an IBAN that is none', { creditorIban: 'DE00370400440532013000' }, 'creditorIban', 'is not a valid IBAN'],
    ['euro outside SEPA', { creditorIban: turkish }, 'creditorIban', 'cannot receive euro: TR is not in SEPA'],
    ['euro to Greenland', { creditorIban: 'GL8964710001000206' }, 'creditorIban', 'cannot receive euro: GL is not in SEPA'],
    [
      'a Chinese name',
      { creditorName: '王小明' },
      'creditorName',
      'has no letter or digit that banks can transmit: Latin, Greek or Cyrillic',
    ],
    [
      'a long name',
      { creditorName: 'Щ'.repeat(30) },
      'creditorName',
      'is 90 characters long as banks transmit it, in Latin letters, and at most 70 fit',
    ],
    [
      'a memo of pictures',
      { remittance: '🏠🏠🏠🏠🏠' },
      'remittance',
      'has no letter or digit that banks can transmit: Latin, Greek or Cyrillic',
    ],
    [
      'a long memo',
      { remittance: '€'.repeat(50) },
      'remittance',
      'is 150 characters long as banks transmit it, in Latin letters, and at most 140 fit',
    ],
    [
      'a damaged name',
      { creditorName: 'J\uFFFDrg Müller' },
      'creditorName',
      'contains U+FFFD, which stands for a character that was lost before',
    ],
    [
      'a reference of pictures',
      { structuredReference: '🏠' },
      'structuredReference',
      'has no letter or digit that banks can transmit: Latin, Greek or Cyrillic',
    ],
    [
      'a wrong reference',
      { structuredReference: 'rf19 5390 0754 7034' },
      'structuredReference',
      'has wrong check digits for a creditor reference (ISO 11649)',
    ],
  ])('%s', (_what, more, field, text) => expect(problems(more)).toEqual([[field, text]]));

  it('has all its problems, one for each field', () =>
    expect(
      problems({ creditorIban: turkish, amount: minorUnits(0n), creditorName: '王', remittance: '王' }).map(([field]) => field),
    ).toEqual(['creditorIban', 'amount', 'creditorName', 'remittance']));

  it('exceeds what the bank carries', () => {
    const paymentLimits = { gbp: minorUnits(100_000_000n), eur: minorUnits(10n ** 15n) };
    expect(problems({ currency: 'gbp', amount: minorUnits(100_000_001n) }, { paymentLimits })).toEqual([
      ['amount', 'must be at most 1000000.00 GBP in a payment'],
    ]);
    expect(problems({ currency: 'gbp', amount: minorUnits(100_000_000n) }, { paymentLimits })).toEqual([]);
    expect(problems({ amount: minorUnits(100_000_000_000n) }, { paymentLimits })).toHaveLength(1);
  });

  it('lacks what the bank needs of an address, by each part', () => {
    const terms = { addressParts: { usd: ['city', 'country', 'street'] } } as const;
    const creditorAddress = { city: 'Boston', country: 'US' };
    expect(problems({ currency: 'usd' }, terms)).toEqual(lacking(['city', 'country', 'street']));
    expect(problems({ currency: 'usd', creditorAddress }, terms)).toEqual(lacking(['street']));
    expect(problems({ currency: 'usd', creditorAddress: { ...creditorAddress, street: 'Main Street' } }, terms)).toEqual([]);
    expect(problems({ currency: 'gbp' }, terms)).toEqual([]);
    expect(problems({ currency: 'usd', kind: 'return', creditorAddress }, terms)).toEqual(lacking(['street']));
  });

  it('has an address that banks cannot transmit', () =>
    expect(problems({ creditorAddress: { city: '北京', country: 'CN', postalCode: '€€€€€€', lines: ['Hof 1', '🏠'] } })).toEqual([
      ['creditorAddress.postalCode', 'is 18 characters long as banks transmit it, in Latin letters, and at most 16 fit'],
      ['creditorAddress.city', 'has no letter or digit that banks can transmit: Latin, Greek or Cyrillic'],
      ['creditorAddress.lines', 'has no letter or digit that banks can transmit: Latin, Greek or Cyrillic'],
    ]));

  it('is refused with a reason of the bank’s code set', () => {
    const terms = { paymentLimits: {}, addressParts: { usd: ['city'] } } as const;
    expect(refusalOfPayment(payment({ currency: 'usd' }), terms)).toBe(
      "BE04 missing creditor address: city of the payee's address is required in a payment of USD",
    );
    expect(refusalOfPayment(payment({ creditorName: '王' }), terms)).toMatch(/^RR10 invalid character set: the payee's name has no letter/);
    expect(refusalOfPayment(payment({ creditorIban: '' }), terms)).toBe('AC01 incorrect account number: the IBAN of the payee is missing');
  });
});

describe('a payment that can be carried', () => {
  it.each<[string, Parameters<typeof payment>[0]]>([
    ['the most that SEPA allows', { amount: minorUnits(99_999_999_999n) }],
    ['whole krónur', { currency: 'isk', amount: minorUnits(1000n) }],
    ['pounds outside SEPA', { currency: 'gbp', creditorIban: turkish }],
    ['a country that joined SEPA lately', { creditorIban: 'RS35260005601001611379' }],
    ['Gibraltar', { creditorIban: 'GI75NWBK000000007099453' }],
    ['accents and Greek', { creditorName: 'Zoë Παπαδοπούλου', remittance: 'Ενοίκιο für Mai €' }],
    ['a name with something that becomes a dot', { creditorName: '王 Wei' }],
    ['a right reference', { structuredReference: 'RF18 5390 0754 7034', remittance: null }],
    ['a reference that only begins like one of ISO 11649', { structuredReference: 'RFQ-2026/11' }],
    ['a reference instead of a memo', { structuredReference: 'A-1', remittance: '🏠'.repeat(200) }],
    ['a return whose texts are cut', { kind: 'return', creditorName: 'x'.repeat(140), remittance: 'x'.repeat(200) }],
    ['a return to a payer without a name', { kind: 'return', creditorName: '' }],
  ])('%s', (_what, more) => expect(problems(more)).toEqual([]));
});
