import { isValidIBAN } from 'ibantools';

/** Why money cannot be sent to an account at all, as a bank would say it; `undefined` when it can. */
export function payeeProblem(iban: string): string | undefined {
  // A QR-IBAN is one, and whether a payment may go to it is for its bank to say.
  if (isValidIBAN(iban, { allowQRIBAN: true })) return undefined;
  return `AC01 incorrect account number: ${iban === '' ? 'the IBAN of the payee is missing' : `${iban} is not a valid IBAN`}`;
}
