import type { Context } from 'hono';
import type { RelyingParty } from '../../ledger/access/factors/webauthn.ts';
import { consoleUrl } from '../../platform/settings.ts';
import type { ConsoleEnv } from '../console-env.ts';

/** To whom passkeys of operators belong: the host of the console, which is not that of the API's pages. */
export function relyingParty({ var: { settings } }: Context<ConsoleEnv>): RelyingParty {
  return { origin: consoleUrl(settings), name: `${settings.serviceName} console` };
}
