import type { Context } from 'hono';
import type { RequestSource } from '../../ledger/accounts/notices.ts';
import type { Settings } from '../../platform/settings.ts';
import type { ApiEnv } from '../api.ts';
import { clientNetwork } from '../middlewares/client-network.ts';

/** In the order in which they are looked for: Edge and Opera call themselves Chrome as well, and Chrome calls itself Safari. */
const browsers = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['CriOS/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const;

/** Android calls itself Linux, and iPhones call themselves Mac OS X. */
const systems = [
  ['Windows', 'Windows'],
  ['Android', 'Android'],
  ['iPhone', 'iOS'],
  ['iPad', 'iOS'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const;

/** The browser and the network address of a request, as its user will recognise them, and its correlation id. */
export function signInSource(context: Context<ApiEnv>, { trustedProxies }: Pick<Settings, 'trustedProxies'>): RequestSource {
  const browser = browserName(context.req.header('User-Agent') ?? '');
  return { browser, network: clientNetwork(context, trustedProxies) || 'unknown', correlationId: context.var.correlationId };
}

/** Such as `Firefox on Linux`. Of what the browser sends nothing but known words is taken. */
function browserName(userAgent: string): string {
  const nameIn = (names: readonly (readonly [string, string])[]) => names.find(([mark]) => userAgent.includes(mark))?.[1];
  const [browser, system] = [nameIn(browsers), nameIn(systems)];
  return `${browser ?? 'an unknown browser'}${system === undefined ? '' : ` on ${system}`}`;
}
