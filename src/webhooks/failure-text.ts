import { errors } from 'undici';
import { Refused } from './target.ts';

/** We waited for no more; the message says for what. */
export class GivenUp extends Error {}

/** What the codes of node and undici mean for somebody whose server was called. */
const texts: Record<string, string> = {
  ECONNREFUSED: 'refuses connections',
  ECONNRESET: 'closed the connection before it answered',
  EPIPE: 'closed the connection before it answered',
  UND_ERR_SOCKET: 'closed the connection before it answered',
  ETIMEDOUT: 'does not accept connections',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
  ENOTFOUND: 'its host name has no address',
  ENODATA: 'its host name has no address',
  UND_ERR_HEADERS_OVERFLOW: 'answered with headers that are too large',
  EPROTO: 'does not speak TLS as it should',
};

/** Codes of look-ups that failed for another reason than that there is no such name. */
const lookupFailures = new Set(['ESERVFAIL', 'ETIMEOUT', 'EREFUSED', 'EBADRESP', 'ECANCELLED', 'EAI_AGAIN', 'EFORMERR', 'EBADNAME']);

/** Why there was no answer, for the subscriber: neither the URL nor an address behind its name is in it. */
export function failureText(error: unknown): string {
  if (error instanceof Refused || error instanceof GivenUp) return error.message;
  const { code = '' } = error as NodeJS.ErrnoException;
  const known = texts[code];
  if (known !== undefined) return known;
  if (lookupFailures.has(code)) return `its host name could not be looked up (${code})`;
  if (error instanceof errors.HTTPParserError || error instanceof errors.ResponseContentLengthMismatchError)
    return 'answered with something that is not HTTP';
  if (code.startsWith('ERR_SSL_')) return `does not speak TLS as it should (${code})`;
  if (certificateCodes.test(code)) return `its certificate is not trusted (${code})`;
  return code === '' ? 'could not be reached' : `could not be reached (${code})`;
}

/** Codes of OpenSSL's verification, and node's own for a name that is not in the certificate. */
const certificateCodes = /CERT|SIGNATURE|_CRL|ISSUER|CA$|PATH_LENGTH|ERR_TLS_CERT_ALTNAME_INVALID/;
