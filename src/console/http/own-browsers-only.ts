import { StopError } from '../../platform/errors.ts';
import { consoleUrl } from '../../platform/settings.ts';
import type { ConsoleMiddleware } from '../console-env.ts';

/** Methods that change nothing. */
const safeMethods = new Set(['GET', 'HEAD']);

/** Types that no form of another site can send: JSON, and files, which a route without JSON takes. */
const ownTypes = new Set(['application/json', 'application/octet-stream']);

/** Hosts by which a browser reaches a console on its own machine. */
const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Turns down what no page of the console sends: requests for another host name, by which a page of another site may have its own name lead here (DNS
 * rebinding), and requests from pages of other sites. Throws `cross_site_request`, and `invalid_request` for a change that is neither JSON nor a file.
 */
export const ownBrowsersOnly: ConsoleMiddleware = async (context, next) => {
  const {
    req,
    var: { settings },
  } = context;
  const own = new URL(consoleUrl(settings));
  const host = req.header('Host') ?? '';
  const isLoopback = settings.consoleUrl === undefined && loopbackNames.has(host.replace(/:\d+$/, ''));
  if (host !== own.host && !isLoopback) throw refused(`This is the console of ${own.origin}, and not of the host that the request names`);
  // Older browsers send no Sec-Fetch-Site, but every browser sends Origin with a change.
  const site = req.header('Sec-Fetch-Site');
  const isApi = req.path.startsWith('/api/');
  if (isApi && site !== undefined && site !== 'same-origin') throw refused('The request came from another site');
  if (safeMethods.has(req.method)) return next();
  const origin = req.header('Origin');
  const ownOrigin = isLoopback ? `http://${host}` : own.origin;
  if (origin === undefined ? site !== 'same-origin' : origin !== ownOrigin) throw refused('The request came from another site');
  if (!ownTypes.has(req.header('Content-Type')?.split(';')[0] ?? ''))
    throw new StopError({
      code: 'invalid_request',
      message: 'Validation errors',
      fields: { body: 'must be application/json, or application/octet-stream for a file' },
    });
  return next();
};

function refused(message: string): StopError {
  return new StopError({ code: 'cross_site_request', message });
}
