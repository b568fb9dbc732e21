/** The parameters of a request to the authorization server. One without a value counts as left out (RFC 6749, sections 3.1 and 3.2). */
export function sentParameters(all: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...all].filter(([, value]) => value !== ''));
}
