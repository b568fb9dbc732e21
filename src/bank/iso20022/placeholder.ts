import { collapseWhiteSpace } from './xml/element.ts';

/** What banks write into a mandatory reference when there is none: EPC's `NOTPROVIDED`, SWIFT's `NONREF`, and words seen in use. */
const noReference =
  /^(?:NOTPROVIDED|NOTAVAILABLE|NOTAPPLICABLE|NOTSPECIFIED|NONREF|NOREF|NOREFERENCE|NONE|NA|NULL|UNKNOWN|UNDEFINED|0*|X*)$/;

/** A name may be as short as `Na` or `X`, so only the standards' own words count as none. */
const noName = /^(?:NOTPROVIDED|NOTAVAILABLE|UNKNOWN|)$/;

/** A reference on one line; `undefined` when it is missing or a placeholder. */
export function realReference(text: string | undefined): string | undefined {
  return unlessPlaceholder(text, noReference);
}

/** A name on one line; `undefined` when it is missing or a placeholder. */
export function realName(text: string | undefined): string | undefined {
  return unlessPlaceholder(text, noName);
}

function unlessPlaceholder(text: string | undefined, placeholder: RegExp): string | undefined {
  const line = collapseWhiteSpace(text);
  if (line === undefined) return undefined;
  // Only punctuation and symbols are dropped: letters of any alphabet make a name.
  const letters = line.toUpperCase().replace(/[\s\p{P}\p{S}]/gu, '');
  return placeholder.test(letters) ? undefined : line;
}
