/**
 * Bounds on the memory that one file can take. Each is far above what banks send: only a damaged or hostile file
 * exceeds one.
 */

/** Elements nested in each other. The schema of camt.053.001.08 nests 15 deep; envelopes add a few. */
export const maxDepth = 64;

/** Attributes of one element. In the messages no element has more than one; envelopes declare a handful of namespaces. */
export const maxAttributes = 64;

/**
 * Characters between two XML events, that is in one text, comment, tag or declaration. The longest text of an entry is a
 * proxy of 2,048 characters; comments, and the base64 of a signature in an envelope, can be longer.
 */
export const maxTokenCharacters = 128 * 1024;

/** Characters handed to the parser at once: an exceeded limit is noticed at most one piece late, whatever chunks arrive. */
export const pieceCharacters = 16 * 1024;

/** Headers of one name: more than a statement has balances, which are types times currencies. */
export const maxHeaders = 200;

/** Elements of one entry: 10,000 transactions of 60 elements. One takes about 120 bytes, so that is 70 MB at most. */
export const maxEntryElements = 600_000;

/** Characters of text in one entry: 10,000 transactions of 1,600 characters. */
export const maxEntryCharacters = 16_000_000;
