import { isAddressEqual } from 'viem';
import type { AdministeredToken } from '../../chain/token/administered-token.ts';
import { tokenOf } from '../../chain/admin/connect-to-token.ts';
import type { Proposal } from '../../chain/admin/proposal.ts';
import type { Chain } from '../../platform/chains.ts';
import { StopError } from '../../platform/errors.ts';
import type { Currency } from '../../platform/money.ts';
import { type NetworkSettings, networkSettings, networkVariable } from '../../platform/settings.ts';
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

/**
 * The token of a proposal, which must be one of this machine's settings: the file may come from anybody and name any contract. Throws
 * `proposal_mismatch`, `invalid_settings` and `not_found`.
 */
export function requireConfiguredToken({ token: { chain, currency, address } }: Proposal): TokenContext {
  const context = configuredToken(chain, currency);
  if (isAddressEqual(context.token.address, address)) return context;
  throw new StopError({
    code: 'proposal_mismatch',
    message: `The proposal changes the token ${address}, and ${networkVariable(chain, 'tokens')} on this machine names ${context.token.address}`,
  });
}
