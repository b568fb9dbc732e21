/**
 * Characters by which a text can seem to be another: control characters (C0, DEL, C1), which a terminal obeys, line and paragraph separators, and
 * the characters that change the direction of what follows (Unicode, UAX 9).
 */
export const deceptiveCharacters = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** What is wrong with a name that has {@link deceptiveCharacters}. */
export const deceptiveProblem = 'must not contain control characters, nor ones that change the direction of text';
