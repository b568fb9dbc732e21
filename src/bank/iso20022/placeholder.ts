import { collapsed } from './xml/element.ts';

/** What banks write into a mandatory reference when there is none (EPC: `NOTPROVIDED`; SWIFT: `NONREF`; the rest is in use). */
const noReference =
  /^(?:NOTPROVIDED|NOTAVAILABLE|NOTAPPLICABLE|NOTSPECIFIED|NONREF|NOREF|NOREFERENCE|NONE|NA|NULL|UNKNOWN|UNDEFINED|0*|X*)$/;

/** A name may be short (`Na`, `X`): only the standard's own words say that there is none. */
const noName = /^(?:NOTPROVIDED|NOTAVAILABLE|UNKNOWN|)$/;

/** A reference that stands for something; `undefined` for none and for a word that says so. */
export function realReference(text: string | undefined): string | undefined {
  return unless(noReference, text);
}

/** A name that is one; `undefined` for none and for a word that says so. */
export function realName(text: string | undefined): string | undefined {
  return unless(noName, text);
}

function unless(placeholder: RegExp, text: string | undefined): string | undefined {
  const line = collapsed(text);
  // Only punctuation is dropped: a name in Greek letters is one.
  return line === undefined || placeholder.test(line.toUpperCase().replace(/[\s\p{P}\p{S}]/gu, '')) ? undefined : line;
}
