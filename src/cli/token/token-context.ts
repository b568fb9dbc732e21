import type { AdministeredToken } from '../../chain/admin/admin-call.ts';
import { tokenOf } from '../../chain/admin/connect-to-token.ts';
import type { Chain } from '../../platform/chains.ts';
import type { Currency } from '../../platform/money.ts';
import { type NetworkSettings, networkSettings } from '../../platform/settings.ts';
import { cliNetworks, type NetworkEnvironment } from '../cli-settings.ts';

/** A token of this machine's settings, and its network. */
export interface TokenContext extends Pick<NetworkEnvironment, 'environment' | 'variables'> {
  network: NetworkSettings;
  token: AdministeredToken;
}

/** The token that the settings of this machine name. Throws `invalid_settings` and `not_found`. */
export function configuredToken(chain: Chain, currency: Currency): TokenContext {
  const { networks, environment, variables } = cliNetworks();
  const network = networkSettings({ networks }, chain);
  return { network, environment, variables, token: tokenOf(network, currency) };
}
