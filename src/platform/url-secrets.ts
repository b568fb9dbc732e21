/** Everything of an address behind its host may be a key, and what stands before the host is one. */
const url = /\b([a-z][a-z0-9+.-]*:\/\/)(?:[^\s/@"'`]+@)?([^\s/?#"'`]+)[^\s"'`,)]*/gi;

/** A text whose addresses show only protocol and host: RPC endpoints and connection strings carry keys. */
export function withoutUrlSecrets(text: string): string {
  return text.replaceAll(url, '$1$2');
}
