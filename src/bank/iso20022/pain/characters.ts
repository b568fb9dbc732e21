/**
 * The characters that every SEPA bank takes (EPC217-08, SEPA Requirements for an Extended Character Set): Latin letters,
 * digits, space and `/ - ? : ( ) . , ' +`.
 */
const allowed = /^[A-Za-z0-9/\-?:().,'+ ]$/;

/** What has no such character under an accent, letter by letter. Greek and Cyrillic as EPC217-08 maps them. */
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
 * A text in those characters, at most `max` long: accents go, letters of other alphabets are transliterated, and what has
 * no counterpart becomes a dot. Empty when no letter or digit is left.
 */
export function sepaText(text: string, max: number): string {
  const plain = Array.from(text.normalize('NFC'), substitute).join('');
  const line = plain.replace(/ +/g, ' ').trim().slice(0, max).trimEnd();
  return /[A-Za-z0-9]/.test(line) ? line : '';
}

/** Whether a text is in those characters as it stands, and keeps to the rules for references: `/` neither at an end nor doubled. */
export function isSepaReference(text: string): boolean {
  return Array.from(text).every((character) => allowed.test(character)) && !/^\/|\/$|\/\//.test(text) && text === text.trim();
}

function substitute(character: string): string {
  if (allowed.test(character)) return character;
  if (/\s|\p{Cc}|\p{Cf}/u.test(character)) return ' ';
  const known = substitutes.get(character);
  if (known !== undefined) return known;
  const base = character.normalize('NFKD').replace(/\p{M}/gu, '');
  if (base === '') return '';
  if (base !== character) return Array.from(base, substitute).join('');
  return '.';
}

function pairs(characters: string, replacements: string): [string, string][] {
  const words = replacements.split(' ');
  return Array.from(characters, (character, index) => [character, words[index] ?? '.']);
}
