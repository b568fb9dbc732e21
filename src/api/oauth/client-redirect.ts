/** The errors that a redirect may carry (RFC 6749, section 4.1.2.1; docs/api.md, Authorization endpoint). */
export type AuthorizationError =
  | 'access_denied'
  | 'invalid_request'
  | 'unauthorized_client'
  | 'unsupported_response_type'
  | 'server_error'
  | 'temporarily_unavailable';

/** Where an answer goes: a registered redirect URI with the client's own state. */
export interface RedirectTarget {
  redirectUri: string;
  state: string | undefined;
}

/** An authorization code, or the error that is answered instead. */
export type AuthorizationAnswer = { code: string } | { error: AuthorizationError; description: string };

/**
 * The redirect URI with the answer added to its query. The URI itself, including its own query, and `state` stay unchanged (RFC 6749,
 * sections 3.1.2 and 4.1.2); `iss` names this server (RFC 9207).
 */
export function clientRedirect({ redirectUri, state }: RedirectTarget, issuer: string, answer: AuthorizationAnswer): string {
  const query = new URLSearchParams();
  if ('code' in answer) query.set('code', answer.code);
  else {
    query.set('error', answer.error);
    query.set('error_description', errorDescription(answer.description));
  }
  if (state !== undefined) query.set('state', state);
  query.set('iss', issuer);
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query.toString()}`;
}

/** A text as `error_description`: RFC 6749 allows only printable ASCII without quotes and backslashes. */
export function errorDescription(text: string): string {
  return text.replaceAll(/[^\x20-\x21\x23-\x5B\x5D-\x7E]/g, '?');
}
