/**
 * Bounds of what one file may make us hold in memory. Each is far above what banks send, so that only a damaged or
 * hostile file meets one.
 */

/** The schema of camt.053.001.08 nests 15 deep; envelopes add a few. */
export const maxDepth = 64;

/** No element of the messages we read has more than one attribute; envelopes carry a handful of namespaces. */
export const maxAttributes = 64;

/**
 * Characters without any XML event: one text, comment, tag or declaration. The longest text in an entry is a proxy with
 * 2,048 characters; comments and base64 in an envelope's signature are the reason to be more generous.
 */
export const maxTokenLength = 128 * 1024;

/** The parser is fed in pieces of this size, so that a limit is noticed at most one piece late, whatever chunks arrive. */
export const pieceLength = 16 * 1024;

/** One batched entry of 10,000 transactions with 60 elements each. An element costs about 120 bytes: 70 MB at worst. */
export const maxEntryElements = 600_000;

/** Characters of text in one entry: 10,000 transactions with 1,600 characters each. */
export const maxEntryText = 16_000_000;
