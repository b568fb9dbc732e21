import { collapsed } from './element.ts';

/** What banks write into a mandatory reference when there is none (EPC: `NOTPROVIDED`; SWIFT: `NONREF`; the rest is in use). */
const placeholderPattern =
  /^(?:NOTPROVIDED|NOTAVAILABLE|NOTAPPLICABLE|NOTSPECIFIED|NONREF|NOREF|NOREFERENCE|NONE|NA|NULL|UNKNOWN|UNDEFINED|0*|X*)$/;

/** A reference that stands for something; `undefined` for none and for a word that says so. */
export function realReference(text: string | undefined): string | undefined {
  const reference = collapsed(text);
  if (reference === undefined) return undefined;
  return placeholderPattern.test(reference.toUpperCase().replace(/[^A-Z0-9]/g, '')) ? undefined : reference;
}
