import { isAddressEqual } from 'viem';
import type { Proposal } from '../../chain/admin/proposal.ts';
import { StopError } from '../../platform/errors.ts';
import { networkVariable } from '../../platform/settings.ts';
import { configuredToken, type TokenContext } from './token-context.ts';

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
