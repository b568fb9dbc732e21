/**
 * Whether a text is a creditor reference of ISO 11649, in electronic form (capitals, no spaces): `RF`, two check digits
 * and up to 21 characters, which with `RFnn` moved to the end make 1 modulo 97.
 */
export function isCreditorReference(reference: string): boolean {
  if (!/^RF\d{2}[A-Z0-9]{1,21}$/.test(reference)) return false;
  const digits = Array.from(reference.slice(4) + reference.slice(0, 4), (character) => Number.parseInt(character, 36)).join('');
  return BigInt(digits) % 97n === 1n;
}

/** Whether a text, spaces aside and in any case, has the form of a creditor reference of ISO 11649 and not its check digits. */
export function hasWrongCheckDigits(text: string): boolean {
  const reference = text.replace(/\s/g, '').toUpperCase();
  return /^RF\d{2}[A-Z0-9]{1,21}$/.test(reference) && !isCreditorReference(reference);
}
