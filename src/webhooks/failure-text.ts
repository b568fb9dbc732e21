import { TargetError } from './target.ts';

/** We ended the attempt. The message says why, as a clause about the receiver. */
export class AttemptAborted extends Error {}

/**
 * Why there was no answer, as a clause about the receiver that the subscriber may read: it contains neither the URL nor
 * an address behind its name.
 */
export function failureText(error: unknown): string {
  if (error instanceof TargetError || error instanceof AttemptAborted) return error.message;
  const { code = '' } = error as NodeJS.ErrnoException;
  const text = texts[code];
  if (text !== undefined) return text;
  if (lookupFailures.has(code)) return `its host name could not be looked up (${code})`;
  if (code.startsWith('HPE_')) return 'answered with something that is not HTTP';
  if (code.startsWith('ERR_SSL_')) return `does not speak TLS as it should (${code})`;
  if (certificateCodes.test(code)) return `its certificate is not trusted (${code})`;
  return code === '' ? 'could not be reached' : `could not be reached (${code})`;
}

/** What frequent codes of Node mean to the owner of the receiving server. */
const texts: Record<string, string> = {
  ECONNREFUSED: 'refuses connections',
  ECONNRESET: 'closed the connection before it answered',
  EPIPE: 'closed the connection before it answered',
  ETIMEDOUT: 'does not accept connections',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
  ENOTFOUND: 'its host name has no address',
  ENODATA: 'its host name has no address',
  HPE_HEADER_OVERFLOW: 'answered with headers that are too large',
  EPROTO: 'does not speak TLS as it should',
};

/** Codes of look-ups that failed although the name may exist. */
const lookupFailures = new Set(['ESERVFAIL', 'ETIMEOUT', 'EREFUSED', 'EBADRESP', 'ECANCELLED', 'EAI_AGAIN', 'EFORMERR', 'EBADNAME']);

/** Codes of OpenSSL's certificate verification, and Node's own for a name that the certificate does not have. */
const certificateCodes = /CERT|SIGNATURE|_CRL|ISSUER|CA$|PATH_LENGTH|ERR_TLS_CERT_ALTNAME_INVALID/;
