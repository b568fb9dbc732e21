/** An e-mail address. The lengths are bounded, so that a long text without any is read in linear time. */
const emailAddress = /(?<![\p{L}\p{N}_.+-])[\p{L}\p{N}_.+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,6}/gu;

/** What may be an IBAN: two letters, two digits and 11 to 30 characters (ISO 13616), in one piece or in groups of four. */
const ibanShaped =
  /(?<![A-Za-z0-9])[A-Za-z]{2}[0-9]{2}(?:[A-Za-z0-9]{11,30}|(?: [A-Za-z0-9]{4}){2,7}(?: [A-Za-z0-9]{1,3})?)(?![A-Za-z0-9])/g;

/** An account that is no IBAN, as the reader of statements names it (src/bank/iso20022/camt/incoming-money.ts). */
const otherAccount = /\baccount ((?!0x)\S{1,70})(?= is not an IBAN| names an IBAN)/g;

/**
 * A text without e-mail addresses and accounts: of an IBAN four characters remain at each end, by which an operator who has it finds the line.
 * Names and postal addresses have no form by which a text could be searched, so they are never put into one that is logged.
 */
export function withoutPersonalData(text: string): string {
  return text
    .replaceAll(emailAddress, '[e-mail address]')
    .replaceAll(ibanShaped, (text) => (mayBeIban(text) ? masked(text.replaceAll(' ', '')) : text))
    .replaceAll(otherAccount, (_, account: string) => `account ${masked(account)}`);
}

function masked(account: string): string {
  return account.length < 12 ? `…${account.slice(-2)}` : `${account.slice(0, 4)}…${account.slice(-4)}`;
}

/** In capitals and without spaces it is masked even with wrong check digits, as a typing error leaves them. Anything else may be an ordinary word. */
function mayBeIban(text: string): boolean {
  return /^[A-Z0-9]+$/.test(text) || hasCheckDigits(text.replaceAll(' ', '').toUpperCase());
}

/** ISO 7064, mod 97-10. */
function hasCheckDigits(iban: string): boolean {
  const digits = `${iban.slice(4)}${iban.slice(0, 4)}`.replaceAll(/[A-Z]/g, (letter) => Number.parseInt(letter, 36).toString());
  return BigInt(digits) % 97n === 1n;
}
