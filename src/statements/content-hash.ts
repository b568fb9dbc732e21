import { createHash } from 'node:crypto';

/** Counts and hashes (SHA-256) a file's content while somebody else reads it from `chunks`. */
export function createContentHash(chunks: AsyncIterable<Uint8Array | string>) {
  const hash = createHash('sha256');
  let bytes = 0;
  return {
    chunks: (async function* () {
      for await (const chunk of chunks) {
        hash.update(chunk);
        bytes += typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.byteLength;
        yield chunk;
      }
    })(),
    bytes: () => bytes,
    digest: () => hash.digest(),
  };
}
