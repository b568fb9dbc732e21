import { isValidIBAN } from 'ibantools';
import type { Currency } from '../platform/money.ts';
import { addressLengths, addressLines, type AddressPart, type PostalAddress } from '../platform/settings/postal-address.ts';
import { amountProblem } from './iso20022/pain/amount.ts';
import { maxLengths, transliterated } from './iso20022/pain/characters.ts';
import { reasonText } from './iso20022/pain/reasons.ts';
import { hasWrongCheckDigits } from './iso20022/creditor-reference.ts';
import type { BankTerms, PaymentFacts, PaymentProblem } from './payment-problem.ts';

/** How the field is called in a reason for people; of an IBAN and a currency the reason shows the value. */
const subjects = { amount: 'the amount', creditorName: "the payee's name", remittance: 'the memo', structuredReference: 'the reference' };

/**
 * Everything that prevents a payment from being carried to an account at a bank, at most one problem for each field: the rules of the
 * credit transfers that rails send, which are SEPA's in euro and those of the bank's own schemes in other currencies. They are asked before
 * tokens are burned for a payout, and by the rail again.
 */
export function paymentProblems(payment: PaymentFacts, terms: BankTerms): PaymentProblem[] {
  const problems = [accountProblem(payment), amountProblem(payment.amount, payment.currency, terms.paymentLimits)];
  problems.push(...missingParts(payment, terms));
  if (payment.kind === 'payout')
    problems.push(fieldProblem('creditorName', payment.creditorName), remittanceProblem(payment), ...addressProblems(payment));
  return problems.filter((problem) => problem !== undefined);
}

/** Why a rail refuses a payment, with the status reason code, such as `AC01 incorrect account number: …`; `undefined` when it takes it. */
export function refusalOfPayment(payment: PaymentFacts, terms: BankTerms): string | undefined {
  const [problem] = paymentProblems(payment, terms);
  if (problem === undefined) return undefined;
  const { field, code, text } = problem;
  const values: Record<string, string> = {
    ...subjects,
    creditorIban: payment.creditorIban || 'the IBAN of the payee',
    currency: payment.currency.toUpperCase(),
  };
  const subject = values[field] ?? `${field.slice('creditorAddress.'.length)} of the payee's address`;
  return reasonText({ code, text: `${subject} ${text}` });
}

function accountProblem({ creditorIban: iban, currency }: PaymentFacts): PaymentProblem | undefined {
  const field = 'creditorIban';
  if (iban === '') return { field, code: 'AC01', text: 'is missing' };
  // A QR-IBAN is valid too; whether it can receive the payment is decided by its bank.
  if (!isValidIBAN(iban, { allowQRIBAN: true })) return { field, code: 'AC01', text: 'is not a valid IBAN' };
  const country = iban.slice(0, 2);
  if (currency !== 'eur' || isSepaCountry(country)) return undefined;
  return { field, code: 'AG03', text: `cannot receive euro: ${country} is not in SEPA` };
}

/** What the address lacks of that which the bank needs. */
function missingParts({ creditorAddress, currency }: PaymentFacts, terms: BankTerms): PaymentProblem[] {
  return missingAddressParts(creditorAddress, currency, terms).map((part) => ({
    field: `creditorAddress.${part}`,
    code: 'BE04',
    text: `is required in a payment of ${currency.toUpperCase()}`,
  }));
}

/** The parts that an address lacks of those which the bank needs in payments of a currency. */
export function missingAddressParts(address: PostalAddress | null, currency: string, { addressParts }: BankTerms): AddressPart[] {
  return (addressParts[currency as Currency] ?? []).filter((part) => address?.[part] === undefined);
}

/** What of the address cannot be transmitted. */
function addressProblems({ creditorAddress: address }: PaymentFacts): PaymentProblem[] {
  const parts = Object.entries(addressLengths) as [keyof typeof addressLengths, number][];
  const texts = parts.map(([part, length]) => ({ part, problem: textProblem(address?.[part] ?? '', length) }));
  const lines = address?.lines?.map((line) => textProblem(line, addressLines.length)).filter((problem) => problem !== undefined);
  return [...texts, { part: 'lines' as const, problem: lines?.[0] }].flatMap(({ part, problem }) =>
    problem === undefined ? [] : [{ field: `creditorAddress.${part}` as const, ...problem }],
  );
}

/** A payment carries the reference or else the text, never both. */
function remittanceProblem({ structuredReference, remittance }: PaymentFacts): PaymentProblem | undefined {
  const reference = structuredReference?.trim() ?? '';
  if (hasWrongCheckDigits(reference))
    return { field: 'structuredReference', code: 'CH16', text: 'has wrong check digits for a creditor reference (ISO 11649)' };
  return reference === '' ? fieldProblem('remittance', remittance ?? '') : fieldProblem('structuredReference', reference);
}

function fieldProblem(field: 'creditorName' | 'remittance' | 'structuredReference', text: string): PaymentProblem | undefined {
  const problem = textProblem(text, field === 'creditorName' ? maxLengths.name : maxLengths.remittance);
  return problem && { field, ...problem };
}

/** A missing text is no problem of its characters. */
function textProblem(text: string, maxLength: number): Pick<PaymentProblem, 'code' | 'text'> | undefined {
  if (text.trim() === '') return undefined;
  if (text.includes('\uFFFD')) return { code: 'RR10', text: 'contains U+FFFD, which stands for a character that was lost before' };
  const line = transliterated(text);
  if (!/[A-Za-z0-9]/.test(line)) return { code: 'RR10', text: 'has no letter or digit that banks can transmit: Latin, Greek or Cyrillic' };
  if (line.length <= maxLength) return undefined;
  return { code: 'CH16', text: `is ${line.length} characters long as banks transmit it, in Latin letters, and at most ${maxLength} fit` };
}

/**
 * Country codes of IBANs in SEPA: the EPC List of SEPA Scheme Countries (EPC409-09), as in force since Serbia joined in May 2025.
 *
 * Territories share the code of their country: GB has Jersey, Guernsey and the Isle of Man; FR has French Guiana, Guadeloupe, Martinique,
 * Mayotte, Réunion, Saint Barthélemy, Saint Martin and Saint Pierre and Miquelon; FI, ES and PT have their islands. Greenland (GL) and the
 * Faroe Islands (FO) are not in SEPA, though Denmark is.
 */
const sepaCountries = new Set(
  // The European Union; the European Economic Area and others in and around it; those that joined from November 2024 to May 2025.
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK IS LI NO AD CH GB GI MC SM VA AL MD ME MK RS'.split(
    ' ',
  ),
);

/** Whether SEPA credit transfers reach accounts with this country code in their IBAN. */
export function isSepaCountry(country: string): boolean {
  return sepaCountries.has(country);
}
