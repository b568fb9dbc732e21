/**
 * Whether a payer has the name of the holder whose account is credited: the same words, in any order, whatever their case, accents and punctuation. A payer
 * whom the bank does not name has not.
 */
export function isSameName(payer: string | undefined, holder: string | null): boolean {
  const [first, second] = [wordsOf(payer ?? ''), wordsOf(holder ?? '')];
  return first !== '' && first === second;
}

function wordsOf(name: string): string {
  const letters = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return letters
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .toSorted()
    .join(' ');
}
