import { composeIBAN, getCountrySpecifications, isValidIBAN } from 'ibantools';
import { StopError } from '../platform/errors.ts';

/** Makes IBANs of an operator's own range. */
export interface IbanRange {
  /** How many IBANs there are. */
  size: bigint;
  /** The IBAN of a number from 1 to `size`. Throws `iban_range_used_up`. */
  compose: (number: bigint) => string;
}

export interface IbanRangeSettings {
  bankIbanCountry: string;
  bankIbanPrefix: string;
}

/**
 * SEPA countries in which the account part of an IBAN has no check digits of its own, so that a prefix and a running
 * number are a valid account. In the others (such as Belgium, Spain, France or Italy) a bank computes national check
 * digits that no general rule gives.
 */
export const supportedCountries = ['AD', 'AT', 'BG', 'CH', 'CY', 'DE', 'GI', 'GR', 'IE', 'IS', 'LI', 'LT', 'LU', 'LV', 'MT', 'RO'];

/** Fewer accounts than this is a prefix that was typed too long. */
const leastNumberDigits = 4;

/** The range that begins with a country and a prefix. Throws `invalid_iban_range` for settings that cannot make a valid IBAN. */
export function createIbanRange({ bankIbanCountry: country, bankIbanPrefix: prefix }: IbanRangeSettings): IbanRange {
  if (!supportedCountries.includes(country))
    throw impossible('BANK_IBAN_COUNTRY', `IBANs can be assigned in ${supportedCountries.join(', ')}; "${country}" is not one of them`);
  const accountLength = (getCountrySpecifications()[country]?.chars ?? 0) - 4;
  const digits = accountLength - prefix.length;
  if (digits < leastNumberDigits)
    throw impossible(
      'BANK_IBAN_PREFIX',
      `"${prefix}" leaves ${Math.max(digits, 0)} digits for the account number: an ${country} IBAN has room for a prefix of at most ${accountLength - leastNumberDigits} characters`,
    );
  const size = 10n ** BigInt(digits) - 1n;
  const compose = (number: bigint): string => {
    if (number < 1n || number > size)
      throw new StopError({
        code: 'iban_range_used_up',
        message: `The IBAN range ${country}.. ${prefix} holds ${size} accounts and has none left: set a new BANK_IBAN_PREFIX`,
      });
    const iban = composeIBAN({ countryCode: country, bban: prefix + number.toString().padStart(digits, '0') });
    if (iban !== null && isValidIBAN(iban, { allowQRIBAN: true })) return iban;
    throw impossible(
      'BANK_IBAN_PREFIX',
      `"${prefix}" does not begin the account part of an ${country} IBAN: the bank code there has another form`,
    );
  };
  // Whether the prefix has the country's form shows in the first and the last account.
  compose(1n);
  compose(size);
  return { size, compose };
}

function impossible(setting: string, message: string): StopError {
  return new StopError({ code: 'invalid_iban_range', message: `${setting}: ${message}`, fields: { [setting]: message } });
}
