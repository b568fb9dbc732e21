/** In electronic form: capitals, no spaces. */
const form = /^RF\d{2}[A-Z0-9]{1,21}$/;

/**
 * Whether a text is a creditor reference of ISO 11649, in electronic form: `RF`, two check digits
 * and up to 21 characters, which with `RFnn` moved to the end make 1 modulo 97.
 */
export function isCreditorReference(reference: string): boolean {
  if (!form.test(reference)) return false;
  const digits = Array.from(reference.slice(4) + reference.slice(0, 4), (character) => Number.parseInt(character, 36)).join('');
  return BigInt(digits) % 97n === 1n;
}

/** Whether a text, spaces aside and in any case, has the form of a creditor reference of ISO 11649 and not its check digits. */
export function hasWrongCheckDigits(text: string): boolean {
  const reference = text.replace(/\s/g, '').toUpperCase();
  return form.test(reference) && !isCreditorReference(reference);
}

/**
 * A reference that the payee's country defines, by its check digits: the structured communication of Belgium (OGM/VCS), the reference
 * number of Finland (viitenumero), and the customer identification of Norway (KID). Undefined for any other, and for one of fewer than
 * four digits: an ordinary number has their check digit by chance. `issuer` is who defines it (`Issr`), where a bank expects that.
 */
export function nationalReference(text: string, payeeIban: string): { value: string; issuer?: string } | undefined {
  const country = payeeIban.slice(0, 2);
  // Belgium's stands between signs; elsewhere they make a text of it, such as a month.
  const digits = text.replace(country === 'BE' ? /[\s+*/]/g : /\s/g, '');
  if (!/^\d{4,25}$/.test(digits)) return undefined;
  if (country === 'BE' && isBelgian(digits)) return { value: digits, issuer: 'BBA' };
  if (country === 'FI' && isFinnish(digits)) return { value: digits };
  return country === 'NO' && isNorwegian(digits) ? { value: digits } : undefined;
}

/** Ten digits, and their remainder modulo 97, or 97 for none. */
function isBelgian(digits: string): boolean {
  return digits.length === 12 && (Number(digits.slice(0, 10)) % 97 || 97) === Number(digits.slice(10));
}

/** Weights 7, 3, 1 from the right; the check digit makes the sum a multiple of ten. */
function isFinnish(digits: string): boolean {
  if (digits.length > 20) return false;
  const weights = [7, 3, 1];
  const sum = Array.from(digits.slice(0, -1))
    .toReversed()
    .reduce((all, digit, index) => all + Number(digit) * (weights[index % 3] as number), 0);
  return (10 - (sum % 10)) % 10 === Number(digits.at(-1));
}

/** Modulo 10 (Luhn) or modulo 11 with weights 2 to 7. */
function isNorwegian(digits: string): boolean {
  const body = Array.from(digits.slice(0, -1), Number).toReversed();
  const luhn = body.reduce((all, digit, index) => {
    const value = index % 2 === 0 ? digit * 2 : digit;
    return all + (value > 9 ? value - 9 : value);
  }, 0);
  const eleven = (11 - (body.reduce((all, digit, index) => all + digit * ((index % 6) + 2), 0) % 11)) % 11;
  const check = Number(digits.at(-1));
  return (10 - (luhn % 10)) % 10 === check || eleven === check;
}
