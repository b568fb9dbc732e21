/** A client's id and secret from the header `Authorization`; the secret is empty where the client has none. */
export interface HeaderCredentials {
  id: string;
  secret: string;
}

/**
 * The credentials of HTTP Basic (RFC 6749, section 2.3.1; RFC 7617); `invalid` for a header that cannot be read as such, `undefined` where the client
 * does not prove itself by a header. A bearer token proves no client: some send the last one with every request.
 */
export function readHeaderCredentials(header: string | undefined): HeaderCredentials | 'invalid' | undefined {
  if (header === undefined || header.trim() === '' || /^bearer\b/i.test(header)) return undefined;
  const encoded = /^basic +([A-Za-z0-9+/]+=*) *$/i.exec(header)?.[1];
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? [];
  if (id === undefined || secret === undefined) return 'invalid';
  try {
    return { id: formDecode(id), secret: formDecode(secret) };
  } catch {
    return 'invalid';
  }
}

/** The RFC has both parts encoded as in a form, and many clients send them raw. Ours have neither `%` nor `+`, so one reading serves both. */
function formDecode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}
