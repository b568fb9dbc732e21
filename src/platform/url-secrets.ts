/** A URL: path and query may contain a key, and what precedes the host is a password. */
const url = /\b([a-z][a-z0-9+.-]*:\/\/)(?:[^\s/@"'`]+@)?([^\s/?#"'`]+)[^\s"'`,)]*/gi;

/** What precedes the host of a URL. */
const credentials = /\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/@"'`]{1,1000}@/gi;

/** Cuts all URLs in a text down to protocol and host, because those of RPC endpoints and databases carry secrets. */
export function withoutUrlSecrets(text: string): string {
  return text.replaceAll(url, '$1$2');
}

/** Cuts user and password out of all URLs in a text. */
export function withoutUrlCredentials(text: string): string {
  return text.replaceAll(credentials, '$1');
}
