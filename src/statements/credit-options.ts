import type { RecordOptions } from '../ledger/bank/match-credits.ts';
import { StopError } from '../platform/errors.ts';
import { defaultMemo, dustWait, type Settings } from '../platform/settings.ts';

/**
 * How a bank's credits become orders under these settings. Throws `invalid_settings` without any network: every credit would
 * become unmatched, for a reason that is not the credit's.
 */
export function creditOptions(settings: Pick<Settings, 'networks' | 'serviceName' | 'environment'>): Omit<RecordOptions, 'source'> {
  const tokens = Object.values(settings.networks).flatMap(({ chain, tokens }) =>
    Object.keys(tokens).map((currency) => `${chain}:${currency}`),
  );
  if (tokens.length > 0) return { defaultMemo: defaultMemo(settings), tokens, dustWaitSeconds: dustWait(settings) };
  throw new StopError({
    code: 'invalid_settings',
    message:
      'No network has tokens to issue: set for instance GNOSIS_TOKENS=eur:0x…, as for the API. RPC endpoints and keys are not needed here',
  });
}
