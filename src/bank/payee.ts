import { isValidIBAN } from 'ibantools';

/** Why money cannot be sent to an account, with the bank's status reason code; `undefined` when it can. */
export function payeeProblem(iban: string): string | undefined {
  // A QR-IBAN is valid too; whether it can receive the payment is decided by its bank.
  if (isValidIBAN(iban, { allowQRIBAN: true })) return undefined;
  return `AC01 incorrect account number: ${iban === '' ? 'the IBAN of the payee is missing' : `${iban} is not a valid IBAN`}`;
}
