import type { MintrailError } from '../../platform/errors.ts';
import { StopError } from '../../platform/errors.ts';
import { unreachable } from './deadline.ts';

/** Answers with a status of the client's fault that end by themselves: too many requests, credentials that are being renewed, a clock. */
const passing =
  /^(ThrottlingException|Throttling|TooManyRequestsException|RequestLimitExceeded|LimitExceededException|ExpiredTokenException|RequestExpired|RequestTimeout|RequestTimeoutException|RequestTimeTooSkewed)$/;

/** Errors of the SDK before it asks anything: what it needs is not configured. */
const unconfigured = /^(CredentialsProviderError|TokenProviderError|InvalidConfigurationError)$/;

/**
 * What an error of the AWS SDK means for a lane: an outage, or a key, permission or setting that somebody must mend. Of what
 * AWS says only the name is told: its text may quote the request, with the session token in it.
 */
export function kmsError(keeper: string, error: unknown): MintrailError {
  const {
    name = 'Error',
    code,
    $metadata,
    message = '',
  } = error as Partial<Error> & { code?: string; $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode ?? 0;
  if (message === 'Region is missing') return refused(keeper, 'no region: set AWS_REGION');
  if (unconfigured.test(name)) return refused(keeper, "no credentials were found in AWS's usual places");
  if (status >= 400 && status < 500 && status !== 408 && status !== 429 && !passing.test(name)) return refused(keeper, name);
  return unreachable(keeper, code ?? name);
}

function refused(keeper: string, reason: string): StopError {
  return new StopError({
    code: 'signer_refused',
    message: `${keeper} refuses to sign (${reason}): look at the key's state and policy, and at the credentials and region of this process`,
  });
}
