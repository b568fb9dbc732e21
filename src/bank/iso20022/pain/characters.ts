/**
 * The characters that every SEPA bank accepts (EPC217-08, SEPA Requirements for an Extended Character Set): Latin
 * letters, digits, space and `/ - ? : ( ) . , ' +`.
 */
const sepaCharacter = /^[A-Za-z0-9/\-?:().,'+ ]$/;

/** Of a name in SEPA (EPC132-08; the schemas allow 140), and of unstructured remittance information (`Max140Text`). */
export const maxLengths = { name: 70, remittance: 140 };

/** Replacements for characters that are more than a SEPA character with an accent. Greek and Cyrillic as in EPC217-08. */
const substitutes = new Map<string, string>([
  ...pairs('ßÆæŒœØøÞþÐðĐđŁłı', 'ss Ae ae Oe oe O o Th th D d D d L l i'),
  ...pairs('αβγδεζηθικλμνξοπρσςτυφχψω', 'a v g d e z i th i k l m n x o p r s s t y f ch ps o'),
  ...pairs('ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ', 'A V G D E Z I Th I K L M N X O P R S T Y F Ch Ps O'),
  ...pairs('абвгдежзиклмнопрстуфхцчшщъыьэюя', 'a b v g d e zh z i k l m n o p r s t u f h ts ch sh sht a y y e yu ya'),
  ...pairs('АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ', 'A B V G D E Zh Z I K L M N O P R S T U F H Ts Ch Sh Sht A Y Y E Yu Ya'),
  ...pairs('&@_€"“”„«»‘’`´', "+ (at) - EUR ' ' ' ' ' ' ' ' ' '"),
  ...pairs('–—‒−⁄\\|[]{}<>;!~', '- - - - / / / ( ) ( ) ( ) , . -'),
]);

/**
 * A text in SEPA characters, at most `maxLength` long: accents are dropped, letters of other alphabets transliterated,
 * and characters without a counterpart become a dot. Empty when no letter or digit is left.
 */
export function sepaText(text: string, maxLength: number): string {
  const line = transliterated(text).slice(0, maxLength).trimEnd();
  return /[A-Za-z0-9]/.test(line) ? line : '';
}

/** A text in SEPA characters, as {@link sepaText} writes it, in full. */
export function transliterated(text: string): string {
  const plain = Array.from(text.normalize('NFC'), substitute).join('');
  return plain.replace(/ +/g, ' ').trim();
}

function substitute(character: string): string {
  if (sepaCharacter.test(character)) return character;
  if (/\s|\p{Cc}|\p{Cf}/u.test(character)) return ' ';
  const replacement = substitutes.get(character);
  if (replacement !== undefined) return replacement;
  const base = character.normalize('NFKD').replace(/\p{M}/gu, '');
  if (base === '') return '';
  if (base !== character) return Array.from(base, substitute).join('');
  return '.';
}

/** Each character with the word at its position. */
function pairs(characters: string, words: string): [string, string][] {
  const replacements = words.split(' ');
  return Array.from(characters, (character, index) => [character, replacements[index] ?? '.']);
}
