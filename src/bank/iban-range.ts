import { composeIBAN, getCountrySpecifications, isValidIBAN } from 'ibantools';
import { StopError } from '../platform/errors.ts';

/** The country code and the first characters of the account part, which all of the operator's IBANs share. */
interface IbanRangeSettings {
  bankIbanCountry?: string | undefined;
  bankIbanPrefix?: string | undefined;
}

/**
 * SEPA countries in which the account part of an IBAN (BBAN) has no check digits of its own, so that a prefix and a
 * running number make a valid account. In the others, such as Belgium, Spain, France or Italy, national check digits
 * follow rules of their own.
 */
export const supportedCountries = ['AD', 'AT', 'BG', 'CH', 'CY', 'DE', 'GI', 'GR', 'IE', 'IS', 'LI', 'LT', 'LU', 'LV', 'MT', 'RO'];

/** Fewer digits for the account number mean that the prefix is mistyped. */
const minNumberDigits = 4;

/** The range of IBANs with a country and a prefix of the account part. Throws `invalid_settings` when they make no valid IBAN. */
export function createIbanRange({ bankIbanCountry: country, bankIbanPrefix: prefix }: IbanRangeSettings) {
  if (country === undefined) throw invalidRange('BANK_IBAN_COUNTRY', 'must be set to assign IBANs');
  if (prefix === undefined) throw invalidRange('BANK_IBAN_PREFIX', 'must be set to assign IBANs');
  if (!supportedCountries.includes(country))
    throw invalidRange('BANK_IBAN_COUNTRY', `IBANs can be assigned in ${supportedCountries.join(', ')}; "${country}" is not one of them`);
  const accountLength = (getCountrySpecifications()[country]?.chars ?? 0) - 4;
  const digits = accountLength - prefix.length;
  if (digits < minNumberDigits) {
    const room = `an ${country} IBAN has room for a prefix of at most ${accountLength - minNumberDigits} characters`;
    throw invalidRange('BANK_IBAN_PREFIX', `"${prefix}" leaves ${Math.max(digits, 0)} digits for the account number: ${room}`);
  }
  const size = 10n ** BigInt(digits) - 1n;
  /** The IBAN with a number from 1 to `size`. Throws `not_possible` for a larger one. */
  const compose = (number: bigint): string => {
    if (number < 1n || number > size) {
      const message = `The IBAN range ${country}.. ${prefix} holds ${size} accounts and has none left: set a new BANK_IBAN_PREFIX`;
      throw new StopError({ code: 'not_possible', message });
    }
    const iban = composeIBAN({ countryCode: country, bban: prefix + number.toString().padStart(digits, '0') });
    if (iban !== null && isValidIBAN(iban, { allowQRIBAN: true })) return iban;
    const problem = `"${prefix}" cannot begin the account part of an ${country} IBAN: the bank code there has another form`;
    throw invalidRange('BANK_IBAN_PREFIX', problem);
  };
  // A prefix of the wrong form for the country shows at the first or the last account.
  compose(1n);
  compose(size);
  return { size, compose };
}

function invalidRange(setting: string, message: string): StopError {
  return new StopError({ code: 'invalid_settings', message: `${setting}: ${message}`, fields: { [setting]: message } });
}
