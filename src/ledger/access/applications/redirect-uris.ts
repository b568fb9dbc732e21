import type { Settings } from '../../../platform/settings.ts';

type Environment = Settings['environment'];

/** In UTF-16 code units. */
const maxUrlLength = 2_000;

/** The loopback addresses at which an app on the user's own machine listens, on a port that it gets when it starts (RFC 8252, section 7.3). */
const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?(?=[/?]|$)/;

/** A scheme by which a device starts an app: a domain name of its maker in reverse order (RFC 8252, section 7.1), which no scheme of browsers has. */
const privateUseScheme = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:/;

/** What is wrong with a redirect URI to be registered: one of a web page, or of an app on a machine or a phone. */
export function redirectUriProblem(uri: string, environment: Environment): string | undefined {
  if (uri.includes('*')) return 'must be exact, without *';
  const isNative = loopback.test(uri) || privateUseScheme.test(uri);
  return urlProblem(uri) ?? (isNative ? undefined : schemeProblem(uri, environment));
}

/** What is wrong with the URL of a web page to be registered, to which browsers are sent. */
export function webPageProblem(url: string, environment: Environment): string | undefined {
  return urlProblem(url) ?? schemeProblem(url, environment);
}

/**
 * Whether users may be sent to a URI for which another is registered. They are compared character by character (RFC 9700, section 2.1), except for
 * the port of a loopback address, which an app does not know before it runs.
 */
export function allowsRedirect(registered: string, requested: string): boolean {
  if (registered === requested) return true;
  const anyPort = withoutPort(registered);
  return anyPort !== undefined && anyPort === withoutPort(requested) && URL.canParse(requested);
}

function withoutPort(uri: string): string | undefined {
  return loopback.test(uri) ? uri.replace(loopback, '$1') : undefined;
}

function urlProblem(text: string): string | undefined {
  if (text.length > maxUrlLength) return `must be at most ${maxUrlLength} characters long`;
  if (/[^\x21-\x7E]/.test(text) || !URL.canParse(text)) return 'must be an absolute URL in ASCII without spaces';
  if (text.includes('#')) return 'must not have a fragment';
  const { username, password } = new URL(text);
  return username === '' && password === '' ? undefined : 'must not have a user name or password';
}

function schemeProblem(text: string, environment: Environment): string | undefined {
  const { protocol } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') return 'must begin with https://';
  return protocol === 'http:' && environment === 'production' ? 'must begin with https:// in production' : undefined;
}
